// What is wrong with an index, in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/kernels/RowIndices.h"

#include "runtime/support/Error.h"
#include "runtime/support/system/NodeName.h"

#include <algorithm>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

RowIndices::RowIndices(const void *indices, int64_t count, int64_t index_bytes, int64_t table_rows,
                       bool may_be_unused, const int64_t *name)
    : indices(indices), count(count), index_bytes(index_bytes), table_rows(table_rows),
      limit(uint64_t(table_rows) + may_be_unused), name(name) {
  if (std::min(count, table_rows) < 0)
    throw std::invalid_argument("a size is negative");
  if (index_bytes != 4 && index_bytes != 8)
    throw std::invalid_argument("an index is neither 4 nor 8 bytes long");
}

void RowIndices::refuse(int64_t index, int64_t position) const {
  std::string owner = node_name(name);
  throw std::out_of_range(text(owner.empty() ? "" : "node '" + owner + "': ", "index ", index,
                               " (entry ", position, ") is out of range: the table has ",
                               table_rows, " rows"));
}
