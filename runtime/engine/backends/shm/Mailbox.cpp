// The progress of messages. Each call moves what can be moved without waiting; a rank that cannot
// move anything waits until it can.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Mailbox.h"

#include "runtime/engine/backends/shm/Team.h"
#include "runtime/engine/core/Context.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::shm {
namespace {

/// A message up to this size goes through the ring at once.
constexpr int64_t eager_limit = 16 << 10;
constexpr int64_t header_bytes = sizeof(MessageHeader);
static_assert(header_bytes + eager_limit <= ring_bytes && ring_bytes % header_bytes == 0);

bool match(const MessageHeader &a, const MessageHeader &b) {
  return a.tag == b.tag && a.is_exchange == b.is_exchange;
}

MessageBuffers buffers_of(MessageHeader &header) { return {&header, header_bytes}; }

bool is_open(const Transfer &transfer) { return transfer.state != Transfer::State::finished; }

} // namespace

/// Something can be moved; and it has been.
class Mailbox::Progress : public Condition {
public:
  Progress(Mailbox &box, tutti_context *context) : box(box), context(context) {}

  /// A wait may ask again after something has been moved: then nothing is left to move at its end.
  bool is_met() override {
    return box.progress(context) ||
           std::none_of(box.transfers.begin(), box.transfers.end(), is_open);
  }

  std::string missing() const override {
    std::string all;
    for (const Transfer &transfer : box.transfers) {
      if (!is_open(transfer))
        continue;
      all += text(all.empty() ? "" : ", ", box.team.text_of_member(context, transfer.peer),
                  transfer.is_send ? " to receive" : " to send");
      if (!transfer.header.is_exchange)
        all += text(" what has tag ", transfer.header.tag);
    }
    return all;
  }

  int64_t awaited() const override {
    auto open = std::find_if(box.transfers.begin(), box.transfers.end(), is_open);
    return open == box.transfers.end() ? -1 : box.team.memory().header().members[open->peer];
  }

  bool may_warn() override { return true; }

private:
  Mailbox &box;
  tutti_context *context;
};

std::vector<MessageBuffers::Piece> &Mailbox::begin() {
  transfers.clear();
  pieces.clear();
  return pieces;
}

Transfer &Mailbox::add(int64_t peer, bool is_send) {
  Transfer &transfer = transfers.emplace_back();
  transfer.peer = peer;
  transfer.is_send = is_send;
  transfer.header = {};
  return transfer;
}

int32_t Mailbox::run(tutti_context *context, int64_t plan_entry) {
  peers.resize(team.size());
  team.set_plan_entry(plan_entry);
  Progress progress(*this, context);
  while (std::any_of(transfers.begin(), transfers.end(), is_open)) {
    if (int32_t status = team.wait_until(context, plan_entry, progress))
      return status;
    if (!context->ok())
      return context->status;
  }
  return TUTTI_OK;
}

/// Of each direction of each channel only the first open transfer may move: order is kept.
bool Mailbox::progress(tutti_context *context) {
  bool has_moved = false;
  for (bool is_send : {true, false}) {
    ++passes;
    for (Transfer &transfer : transfers) {
      if (transfer.is_send != is_send || !is_open(transfer))
        continue;
      PeerState &state = peers[transfer.peer];
      if (state.pass == passes)
        continue;
      state.pass = passes;
      has_moved |= is_send ? send(transfer) : receive(context, transfer);
      if (!context->ok())
        return true;
    }
  }
  return has_moved;
}

Ring Mailbox::outgoing(int64_t peer) const {
  return {team.memory().channel(team.rank(), peer), team.memory().header().doorbell};
}

Ring Mailbox::incoming(int64_t peer) const {
  return {team.memory().channel(peer, team.rank()), team.memory().header().doorbell};
}

bool Mailbox::send_header(Transfer &transfer) {
  Ring ring = outgoing(transfer.peer);
  int64_t content = transfer.buffers.bytes();
  bool is_rendezvous = content > eager_limit;
  int64_t bytes = header_bytes + (is_rendezvous ? 0 : content);
  if (ring.room() < in_lines(bytes))
    return false;
  MessageHeader &header = transfer.header;
  header.bytes = content;
  header.place = private_place;
  if (is_rendezvous) {
    header.number = ++peers[transfer.peer].rendezvous_messages;
    if (char *memory = transfer.buffers.whole())
      header.place = team.place().place_of(memory, content);
  }
  MessageBuffers head = buffers_of(header);
  ring.write(0, head, header_bytes);
  if (!is_rendezvous)
    ring.write(header_bytes, transfer.buffers, content);
  ring.publish(bytes);
  transfer.state = is_rendezvous ? Transfer::State::moving : Transfer::State::finished;
  return true;
}

bool Mailbox::send(Transfer &transfer) {
  if (transfer.state == Transfer::State::waiting)
    return send_header(transfer);
  Ring ring = outgoing(transfer.peer);
  const MessageHeader &header = transfer.header;
  if (!is_private(header.place)) {
    if (ring.channel.copied.load(std::memory_order_acquire) < header.number)
      return false;
    transfer.state = Transfer::State::finished;
    return true;
  }
  if (ring.channel.clear_to_send.load(std::memory_order_acquire) < header.number)
    return false;
  int64_t bytes = std::min({transfer.buffers.left(), ring.room(), ring_bytes / 4});
  if (bytes == 0)
    return false;
  ring.write(0, transfer.buffers, bytes);
  ring.publish(bytes);
  if (transfer.buffers.left() == 0)
    transfer.state = Transfer::State::finished;
  return true;
}

