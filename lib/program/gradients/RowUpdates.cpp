// Optimizers and rows without a gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/gradients/RowUpdates.h"

#include "dialects/train/Train.h"

using namespace mlir;
using tutti::Refusal;
using namespace tutti::train;

static constexpr StringLiteral weightDecay = "weight decay changes every row";
static constexpr StringLiteral noEpsilon =
    "with epsilon 0 a row without a gradient is not a number";

template <typename Op> static Refusal whyAllRowsChange(Op optimizer) {
  if (!optimizer.getNormCoefficient().isZero())
    return weightDecay;
  return optimizer.getEpsilon().isZero() ? Refusal(noEpsilon) : Refusal();
}

Refusal tutti::program::whyAllRowsChange(Operation *optimizer) {
  if (auto sgd = dyn_cast<SgdOp>(optimizer))
    return sgd.getNormCoefficient().isZero() ? Refusal() : Refusal(weightDecay);
  if (auto rowwise = dyn_cast<RowwiseAdagradOp>(optimizer))
    return ::whyAllRowsChange(rowwise);
  if (auto adagrad = dyn_cast<AdagradOp>(optimizer))
    return ::whyAllRowsChange(adagrad);
  return "optimizer '" + optimizer->getName().stripDialect() + "' changes every row";
}
