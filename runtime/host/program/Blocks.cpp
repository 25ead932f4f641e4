// Copies runs of bytes between what a rank holds and the whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Blocks.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::worker {

Blocks::Blocks(const std::vector<int64_t> &whole, int64_t dimension, int64_t outer, int64_t count,
               int64_t element_bytes)
    : runs(outer), run(element_bytes), blocks(count), element(element_bytes) {
  for (int64_t i = 0; i < dimension; ++i)
    runs *= whole[size_t(i)];
  for (size_t i = size_t(dimension) + 1; i < whole.size(); ++i)
    run *= whole[i];
  int64_t size = whole[size_t(dimension)] / outer;
  range = size * run;
  run *= (size + blocks - 1) / blocks;
}

void Blocks::divide(int64_t parts_of_block, int64_t ranks) {
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
    int64_t bytes = std::min(run - offset, end - at), place = block * run + offset;
    int64_t there = std::clamp(range - place, int64_t(0), bytes); // the rest is filled up
    if (there > 0)
      visit(at - first, number * range + place, there);
    at += bytes;
  }
}

void Blocks::take(const char *whole, int64_t rank, char *held) const {
  int64_t filled = 0;
  auto fill = [&](int64_t end) { std::memset(held + filled, 0, size_t(end - filled)); };
  for_each_run(rank % blocks, rank / stride, [&](int64_t to, int64_t from, int64_t bytes) {
    fill(to);
    std::memcpy(held + to, whole + from, size_t(bytes));
    filled = to + bytes;
  });
  fill(part);
}

void Blocks::put(const char *held, int64_t block, int64_t index, char *whole) const {
  for_each_run(block, index, [&](int64_t from, int64_t to, int64_t bytes) {
    std::memcpy(whole + to, held + from, size_t(bytes));
  });
}

} // namespace tutti::runtime::worker