bool Mailbox::receive(tutti_context *context, Transfer &transfer) {
  if (transfer.state == Transfer::State::waiting)
    return take_unexpected(context, transfer) || take_next(context, transfer);
  Ring ring = incoming(transfer.peer);
  int64_t bytes = std::min(transfer.buffers.left(), ring.available());
  if (bytes == 0)
    return false;
  ring.read(0, transfer.buffers, bytes);
  ring.release(bytes);
  if (transfer.buffers.left() == 0)
    transfer.state = Transfer::State::finished;
  return true;
}

bool Mailbox::take_unexpected(tutti_context *context, Transfer &transfer) {
  std::list<Unexpected> &unexpected = peers[transfer.peer].unexpected;
  auto found = std::find_if(unexpected.begin(), unexpected.end(), [&](const Unexpected &message) {
    return match(message.header, transfer.header);
  });
  if (found == unexpected.end())
    return false;
  if (accept(context, transfer, found->header)) {
    if (transfer.state == Transfer::State::moving)
      answer_rendezvous(transfer);
    else
      transfer.buffers.write_from(found->content.data(), found->header.bytes);
  }
  spare.splice(spare.begin(), unexpected, found);
  return true;
}

/// Takes the next message from the ring; keeps it for later if it is another than the one wanted.
bool Mailbox::take_next(tutti_context *context, Transfer &transfer) {
  Ring ring = incoming(transfer.peer);
  if (ring.available() < header_bytes)
    return false;
  MessageHeader header;
  MessageBuffers head = buffers_of(header);
  ring.read(0, head, header_bytes);
  int64_t content = header.number != 0 ? 0 : header.bytes;
  if (!match(header, transfer.header)) {
    keep(header, content, transfer.peer);
    ring.release(header_bytes + content);
    return true;
  }
  bool is_right = accept(context, transfer, header);
  if (is_right && content > 0)
    ring.read(header_bytes, transfer.buffers, content);
  ring.release(header_bytes + content);
  if (is_right && transfer.state == Transfer::State::moving)
    answer_rendezvous(transfer);
  return true;
}

/// What is not wanted yet, in place of a message that was taken, if there is any: nothing is
/// allocated then.
void Mailbox::keep(const MessageHeader &header, int64_t content, int64_t peer) {
  if (spare.empty())
    spare.emplace_back();
  Unexpected &message = spare.front();
  message.header = header;
  message.content.resize(size_t(content));
  MessageBuffers buffers(message.content.data(), content);
  incoming(peer).read(header_bytes, buffers, content);
  std::list<Unexpected> &unexpected = peers[size_t(peer)].unexpected;
  unexpected.splice(unexpected.end(), spare, spare.begin());
}

/// False, with the reason in `context`, if the message is not what was expected.
bool Mailbox::accept(tutti_context *context, Transfer &transfer, const MessageHeader &header) {
  std::string wrong = problem(context, transfer, header);
  if (!wrong.empty()) {
    context->fail(TUTTI_PLAN_MISMATCH, wrong);
    return false;
  }
  transfer.header = header;
  transfer.state = header.number == 0 ? Transfer::State::finished : Transfer::State::moving;
  return true;
}

/// The header of a rendezvous message has been taken, and nothing else can be in the ring before it
/// ends.
void Mailbox::answer_rendezvous(Transfer &transfer) {
  Ring ring = incoming(transfer.peer);
  const MessageHeader &header = transfer.header;
  if (is_private(header.place))
    return notify(ring.channel.clear_to_send, header.number, ring.doorbell);
  const char *arena = team.place().shared().arena(team.memory().header().members[transfer.peer]);
  transfer.buffers.write_from(arena + header.place, header.bytes);
  transfer.state = Transfer::State::finished;
  notify(ring.channel.copied, header.number, ring.doorbell);
}

std::string Mailbox::problem(tutti_context *context, const Transfer &transfer,
                             const MessageHeader &header) const {
  const CallSignature &wanted = transfer.header.signature, &came = header.signature;
  int64_t bytes = transfer.buffers.bytes();
  bool is_same = wanted.kind_type_reduction_root == came.kind_type_reduction_root &&
                 wanted.sizes == came.sizes && bytes == header.bytes;
  if (is_same)
    return "";
  std::string where = context->where(transfer.header.signature.plan_entry);
  std::string there = context->plan_entry_text(came.plan_entry);
  std::string sender = text(where, ": rank ", team.name_of(transfer.peer));
  std::string receiver = text(", rank ", team.name_of(team.rank()));
  if (header.is_exchange)
    return text(sender, " sends ", header.bytes, " bytes in ", there, receiver, " expects ", bytes);
  return text(sender, " sends with tag ", header.tag, " in ", there, ": ", text_of(came), " (",
              header.bytes, " bytes)", receiver, " expects: ", text_of(wanted), " (", bytes,
              " bytes)");
}

} // namespace tutti::runtime::shm
