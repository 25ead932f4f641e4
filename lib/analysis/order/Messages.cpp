// Matches sends with receives, before deadlocks are looked for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/Rendezvous.h"

#include "dialects/interfaces/ranks/Communication.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

namespace {
/// What messages are matched by.
struct Key {
  int64_t from, to;
  uint64_t tag;
  Attribute group;
  bool isBackground;

  bool operator<(const Key &other) const {
    return std::make_tuple(from, to, tag, group.getAsOpaquePointer(), isBackground) <
           std::make_tuple(other.from, other.to, other.tag, other.group.getAsOpaquePointer(),
                           other.isBackground);
  }
};

struct Sides {
  SmallVector<Operation *> sends, receives; // each in the order of its rank
};
} // namespace

static std::string describe(const Key &key) {
  return "from rank " + std::to_string(key.from) + " to rank " + std::to_string(key.to) +
         " with tag " + std::to_string(key.tag);
}

/// What is sent, or what is received; tensors and memrefs of one shape look alike on the wire.
static SmallVector<Type> getWireTypes(Operation *op) {
  SmallVector<Value> payload = cast<CommunicationOpInterface>(op).getPayload();
  return llvm::map_to_vector(payload, [](Value value) -> Type {
    auto shaped = cast<ShapedType>(value.getType());
    return RankedTensorType::get(shaped.getShape(), shaped.getElementType());
  });
}

/// Names messages of the other side between the same ranks, the likely culprits.
static void noteCandidates(InFlightDiagnostic &error, const Key &key,
                           const std::map<Key, Sides> &messages, bool wantSends) {
  for (const auto &[other, sides] : messages) {
    const SmallVector<Operation *> &ops = wantSends ? sides.sends : sides.receives;
    if (other.from != key.from || other.to != key.to || ops.empty())
      continue;
    const SmallVector<Operation *> &own = wantSends ? sides.receives : sides.sends;
    if (own.size() < ops.size())
      error.attachNote(ops[own.size()]->getLoc())
          << "rank " << (wantSends ? key.from : key.to) << (wantSends ? " sends" : " receives")
          << " here, " << describe(other);
  }
}

static LogicalResult verifyCounts(const Key &key, const Sides &sides,
                                  const std::map<Key, Sides> &messages) {
  size_t sent = sides.sends.size(), received = sides.receives.size();
  if (sent == received)
    return success();
  bool isSendLost = sent > received;
  Operation *lost = isSendLost ? sides.sends[received] : sides.receives[sent];
  InFlightDiagnostic error = mlir::emitError(lost->getLoc())
                             << (isSendLost ? "what is sent " : "what should be received ")
                             << describe(key) << " is never " << (isSendLost ? "received" : "sent")
                             << ": rank " << key.from << " sends " << sent << ", rank " << key.to
                             << " receives " << received << " such messages";
  noteCandidates(error, key, messages, !isSendLost);
  return error;
}

static LogicalResult verifyTypes(const Key &key, const Sides &sides) {
  for (auto [send, receive] : llvm::zip(sides.sends, sides.receives)) {
    SmallVector<Type> sent = getWireTypes(send), received = getWireTypes(receive);
    if (sent == received)
      continue;
    InFlightDiagnostic error = mlir::emitError(send->getLoc())
                               << "the message " << describe(key) << " is sent as " << sent;
    error.attachNote(receive->getLoc()) << "but received as " << received;
    return error;
  }
  return success();
}

static void collect(ArrayRef<Event> events, int64_t rank, bool isBackground,
                    std::map<Key, Sides> &messages) {
  for (const Event &event : events) {
    if (event.kind != Event::Send && event.kind != Event::Receive)
      continue;
    auto op = cast<PointToPointOpInterface>(event.op);
    bool sends = event.kind == Event::Send;
    Key key{sends ? rank : event.peer, sends ? event.peer : rank, op.getTag(), op.getGroupAttr(),
            isBackground};
    Sides &sides = messages[key];
    (sends ? sides.sends : sides.receives).push_back(event.op);
  }
}

LogicalResult tutti::verifyMessages(ArrayRef<RankTrace> traces) {
  std::map<Key, Sides> messages;
  for (auto [rank, trace] : llvm::enumerate(traces)) {
    collect(trace.main, rank, false, messages);
    collect(trace.background, rank, true, messages);
  }
  for (const auto &[key, sides] : messages)
    if (failed(verifyCounts(key, sides, messages)) || failed(verifyTypes(key, sides)))
      return failure();
  return success();
}
