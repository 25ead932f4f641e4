// Loading batches one step early.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/NextBatch.h"

#include "runtime/data/Array.h"

#include <algorithm>

namespace tutti::runtime::worker {

void NextBatch::load(int64_t step, int64_t steps) {
  if (in_other == step)
    std::swap_ranges(other.begin(), other.end(), buffers.inputs.begin());
  else
    loader.load(step, buffers.inputs.data());
  in_other = -1;
  if (program.prefetch && step + 1 < steps)
    look_ahead(step + 1);
}

void NextBatch::look_ahead(int64_t next) {
  for (size_t i = other.size(); i < program.manifest.inputs.size(); ++i) {
    const Tensor &input = program.manifest.inputs[i];
    void *memory = nullptr;
    tutti_context_alloc(context, *data::array_bytes(input.type, input.shape), &memory);
    other.push_back(memory);
  }
  if (tutti_context_status(context) != TUTTI_OK)
    return;
  loader.load(next, other.data());
  in_other = next;
  program.prefetch(context, nullptr, other.data(), nullptr, buffers.arena);
}

} // namespace tutti::runtime::worker
