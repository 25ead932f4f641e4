// Rows taken from a table and put back, and blocks copied from one tensor to another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/PrimitiveStore.h"
#include "runtime/engine/kernels/RowIndices.h"

#include <cstring>
#include <stdexcept>

using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t take_parameters = 6, put_parameters = 4, copy_parameters = 6;

/// Copies a row whose size is known to the compiler for the common ones.
void copy_row(char *to, const char *from, int64_t bytes) {
  switch (bytes) {
  case 64:
    std::memcpy(to, from, 64);
    return;
  case 128:
    std::memcpy(to, from, 128);
    return;
  default:
    std::memcpy(to, from, bytes);
  }
}

void take(const char *table, const RowIndices &indices, int64_t row_bytes, char *out) {
  for (int64_t i = 0; i < indices.size(); ++i, out += row_bytes) {
    int64_t row = indices[i];
    if (row == indices.unused())
      std::memset(out, 0, row_bytes);
    else
      copy_row(out, table + row * row_bytes, row_bytes);
  }
}

} // namespace

void tutti::runtime::door::tutti_gather_rows(tutti_context *context, void *const *buffers,
                                             const int64_t *parameters) {
  run_kernel(context, "tutti_gather_rows", parameters, take_parameters, [&] {
    const int64_t *p = parameters;
    int64_t outer = p[0], table_rows = p[1], row_bytes = p[2], count = p[3];
    RowIndices indices(buffers[1], count, p[4], table_rows, p[5] != 0, p + take_parameters);
    const char *table = static_cast<const char *>(buffers[0]);
    char *out = static_cast<char *>(buffers[2]);
    for (int64_t o = 0; o < outer; ++o)
      take(table + o * table_rows * row_bytes, indices, row_bytes, out + o * count * row_bytes);
  });
}

void tutti::runtime::door::tutti_scatter_update_rows(tutti_context *context, void *const *buffers,
                                                     const int64_t *parameters) {
  run_kernel(context, "tutti_scatter_update_rows", parameters, put_parameters, [&] {
    const int64_t *p = parameters;
    int64_t row_bytes = p[1];
    RowIndices indices(buffers[0], p[2], p[3], p[0], true, p + put_parameters);
    const char *rows = static_cast<const char *>(buffers[1]);
    char *table = static_cast<char *>(buffers[2]);
    for (int64_t i = 0; i < indices.size(); ++i)
      if (int64_t row = indices[i]; row != indices.unused())
        copy_row(table + row * row_bytes, rows + i * row_bytes, row_bytes);
  });
}

void tutti::runtime::door::tutti_copy_blocks(tutti_context *context, void *const *buffers,
                                             const int64_t *parameters) {
  run_kernel(context, "tutti_copy_blocks", parameters, copy_parameters, [&] {
    const int64_t *p = parameters;
    const char *from = static_cast<const char *>(buffers[0]) + p[3];
    char *to = static_cast<char *>(buffers[1]) + p[5];
    for (int64_t i = 0; i < p[0]; ++i)
      copy_row(to + i * p[4], from + i * p[2], p[1]);
  });
}
