// Replaces each train.gradient by the operations that compute it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Passes.h"

#include "lib/program/Program.h"
#include "lib/program/gradients/ReverseMode.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tutti;

namespace tutti::gradient {
#define GEN_PASS_DEF_EXPANDGRADIENTSPASS
#include "passes/gradient/Passes.h.inc"
} // namespace tutti::gradient

namespace {

/// Whether `result` is the gradient of a trainable variable that something else than an optimizer
/// of this project takes: an update that the model writes out.
bool isTakenByOthers(OpResult result, Value variable) {
  train::VariableAttr role = program::findHeldVariable(variable);
  if (!role || role.getVariableClass() != train::VariableClass::Trainable)
    return false;
  bool hasOthers = llvm::any_of(result.getUsers(), [](Operation *user) {
    return !isa<train::TrainDialect>(user->getDialect()) &&
           !user->hasTrait<OpTrait::IsTerminator>();
  });
  if (!hasOthers)
    return false;
  SetVector<Operation *> after;
  getForwardSlice(result, &after);
  // What is differentiated again is a part of a loss.
  return llvm::none_of(after, [](Operation *op) { return isa<train::GradientOp>(op); });
}

struct ExpandGradients : gradient::impl::ExpandGradientsPassBase<ExpandGradients> {
  using ExpandGradientsPassBase::ExpandGradientsPassBase;

  void runOnOperation() override {
    SmallVector<train::GradientOp> gradients;
    getOperation().walk([&](train::GradientOp op) { gradients.push_back(op); });
    if (gradients.empty())
      return markAllAnalysesPreserved();
    for (train::GradientOp op : gradients)
      if (failed(expand(op)))
        return signalPassFailure();
    if (clean && failed(cleanUp()))
      signalPassFailure();
  }

private:
  /// Sums of one term, unused gradients.
  LogicalResult cleanUp() {
    OpPassManager passes(func::FuncOp::getOperationName());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    return runPipeline(passes, getOperation());
  }

  LogicalResult expand(train::GradientOp op) {
    OpBuilder builder(op);
    program::ReverseMode reverse(op, builder, op.getVariables(),
                                 llvm::make_range(op->getBlock()->begin(), op->getIterator()));
    Value one = train::FullLikeOp::create(builder, op.getLoc(), op.getValue(),
                                          builder.getF64FloatAttr(1.0));
    FailureOr<SmallVector<Value>> results = reverse.run({{op.getValue(), one}});
    if (failed(results))
      return failure();
    for (auto [i, result] : llvm::enumerate(*results)) {
      if (!result)
        result = buildZeros(op, i);
      if (isTakenByOthers(op.getGradients()[i], op.getVariables()[i]))
        result = train::MarkGradientOp::create(builder, op.getLoc(), result);
    }
    op.replaceAllUsesWith(*results);
    op.erase();
    ++expanded;
    differentiated += reverse.getDifferentiated();
    sums += reverse.getSums();
    return success();
  }

  Value buildZeros(train::GradientOp op, unsigned index) {
    op.emitWarning("variable ")
        << program::nameOfVariable(op, op.getVariables()[index], index)
        << " has no gradient: the value does not depend on it; zeros are used";
    ++zeros;
    OpBuilder builder(op);
    return train::FullLikeOp::create(builder, op.getLoc(), op.getVariables()[index],
                                     builder.getF64FloatAttr(0.0));
  }
};

} // namespace
