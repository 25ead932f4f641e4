// Sizes of arrays whose shapes cannot be trusted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Array.h"

#include "runtime/support/Names.h"

#include <cstring>

namespace tutti::runtime::data {

std::string describe(int32_t type, const std::vector<int64_t> &shape) {
  std::string out = std::string(type_name(type)) + " [";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

int64_t sample_elements(const Array &array) {
  Result<int64_t> bytes = array_bytes(array.type, array.shape);
  return bytes && array.rows() > 0 ? *bytes / array.rows() / type_bytes(array.type) : 0;
}

Array samples_read(const Array &array, int64_t rows, const std::vector<const char *> &columns) {
  Array part{array.name, array.type, array.shape, columns[array.column], array.source};
  part.shape[0] = rows;
  part.origin = array.source;
  return part;
}

Result<Array> in_memory(const Array &array) {
  if (!array.source)
    return array;
  int64_t bytes = *array_bytes(array.type, array.shape);
  std::shared_ptr<char[]> memory(new (std::nothrow) char[size_t(bytes)]);
  if (!memory)
    return Error::make(TUTTI_OUT_OF_MEMORY, "no memory for ", bytes, " bytes");
  int64_t row_bytes = sample_elements(array) * type_bytes(array.type);
  Error error = for_each_part(array, [&](const Array &part) {
    std::memcpy(memory.get() + part.first * row_bytes, part.data, size_t(part.rows() * row_bytes));
    return Error::success();
  });
  if (error)
    return error;
  return Array{array.name, array.type, array.shape, memory.get(), memory};
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
