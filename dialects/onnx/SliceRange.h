// What a slice takes along one dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_SLICERANGE_H
#define TUTTI_ONNX_SLICERANGE_H

#include <cstdint>

namespace tutti::onnx {

/// `size` entries: `start`, `start + step`, ...
struct SliceRange {
  int64_t start;
  int64_t step;
  int64_t size;
};

} // namespace tutti::onnx

#endif // TUTTI_ONNX_SLICERANGE_H
