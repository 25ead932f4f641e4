// The sliding window of convolutions and pools, with every default resolved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_WINDOW_H
#define TUTTI_ONNX_WINDOW_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tutti::onnx {

/// One entry per spatial dimension. A dilation of 1 is a dense window. With ceil_mode the last
/// window may reach beyond `padsEnd`.
struct Window {
  llvm::SmallVector<int64_t, 3> kernel;
  llvm::SmallVector<int64_t, 3> strides;
  llvm::SmallVector<int64_t, 3> padsBegin;
  llvm::SmallVector<int64_t, 3> padsEnd;
  llvm::SmallVector<int64_t, 3> dilations;

  /// The number of input elements that the window spans in one dimension.
  int64_t getExtent(size_t dimension) const {
    return (kernel[dimension] - 1) * dilations[dimension] + 1;
  }
};

} // namespace tutti::onnx

#endif // TUTTI_ONNX_WINDOW_H
