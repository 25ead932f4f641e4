// Copies runs of bytes between what a rank holds and the whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Blocks.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::worker {

Blocks::Blocks(const std::vector<int64_t> &whole, int64_t dimension, int64_t outer,
               int64_t element_bytes)
    : runs(outer), run(element_bytes), element(element_bytes) {
  for (int64_t i = 0; i < int64_t(whole.size()); ++i)
    (i < dimension ? runs : run) *= whole[size_t(i)];
  run /= outer;
}

void Blocks::divide(int64_t count, int64_t parts_of_block, int64_t ranks) {
  blocks = count;
  run /= blocks;
  parts = parts_of_block;
  stride = ranks / parts;
  int64_t elements = runs * run / element;
  part = (elements + parts - 1) / parts * element;
}

template <typename Visit>
void Blocks::for_each_run(int64_t block, int64_t index, Visit &&visit) const {
  int64_t first = index * part, end = std::min(first + part, runs * run);
  for (int64_t at = first; at < end;) {
    int64_t number = at / run, offset = at % run;
    int64_t bytes = std::min(run - offset, end - at);
    visit(at - first, (number * blocks + block) * run + offset, bytes);
    at += bytes;
  }
}

void Blocks::take(const char *whole, int64_t rank, char *held) const {
  int64_t filled = 0;
  for_each_run(rank % blocks, rank / stride, [&](int64_t to, int64_t from, int64_t bytes) {
    std::memcpy(held + to, whole + from, size_t(bytes));
    filled = to + bytes;
  });
  if (filled < part)
    std::memset(held + filled, 0, size_t(part - filled));
}

void Blocks::put(const char *held, int64_t block, int64_t index, char *whole) const {
  for_each_run(block, index, [&](int64_t from, int64_t to, int64_t bytes) {
    std::memcpy(whole + to, held + from, size_t(bytes));
  });
}

} // namespace tutti::runtime::worker
