// A stack of memory that grows by blocks and becomes one block when it is empty.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Scratch.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tutti::runtime {
namespace {

constexpr std::align_val_t alignment{64};
constexpr size_t least_block = size_t(16) << 10;

/// A piece is never empty, so that each has a place of its own.
size_t in_lines(size_t bytes) { return (std::max<size_t>(bytes, 1) + 63) & ~size_t(63); }

} // namespace

void Scratch::Delete::operator()(char *memory) const { ::operator delete(memory, alignment); }

void Scratch::add_block(size_t bytes) {
  bytes = std::max({bytes, wanted, least_block});
  std::unique_ptr<char, Delete> memory(static_cast<char *>(::operator new(bytes, alignment)));
  blocks.push_back({std::move(memory), bytes, 0});
  wanted = 0;
}

void *Scratch::do_allocate(size_t bytes, size_t) {
  bytes = in_lines(bytes);
  if (blocks.empty() || blocks.back().used + bytes > blocks.back().bytes)
    add_block(bytes);
  Block &block = blocks.back();
  char *memory = block.memory.get() + block.used;
  block.used += bytes;
  ++taken;
  return memory;
}

void Scratch::do_deallocate(void *memory, size_t bytes, size_t) {
  Block &block = blocks.back();
  bytes = in_lines(bytes);
  if (block.memory.get() + block.used == static_cast<char *>(memory) + bytes)
    block.used -= bytes;
  if (--taken > 0)
    return;
  block.used = 0;
  if (blocks.size() == 1)
    return;
  for (const Block &one : blocks)
    wanted += one.bytes;
  blocks.clear();
}

void Scratch::abandon() {
  for (Block &block : blocks)
    (void)block.memory.release();
  blocks.clear();
}

} // namespace tutti::runtime
