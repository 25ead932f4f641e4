// Optimizers and rows without a gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/gradients/RowUpdates.h"

#include "dialects/train/Train.h"

using namespace mlir;
using namespace tutti::train;

std::string tutti::program::whyAllRowsChange(Operation *optimizer) {
  if (auto sgd = dyn_cast<SgdOp>(optimizer))
    return sgd.getNormCoefficient().isZero() ? "" : "weight decay changes every row";
  if (auto rowwise = dyn_cast<RowwiseAdagradOp>(optimizer)) {
    if (!rowwise.getNormCoefficient().isZero())
      return "weight decay changes every row";
    return rowwise.getEpsilon().isZero() ? "with epsilon 0 a row without a gradient is not a number"
                                         : "";
  }
  auto adagrad = dyn_cast<AdagradOp>(optimizer);
  if (!adagrad)
    return ("optimizer '" + optimizer->getName().stripDialect() + "' changes every row").str();
  if (!adagrad.getNormCoefficient().isZero())
    return "weight decay changes every row";
  return adagrad.getEpsilon().isZero() ? "with epsilon 0 a row without a gradient is not a number"
                                       : "";
}
