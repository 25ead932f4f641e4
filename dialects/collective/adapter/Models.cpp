// The adapter: what operations of this dialect communicate, as forms that no dialect owns. All else
// that rewrites communication knows them by these answers, as it knows those of other dialects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/collective/adapter/Adapter.h"
#include "dialects/interfaces/ranks/Communication.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

static_assert(int(Reduction::Sum) == int(ReductionKind::sum) &&
                  int(Reduction::Mean) == int(ReductionKind::mean) &&
                  int(Reduction::Min) == int(ReductionKind::min) &&
                  int(Reduction::Max) == int(ReductionKind::max) &&
                  int(Reduction::Prod) == int(ReductionKind::prod),
              "reductions are converted by their numbers");

namespace {
using Kind = CommunicationKind;

template <typename Op> CommunicationForm formOf(Op op, Kind kind) {
  return {kind, op.getGroupAttr()};
}

template <Kind kind>
constexpr bool hasAxis = kind == Kind::ReduceScatter || kind == Kind::AllGather ||
                         kind == Kind::Gather || kind == Kind::Scatter;
template <Kind kind>
constexpr bool combines =
    kind == Kind::AllReduce || kind == Kind::Reduce || kind == Kind::ReduceScatter;
template <Kind kind>
constexpr bool isRooted = kind == Kind::Reduce || kind == Kind::Broadcast || kind == Kind::Gather ||
                          kind == Kind::Scatter;

/// Buckets.
template <typename Op, Kind kind>
struct Bucket : CommunicationOpInterface::ExternalModel<Bucket<Op, kind>, Op> {
  CommunicationForm getForm(Operation *operation) const {
    auto op = cast<Op>(operation);
    CommunicationForm form = formOf(op, kind);
    if constexpr (combines<kind>)
      form.reduction = static_cast<Reduction>(op.getReduction());
    if constexpr (hasAxis<kind>)
      form.axis = op.getAxis();
    if constexpr (isRooted<kind>)
      form.root = op.getRoot();
    return form;
  }
  SmallVector<Value> getPayload(Operation *op) const {
    return SmallVector<Value>(cast<BucketOpInterface>(op).getInputs());
  }
};

/// Exchanges of rows.
template <typename Op, Kind kind>
struct Rows : CommunicationOpInterface::ExternalModel<Rows<Op, kind>, Op> {
  CommunicationForm getForm(Operation *op) const { return formOf(cast<Op>(op), kind); }
  SmallVector<Value> getPayload(Operation *op) const { return {cast<Op>(op).getData()}; }
};

struct Send : CommunicationOpInterface::ExternalModel<Send, SendOp> {
  CommunicationForm getForm(Operation *op) const { return formOf(cast<SendOp>(op), Kind::Send); }
  SmallVector<Value> getPayload(Operation *op) const {
    return SmallVector<Value>(cast<SendOp>(op).getInputs());
  }
};

struct Receive : CommunicationOpInterface::ExternalModel<Receive, RecvOp> {
  CommunicationForm getForm(Operation *op) const { return formOf(cast<RecvOp>(op), Kind::Receive); }
  SmallVector<Value> getPayload(Operation *op) const {
    auto receive = cast<RecvOp>(op);
    return receive.getOutputs().empty() ? SmallVector<Value>(receive.getDestinations())
                                        : SmallVector<Value>(receive.getOutputs());
  }
};

/// What carries no data.
template <typename Op, Kind kind>
struct Bare : CommunicationOpInterface::ExternalModel<Bare<Op, kind>, Op> {
  CommunicationForm getForm(Operation *op) const { return formOf(cast<Op>(op), kind); }
  SmallVector<Value> getPayload(Operation *) const { return {}; }
};

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

struct Start : CommunicationStartOpInterface::ExternalModel<Start, AsyncOp> {
  Value getFutureValue(Operation *op) const { return cast<AsyncOp>(op).getFuture(); }
  Value getPromised(Operation *op, unsigned index) const {
    return cast<AsyncOp>(op).getBody().front().getTerminator()->getOperand(index);
  }
  StringRef getDoneName(Operation *) const { return AwaitOp::getOperationName(); }
};

struct Done : CommunicationDoneOpInterface::ExternalModel<Done, AwaitOp> {
  Value getAwaitedFuture(Operation *op) const { return cast<AwaitOp>(op).getFuture(); }
};

/// Awaits what carries a number.
struct NumberedDone : CommunicationDoneOpInterface::ExternalModel<NumberedDone, CompleteOp> {
  Value getAwaitedFuture(Operation *) const { return {}; }
  std::optional<int64_t> getAwaitedNumber(Operation *op) const {
    return cast<CompleteOp>(op).getFuture();
  }
};

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

GroupForm formOfMembers(MembersAttrInterface members) {
  if (!members)
    return {GroupForm::World};
  if (auto blocks = dyn_cast<BlocksAttr>(members))
    return {GroupForm::Blocks, blocks.getLength()};
  if (auto strided = dyn_cast<StridedAttr>(members))
    return {GroupForm::Strided, strided.getStride()};
  if (isa<RanksAttr>(members))
    return {GroupForm::Listed};
  if (isa<PerNodeAttr>(members))
    return {GroupForm::PerNode};
  if (isa<AcrossNodesAttr>(members))
    return {GroupForm::AcrossNodes};
  return {isa<AtRunTimeAttr>(members) ? GroupForm::AtRunTime : GroupForm::Other};
}

struct Group : GroupOpInterface::ExternalModel<Group, GroupOp> {
  GroupForm getGroupForm(Operation *op) const {
    auto group = cast<GroupOp>(op);
    GroupForm form = formOfMembers(group.getMembersAttr());
    if (group.getSize())
      form.size = *group.getSize();
    return form;
  }
  Attribute getDivision(Operation *op) const { return cast<GroupOp>(op).getMembersAttr(); }
  void declareSize(Operation *op, int64_t ranks) const { cast<GroupOp>(op).setSize(ranks); }
  bool isOfWholeWorld(Operation *op) const { return cast<GroupOp>(op).isWholeWorld(); }
  bool holdsEveryRank(Operation *op) const { return cast<GroupOp>(op).hasEveryRank(); }
  bool isOfEqualSets(Operation *op) const { return cast<GroupOp>(op).hasEqualSets(); }
  std::optional<int64_t> getSizeOfSets(Operation *op) const {
    return cast<GroupOp>(op).getSetSize();
  }
  std::optional<SmallVector<int64_t>> getMembersWith(Operation *op, int64_t rank,
                                                     int64_t worldSize) const {
    if (std::optional<MembersAttrInterface> members = cast<GroupOp>(op).getMembers())
      return members->getSetOf(rank, worldSize);
    return llvm::to_vector(llvm::seq<int64_t>(0, worldSize));
  }
};

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

template <typename Op, RankQuestion::Kind kind>
struct GroupQuery : RankQueryOpInterface::ExternalModel<GroupQuery<Op, kind>, Op> {
  RankQuestion getQuestion(Operation *op) const { return {kind, cast<Op>(op).getGroupAttr(), {}}; }
};

template <typename Op, RankQuestion::Kind kind>
struct NodeQuery : RankQueryOpInterface::ExternalModel<NodeQuery<Op, kind>, Op> {
  RankQuestion getQuestion(Operation *) const { return {kind, {}, {}}; }
};

struct Translation : RankQueryOpInterface::ExternalModel<Translation, TranslateRankOp> {
  RankQuestion getQuestion(Operation *operation) const {
    auto op = cast<TranslateRankOp>(operation);
    return {RankQuestion::Translate, op.getFromAttr(), op.getToAttr()};
  }
};

} // namespace

