// collective-fuse: collectives that may be one become one bucket, where its last member is ready.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/Remarks.h"
#include "passes/communication/BucketLimits.h"
#include "passes/communication/BucketRule.h"
#include "passes/communication/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tutti::communication {
#define GEN_PASS_DEF_COLLECTIVEFUSEPASS
#include "passes/communication/Passes.h.inc"
} // namespace tutti::communication

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

/// One operation for all members; their results become its results. Null, and nothing is changed,
/// where their dialect has none.
static BucketOpInterface fuse(const Bucket &bucket, OpBuilder &builder) {
  BucketOpInterface first = bucket.front()->op;
  SmallVector<Location> places;
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (const BucketMember *member : bucket) {
    places.push_back(member->op->getLoc());
    BucketOpInterface op = member->op;
    llvm::append_range(inputs, op.getInputs());
    llvm::append_range(types, op->getResultTypes());
  }
  auto fused = cast_or_null<BucketOpInterface>(
      getFactory(first)->createLike(builder, builder.getFusedLoc(places), first, inputs, types));
  if (!fused)
    return fused;
  auto hasOtherNumber = [&](const BucketMember *member) {
    return member->op->getAttr(kBucket) != first->getAttr(kBucket);
  };
  if (llvm::any_of(bucket, hasOtherNumber))
    fused->removeDiscardableAttr(kBucket);
  for (auto [member, result] : llvm::zip_equal(bucket, fused->getResults()))
    member->op->getResult(0).replaceAllUsesWith(result);
  for (const BucketMember *member : bucket)
    member->op->erase();
  return fused;
}

/// Where communication of `bucket` can begin: after what makes the last of its inputs.
static void setInsertionPoint(OpBuilder &builder, const Bucket &bucket) {
  if (Operation *producer = getLastProducer(bucket))
    builder.setInsertionPointAfter(producer);
  else
    builder.setInsertionPointToStart(bucket.front()->op->getBlock());
}

namespace {
struct CollectiveFuse : communication::impl::CollectiveFusePassBase<CollectiveFuse> {
  using CollectiveFusePassBase::CollectiveFusePassBase;

  void runOnOperation() override {
    auto emitError = [&] {
      return mlir::emitError(getOperation().getLoc()) << getArgument() << ": ";
    };
    FailureOr<BucketCutter> cutter = makeBucketCutter(request(), emitError);
    if (failed(cutter))
      return signalPassFailure();
    hasChanged = false;
    CollectiveMotion motion(getOperation(), getAnalysis<UniformityAnalysis>());
    std::vector<BlockCollectives> blocks = findAllBucketRuns(getOperation(), motion);
    const BucketRun *main = findMainRun(blocks);
    for (BlockCollectives &block : blocks) {
      for (const LoneCollective &lone : block.alone)
        tellAlone(lone.op, nameOf(lone.op), lone.refusal.reason());
      for (BucketRun &run : block.runs)
        if (failed(fuseRun(run, (*cutter)(run, &run == main, emitError))))
          return signalPassFailure();
    }
    if (!hasChanged)
      markAllAnalysesPreserved();
  }

  BucketRequest request() const {
    BucketRequest request;
    request.mode = mode;
    request.by = by;
    request.bytes = bucketBytes;
    request.firstBytes = firstBucketBytes;
    request.count = count;
    request.indices.assign(indices.begin(), indices.end());
    request.percent.assign(percent.begin(), percent.end());
    return request;
  }

private:
  LogicalResult fuseRun(const BucketRun &run,
                        FailureOr<SmallVector<std::optional<int64_t>>> numbers) {
    if (failed(numbers))
      return failure();
    for (auto [member, number] : llvm::zip_equal(run.members, *numbers))
      if (!number)
        tellAlone(member.op, member.name(),
                  mode == "none" ? "mode=none" : "it has no collective.bucket");
    SmallVector<Bucket> cut = bucketsOf(run, *numbers);
    for (const Bucket &bucket : cut)
      if (bucket.size() == 1)
        tellLonely(*bucket.front(), run);
    bool mayMoveUp = run.movesLoneMembers(); // they are erased below
    for (const Bucket &bucket : cut)
      if (bucket.size() > 1)
        makeBucket(bucket);
      else if (mayMoveUp)
        moveUp(bucket);
    return success();
  }

  void makeBucket(const Bucket &bucket) {
    int64_t bytes = 0;
    std::string names; // of what is fused, in order
    for (const BucketMember *member : bucket) {
      bytes += member->bytes;
      names += (names.empty() ? "" : ", ") + member->name().str();
    }
    OpBuilder builder(&getContext());
    setInsertionPoint(builder, bucket);
    BucketOpInterface fusedOp = fuse(bucket, builder);
    if (!fusedOp) {
      for (const BucketMember *member : bucket)
        tellAlone(member->op, member->name(), "its dialect has no operation of several inputs");
      return;
    }
    hasChanged = true;
    remark::passed(fusedOp.getLoc(), remarkBy(getArgument(), fusedOp))
        << describeKey(fusedOp) + ": " + std::to_string(bucket.size()) + " collectives of " +
               std::to_string(bytes) + " bytes are one bucket: " + names;
    ++buckets;
    fused += bucket.size();
  }

  /// One of several buckets stands where it can begin, though it holds one collective.
  void moveUp(const Bucket &bucket) {
    Operation *op = bucket.front()->op, *producer = getLastProducer(bucket);
    if (!producer || op->getPrevNode() == producer)
      return;
    op->moveAfter(producer);
    hasChanged = true;
  }

  /// Why the only member of its bucket is alone.
  void tellLonely(const BucketMember &member, const BucketRun &run) {
    std::string reason;
    if (run.members.size() > 1)
      reason = "its bucket has no room for another: " + std::to_string(member.bytes) + " bytes";
    else if (run.isCut && member.isNeededByFence)
      reason = "'" + member.neededBy->getStringRef().str() +
               "' stands between it and the next one like it, and orders communication";
    else if (run.isCut)
      reason = "'" + member.neededBy->getStringRef().str() +
               "' needs it before the next one like it is ready";
    else
      reason = "no other is like it (" + describeKey(member.op) + ") and can wait for it";
    tellAlone(member.op, member.name(), reason);
  }

  void tellAlone(BucketOpInterface op, StringRef name, const Twine &reason) {
    remark::missed(op.getLoc(), remarkBy(getArgument(), op))
        << (spellKind(op) + " of " + name + " is not fused: " + reason).str();
    ++alone;
  }

  bool hasChanged = false;
};
} // namespace

FailureOr<BucketRequest>
communication::parseBucketRequest(StringRef options,
                                  function_ref<LogicalResult(const Twine &)> complain) {
  CollectiveFuse pass;
  if (failed(pass.initializeOptions(options, complain)))
    return failure();
  return pass.request();
}
