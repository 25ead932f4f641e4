// Rules of operators in which an attribute says along which dimensions they work.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_SHARDING_ALONGAXES_H
#define TUTTI_ONNX_SHARDING_ALONGAXES_H

#include "dialects/onnx/inference/Inference.h"

namespace tutti::onnx {

/// `p..` is the dimensions in front of one, `q..` those after it.
template <typename Op>
mlir::FailureOr<ShardingRule> expandAlong(Op op, const ShardingText &text, int64_t axis,
                                          mlir::Value tensor) {
  unsigned before = countedFromZero(axis, tensor);
  unsigned after = shapeOf(tensor).size() - before - 1;
  return text.expand(op, {{"p", before}, {"q", after}});
}

/// A factor for each dimension of the shape that is not 1.
TensorFactors addFactors(ShardingRule &rule, llvm::ArrayRef<int64_t> shape);

/// The factors of the dimensions of `shape` that are not 1; one for each of them is in `factors`.
TensorFactors withoutOnes(const TensorFactors &factors, llvm::ArrayRef<int64_t> shape);

} // namespace tutti::onnx

#endif // TUTTI_ONNX_SHARDING_ALONGAXES_H
