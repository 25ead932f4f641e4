// The pass outline-prefetch: what a step will pull, as a function of its batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/ps/Ps.h"
#include "dialects/train/Train.h"
#include "lib/analysis/BatchSlice.h"
#include "passes/conversion/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tutti;
using train::TrainDialect;

namespace tutti::conversion {
#define GEN_PASS_DEF_OUTLINEPREFETCHPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

/// Where @step takes its batch.
static SmallVector<unsigned> findInputs(func::FuncOp step) {
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    if (step.getArgAttr(i, TrainDialect::kInput))
      inputs.push_back(i);
  return inputs;
}

/// An empty @prefetch that takes the batch of @step, whose arguments `mapping` gets.
static func::FuncOp createPrefetch(func::FuncOp step, IRMapping &mapping) {
  OpBuilder builder(step->getContext());
  builder.setInsertionPointAfter(step);
  SmallVector<unsigned> inputs = findInputs(step);
  SmallVector<Type> types;
  for (unsigned i : inputs)
    types.push_back(step.getArgumentTypes()[i]);
  auto prefetch =
      func::FuncOp::create(builder, step.getLoc(), "prefetch", builder.getFunctionType(types, {}));
  Block *body = prefetch.addEntryBlock();
  for (auto [number, i] : llvm::enumerate(inputs)) {
    prefetch.setArgAttr(number, TrainDialect::kInput, step.getArgAttr(i, TrainDialect::kInput));
    mapping.map(step.getArgument(i), body->getArgument(number));
  }
  return prefetch;
}

namespace {
struct OutlinePrefetch : conversion::impl::OutlinePrefetchPassBase<OutlinePrefetch> {
  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step || step.isExternal() || !step.getBody().hasOneBlock())
      return;
    SmallVector<ps::PullRowsOp> pulls;
    SymbolTable symbols(getOperation());
    for (auto pull : step.getBody().front().getOps<ps::PullRowsOp>())
      if (symbols.lookup<ps::TableOp>(pull.getTable()).getPrefetch())
        pulls.push_back(pull);
    if (!pulls.empty() && failed(outline(step, pulls)))
      signalPassFailure();
  }

  LogicalResult outline(func::FuncOp step, ArrayRef<ps::PullRowsOp> pulls) {
    if (Operation *taken = getOperation().lookupSymbol("prefetch"))
      return taken->emitError("@prefetch is the name of the function that asks for rows ahead");
    llvm::SetVector<Operation *> needed;
    for (ps::PullRowsOp pull : pulls) {
      auto slice = findBatchSlice(step, pull.getIndices());
      if (!slice)
        return pull.emitOpError("cannot ask ahead for rows of ")
               << pull.getTableAttr() << ": the index " << llvm::toString(slice.takeError());
      needed.insert(slice->begin(), slice->end());
    }
    IRMapping mapping;
    func::FuncOp prefetch = createPrefetch(step, mapping);
    OpBuilder builder = OpBuilder::atBlockBegin(&prefetch.getBody().front());
    for (Operation &op : step.getBody().front())
      if (needed.contains(&op))
        builder.clone(op, mapping);
    for (ps::PullRowsOp pull : pulls)
      ps::PrefetchRowsOp::create(builder, pull.getLoc(), pull.getTableAttr(),
                                 mapping.lookup(pull.getIndices()));
    func::ReturnOp::create(builder, step.getLoc());
    prefetchedPulls += pulls.size();
    return success();
  }
};
} // namespace
