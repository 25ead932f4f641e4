// An array of a dataset: named, typed, row-major, read-only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_DATA_ARRAY_H
#define TUTTI_RUNTIME_DATA_ARRAY_H

#include "runtime/support/Error.h"
#include "tutti/types.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime::data {

struct Array {
  std::string name;
  int32_t type = TUTTI_F32;
  std::vector<int64_t> shape;
  const char *data = nullptr;        ///< no alignment is promised
  std::shared_ptr<const void> owner; ///< keeps `data`

  /// Samples: the first dimension; 0 for a scalar.
  int64_t rows() const { return shape.empty() ? 0 : shape[0]; }
};

/// "f32 [3, 4]".
std::string describe(int32_t type, const std::vector<int64_t> &shape);

/// Bytes of a dense array, or why there is no such array: an unknown type, a negative dimension, or
/// a size that does not fit. To be asked before anything is allocated for a shape that came from a
/// file.
Result<int64_t> array_bytes(int32_t type, const std::vector<int64_t> &shape);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_DATA_ARRAY_H
