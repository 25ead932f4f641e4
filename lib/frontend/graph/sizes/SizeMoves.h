// Operators that move known sizes and compute nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_SIZES_SIZEMOVES_H
#define TUTTI_LIB_FRONTEND_GRAPH_SIZES_SIZEMOVES_H

#include "lib/frontend/model/TensorScope.h"

#include <algorithm>

namespace tutti::frontend {

/// More than these are data.
inline constexpr int64_t mostComputedSizes = 64;

/// The value of a size that is not known.
inline constexpr int64_t varies = mlir::ShapedType::kDynamic;

/// Index as ONNX means it, clamped into [0, size].
inline int64_t clampIndex(int64_t index, int64_t size) {
  return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size);
}

/// An attribute of the node; none if it has none of this name.
std::optional<int64_t> integerAttribute(const proto::NodeProto &node, llvm::StringRef name);

/// Whether operator `op` is one of these.
bool isSizeMove(llvm::StringRef op);

/// The result of such a node; none if it is no scalar, vector or matrix, or if an index varies.
std::optional<Sizes> moveSizes(const proto::NodeProto &node, llvm::ArrayRef<Sizes> operands);

/// The results of a Split, one for each output; none if they are not the whole.
std::optional<llvm::SmallVector<Sizes>> splitSizes(const proto::NodeProto &node,
                                                   llvm::ArrayRef<Sizes> operands);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_SIZES_SIZEMOVES_H
