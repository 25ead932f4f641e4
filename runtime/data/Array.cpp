// Sizes of arrays whose shapes cannot be trusted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/Array.h"

#include "runtime/support/Names.h"

namespace tutti::runtime::data {

std::string describe(int32_t type, const std::vector<int64_t> &shape) {
  std::string out = std::string(type_name(type)) + " [";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

Result<int64_t> array_bytes(int32_t type, const std::vector<int64_t> &shape) {
  int64_t bytes = type_bytes(type);
  if (bytes == 0)
    return Error::make(TUTTI_BAD_DATA, "element type ", type, " is unknown");
  bool is_empty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return Error::make(TUTTI_BAD_DATA, "a dimension is negative: ", describe(type, shape));
    is_empty |= dim == 0;
    if (dim > 0 && __builtin_mul_overflow(bytes, dim, &bytes))
      return Error::make(TUTTI_BAD_DATA, "the shape is too large: ", describe(type, shape));
  }
  return is_empty ? int64_t(0) : bytes;
}

} // namespace tutti::runtime::data
