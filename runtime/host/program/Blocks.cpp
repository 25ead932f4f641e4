// Copies runs of bytes between a block and the whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Blocks.h"

#include <cstring>

namespace tutti::runtime::worker {

Blocks::Blocks(const std::vector<int64_t> &whole, int64_t dimension, int64_t blocks, int64_t outer,
               int64_t element_bytes)
    : runs(outer), run(element_bytes), blocks(blocks) {
  for (int64_t i = 0; i < int64_t(whole.size()); ++i)
    (i < dimension ? runs : run) *= whole[size_t(i)];
  run /= blocks * outer;
}

void Blocks::take(const char *whole, int64_t index, char *block) const {
  for (int64_t i = 0; i < runs && run > 0; ++i)
    std::memcpy(block + i * run, whole + (i * blocks + index) * run, size_t(run));
}

void Blocks::put(const char *block, int64_t index, char *whole) const {
  for (int64_t i = 0; i < runs && run > 0; ++i)
    std::memcpy(whole + (i * blocks + index) * run, block + i * run, size_t(run));
}

} // namespace tutti::runtime::worker
