// Folds of the train dialect's operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::train;

OpFoldResult ScaleOp::fold(FoldAdaptor) {
  return matchPattern(getFactor(), m_OneFloat()) ? getInput() : Value();
}
