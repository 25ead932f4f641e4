// External models of the operations of upstream's mpi dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/mpi/MpiModels.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/interfaces/ranks/Uniformity.h"

#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;

/// The group that a communicator stands for at `user`.
static FlatSymbolRefAttr groupOf(Operation *user, Value communicator) {
  if (!communicator.getDefiningOp<mpi::CommWorldOp>())
    return FlatSymbolRefAttr::get(user->getContext(), "MPI_COMM_SPLIT");
  GroupOpInterface world = findWorldGroup(SymbolTable::getNearestSymbolTable(user));
  if (!world)
    return FlatSymbolRefAttr::get(user->getContext(), "MPI_COMM_WORLD");
  return FlatSymbolRefAttr::get(SymbolTable::getSymbolName(world));
}

static std::optional<uint64_t> constantOf(Value value) {
  llvm::APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getZExtValue())
                                                     : std::nullopt;
}

namespace {
template <typename Op, CommunicationKind kind>
struct Form : CommunicationOpInterface::ExternalModel<Form<Op, kind>, Op> {
  CommunicationForm getForm(Operation *op) const {
    return {kind, groupOf(op, cast<Op>(op).getComm())};
  }
  SmallVector<Value> getPayload(Operation *op) const {
    if constexpr (kind == CommunicationKind::Barrier)
      return {};
    else
      return {cast<Op>(op).getRef()};
  }
};

/// What all ranks of its communicator come to.
template <typename Op> struct Joint : CollectiveOpInterface::ExternalModel<Joint<Op>, Op> {
  FlatSymbolRefAttr getGroupAttr(Operation *op) const {
    return groupOf(op, cast<Op>(op).getComm());
  }
};

template <typename Op> struct Message : PointToPointOpInterface::ExternalModel<Message<Op>, Op> {
  FlatSymbolRefAttr getGroupAttr(Operation *op) const {
    return groupOf(op, cast<Op>(op).getComm());
  }
  Value getPeer(Operation *op) const {
    if constexpr (std::is_same_v<Op, mpi::SendOp>)
      return cast<Op>(op).getDest();
    else
      return cast<Op>(op).getSource();
  }
  bool isTagKnown(Operation *op) const { return constantOf(cast<Op>(op).getTag()).has_value(); }
  uint64_t getTag(Operation *op) const { return constantOf(cast<Op>(op).getTag()).value_or(0); }
};

/// What an operation that asks for an error code says first is that code, which is no rank.
template <typename Op, RankQuestion::Kind kind>
struct Question : RankQueryOpInterface::ExternalModel<Question<Op, kind>, Op> {
  RankQuestion getQuestion(Operation *op) const {
    if (cast<Op>(op).getRetval())
      return {RankQuestion::LocalRank, {}, {}};
    return {kind, groupOf(op, cast<Op>(op).getComm()), {}};
  }
};

/// A communicator is no number: it means the same on all ranks.
struct World : UniformityOpInterface::ExternalModel<World, mpi::CommWorldOp> {
  Uniformity getResultUniformity(Operation *, unsigned) const { return Uniformity::Uniform; }
};
} // namespace

static void attach(MLIRContext *context, mpi::MPIDialect *) {
  mpi::CommWorldOp::attachInterface<World>(*context);
  mpi::CommRankOp::attachInterface<Question<mpi::CommRankOp, RankQuestion::Rank>>(*context);
  mpi::CommSizeOp::attachInterface<Question<mpi::CommSizeOp, RankQuestion::Size>>(*context);
  mpi::SendOp::attachInterface<Message<mpi::SendOp>, Form<mpi::SendOp, CommunicationKind::Send>>(
      *context);
  mpi::RecvOp::attachInterface<Message<mpi::RecvOp>, Form<mpi::RecvOp, CommunicationKind::Receive>>(
      *context);
  // It has no form, because it writes memory in a way that no form tells; so no pass rewrites it.
  mpi::AllReduceOp::attachInterface<Joint<mpi::AllReduceOp>>(*context);
  mpi::Barrier::attachInterface<Joint<mpi::Barrier>,
                                Form<mpi::Barrier, CommunicationKind::Barrier>>(*context);
}

void tutti::registerMpiModels(DialectRegistry &registry) { registry.addExtension(attach); }
