// The rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/schedules/Way.h"

namespace tutti::runtime::schedules {
namespace {

constexpr int64_t many_ranks = 32; ///< among fewer, slices were as fast as the others or faster
constexpr int64_t small_row_bytes = int64_t(8) << 10;       ///< costs a rank less than its message
constexpr int64_t most_collected_bytes = int64_t(16) << 20; ///< the rows that one rank may keep
constexpr int64_t large_row_bytes = int64_t(8) << 20;       ///< above: several pieces of slices

} // namespace

Way way_of(int64_t ranks, const Row &row) {
  if (ranks < many_ranks || row.elements == 0)
    return Way::slices;
  if (row.bytes() <= small_row_bytes && row.bytes() * ranks <= most_collected_bytes)
    return Way::tree;
  return row.bytes() > large_row_bytes ? Way::chain : Way::slices;
}

const char *name_of(Way way) {
  switch (way) {
  case Way::tree:
    return "tree";
  case Way::chain:
    return "chain";
  case Way::slices:
    break;
  }
  return "slices";
}

} // namespace tutti::runtime::schedules
