// Replaces each train.gradient by the operations that compute it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Passes.h"
#include "passes/gradient/ReverseMode.h"

using namespace mlir;
using namespace tutti;

namespace tutti::gradient {
#define GEN_PASS_DEF_EXPANDGRADIENTSPASS
#include "passes/gradient/Passes.h.inc"
} // namespace tutti::gradient

namespace {

struct ExpandGradients : gradient::impl::ExpandGradientsPassBase<ExpandGradients> {
  void runOnOperation() override {
    SmallVector<train::GradientOp> gradients;
    getOperation().walk([&](train::GradientOp op) { gradients.push_back(op); });
    for (train::GradientOp op : gradients)
      if (failed(expand(op)))
        return signalPassFailure();
  }

private:
  LogicalResult expand(train::GradientOp op) {
    gradient::ReverseMode reverse(op);
    FailureOr<SmallVector<Value>> results = reverse.run();
    if (failed(results))
      return failure();
    for (auto [i, result] : llvm::enumerate(*results))
      if (!result)
        result = buildZeros(op, i);
    op.replaceAllUsesWith(*results);
    op.erase();
    ++expanded;
    differentiated += reverse.getDifferentiated();
    sums += reverse.getSums();
    return success();
  }

  Value buildZeros(train::GradientOp op, unsigned index) {
    op.emitWarning("variable ")
        << gradient::nameOfVariable(op, index)
        << " has no gradient: the value does not depend on it; zeros are used";
    ++zeros;
    OpBuilder builder(op);
    return train::FullLikeOp::create(builder, op.getLoc(), op.getVariables()[index],
                                     builder.getF64FloatAttr(0.0));
  }
};

} // namespace
