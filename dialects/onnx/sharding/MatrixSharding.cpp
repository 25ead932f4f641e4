// Rules of sharding of matrix products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

FailureOr<ShardingRule> MatMulOp::getFactors() {
  static const ShardingText row("k+, b.. k n -> b.. n"), column("b.. m k+, k -> b.. m"),
      vectors("k+, k -> ()");
  bool isRow = shapeOf(getA()).size() == 1, isColumn = shapeOf(getB()).size() == 1;
  if (isRow && isColumn)
    return vectors.expand(*this);
  return (isRow ? row : isColumn ? column : shardingText()).expand(*this);
}

FailureOr<ShardingRule> GemmOp::getFactors() {
  SmallVector<StringRef> tensors = {getTransA() ? "k+ m" : "m k+", getTransB() ? "n k" : "k n"};
  if (getC())
    tensors.push_back(ArrayRef<StringRef>{"()", "n", "m n"}[shapeOf(getC()).size()]);
  return parseShardingRule(llvm::join(tensors, ", ") + " -> m n", (*this)->getOperandTypes(),
                           (*this)->getResultTypes());
}
