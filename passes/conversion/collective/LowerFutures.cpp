// The pass lower-futures: communication that runs beside computation, on its way to code. What is
// in use between start and completion must show: bufferization must not let anything else write to
// it, and the memory plan must not give its place away.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/Passes.h"

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti::collective;

namespace tutti::conversion {
#define GEN_PASS_DEF_LOWERFUTURESPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

/// Whether the next operation of the same body takes `value` over.
static bool isHandedOn(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user->getBlock() == value.getParentBlock() && !isa<YieldOp>(user);
  });
}

/// What `op` writes and leaves: its results, or its destinations in memory.
static SmallVector<Value> promisedBy(Operation *op) {
  if (op->getNumResults() > 0) {
    SmallVector<Value> results(op->getResults());
    llvm::erase_if(results, isHandedOn);
    return results;
  }
  llvm::SetVector<Value> written;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  for (Value operand : op->getOperands())
    if (effects && isa<BaseMemRefType>(operand.getType()) &&
        effects.getEffectOnValue<MemoryEffects::Write>(operand))
      written.insert(operand);
  return written.takeVector();
}

/// What `op` uses and does not write. Those that work in place keep nothing: an input that is also
/// needed as it was is copied before the start, and one that is not becomes the result.
static SmallVector<Value> keptBy(Operation *op, ArrayRef<Value> promised) {
  if (op->getNumResults() > 0 && isa<AllReduceOp, ReduceOp, BroadcastOp>(op))
    return {};
  llvm::SetVector<Value> kept;
  for (Value operand : op->getOperands())
    if (isa<ShapedType>(operand.getType()) && !llvm::is_contained(promised, operand))
      kept.insert(operand);
  return kept.takeVector();
}

namespace {
struct LowerFuturesPass : tutti::conversion::impl::LowerFuturesPassBase<LowerFuturesPass> {
  void runOnOperation() override {
    next = 0; // a pass object sees many functions; the numbers depend on this one only
    SmallVector<AsyncOp> asyncs;
    getOperation()->walk([&](AsyncOp async) { asyncs.push_back(async); });
    for (AsyncOp async : asyncs)
      if (failed(lower(async)))
        return signalPassFailure();
  }

  LogicalResult lower(AsyncOp async) {
    if (isOpTriviallyDead(async)) {
      async.erase();
      return success();
    }
    if (async.getFuture().use_empty())
      return async.emitOpError("is never awaited");
    auto await = cast<AwaitOp>(*async.getFuture().user_begin());
    Operation *yield = async.getBody().front().getTerminator();
    OpBuilder builder(await);
    IRMapping completed;
    SmallVector<Operation *> body;
    for (Operation &op : async.getBody().front().without_terminator())
      body.push_back(&op);
    auto promises = llvm::map_to_vector(body, promisedBy);
    for (auto [op, promised] : llvm::zip(body, promises))
      start(op, promised, async, builder, completed);
    for (auto [output, yielded] : llvm::zip(await.getOutputs(), yield->getOperands()))
      output.replaceAllUsesWith(completed.lookupOrDefault(yielded));
    await.erase();
    async.erase();
    return success();
  }

  /// Starts `op` in front of `async`, and completes it where `builder` stands.
  void start(Operation *op, ArrayRef<Value> promised, AsyncOp async, OpBuilder &builder,
             IRMapping &completed) {
    int64_t number = next++;
    ++futures;
    op->moveBefore(async);
    op->setAttr(kFuture, builder.getI64IntegerAttr(number));
    bool givesValues = op->getNumResults() > 0;
    auto complete = CompleteOp::create(
        builder, op->getLoc(), givesValues ? TypeRange(ValueRange(promised)) : TypeRange(),
        builder.getI64IntegerAttr(number), promised, keptBy(op, promised));
    if (givesValues)
      completed.map(promised, complete.getOutputs());
  }

  int64_t next = 0;
};
} // namespace