static void attachToCollectives(MLIRContext &context) {
  AllReduceOp::attachInterface<Bucket<AllReduceOp, Kind::AllReduce>>(context);
  ReduceOp::attachInterface<Bucket<ReduceOp, Kind::Reduce>>(context);
  ReduceScatterOp::attachInterface<Bucket<ReduceScatterOp, Kind::ReduceScatter>>(context);
  BroadcastOp::attachInterface<Bucket<BroadcastOp, Kind::Broadcast>>(context);
  AllGatherOp::attachInterface<Bucket<AllGatherOp, Kind::AllGather>>(context);
  GatherOp::attachInterface<Bucket<GatherOp, Kind::Gather>>(context);
  ScatterOp::attachInterface<Bucket<ScatterOp, Kind::Scatter>>(context);
  AllToAllOp::attachInterface<Bucket<AllToAllOp, Kind::AllToAll>>(context);
  AllToAllVOp::attachInterface<Rows<AllToAllVOp, Kind::AllToAllV>>(context);
  AllToAllVCOp::attachInterface<Rows<AllToAllVCOp, Kind::AllToAllVC>>(context);
  BarrierOp::attachInterface<Bare<BarrierOp, Kind::Barrier>>(context);
  CreateGroupOp::attachInterface<Bare<CreateGroupOp, Kind::CreateGroup>>(context);
  DestroyGroupOp::attachInterface<Bare<DestroyGroupOp, Kind::DestroyGroup>>(context);
  SendOp::attachInterface<Send>(context);
  RecvOp::attachInterface<Receive>(context);
}

static void attachToOthers(MLIRContext &context) {
  AsyncOp::attachInterface<Start>(context);
  AwaitOp::attachInterface<Done>(context);
  CompleteOp::attachInterface<NumberedDone>(context);
  GroupOp::attachInterface<Group>(context);
  RankOp::attachInterface<GroupQuery<RankOp, RankQuestion::Rank>>(context);
  SizeOp::attachInterface<GroupQuery<SizeOp, RankQuestion::Size>>(context);
  LocalRankOp::attachInterface<NodeQuery<LocalRankOp, RankQuestion::LocalRank>>(context);
  LocalSizeOp::attachInterface<NodeQuery<LocalSizeOp, RankQuestion::LocalSize>>(context);
  TranslateRankOp::attachInterface<Translation>(context);
}

void tutti::collective::attachCommunication(CollectiveDialect &dialect) {
  attachToCollectives(*dialect.getContext());
  attachToOthers(*dialect.getContext());
  addFactory(dialect);
}
