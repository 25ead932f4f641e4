// Loading batches before their step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/NextBatch.h"

#include "runtime/host/data/Array.h"
#include "runtime/support/Stopwatch.h"

#include <algorithm>
#include <utility>

namespace tutti::runtime::worker {

/// Below it a batch is copied in the time that it takes to wake a thread.
static constexpr int64_t least_bytes_beside = 64 << 10;

static int64_t bytes_of(const std::vector<Tensor> &inputs) {
  int64_t bytes = 0;
  for (const Tensor &input : inputs)
    bytes += *data::array_bytes(input.type, input.shape);
  return bytes;
}

/// Hyperparameters, which come after the inputs, stay.
static void exchange(std::vector<void *> &inputs, std::vector<void *> &others) {
  std::swap_ranges(inputs.begin(), inputs.end(), others.begin());
}

NextBatch::NextBatch(tutti_context *context, const Program &program, data::BatchLoader &loader,
                     Buffers &buffers, bool may_load_beside)
    : context(context), program(program), loader(loader), buffers(buffers),
      loads_beside(may_load_beside && bytes_of(program.manifest.inputs) >= least_bytes_beside) {}

void NextBatch::load(int64_t step, int64_t steps) {
  if (prefetched.step == step)
    exchange(prefetched.inputs, buffers.inputs);
  else
    fetch(step, buffers.inputs);
  prefetched.step = -1;
  int64_t next = step + 1;
  if (program.prefetch && next < steps && has_memory(prefetched)) {
    fetch(next, prefetched.inputs);
    prefetched.step = next++;
    program.prefetch(context, nullptr, prefetched.inputs.data(), nullptr, buffers.arena);
  }
  if (loads_beside && next < steps && has_memory(ahead))
    load_beside(next);
}

void NextBatch::fetch(int64_t step, std::vector<void *> &inputs) {
  thread.wait();
  Error error;
  if (std::exchange(ahead.step, -1) == step) {
    exchange(ahead.inputs, inputs);
    error = std::exchange(of_thread, Error::success());
  } else {
    error = loader.load(step, inputs.data());
  }
  if (error)
    tutti_context_fail(context, error.status, error.message.c_str());
}

void NextBatch::load_beside(int64_t step) {
  ahead.step = step;
  thread.start_beside([this] {
    Stopwatch watch;
    of_thread = loader.load(ahead.step, ahead.inputs.data());
    seconds += watch.seconds();
  });
}

double NextBatch::seconds_beside() {
  thread.wait();
  return seconds;
}

bool NextBatch::has_memory(Batch &batch) {
  for (size_t i = batch.inputs.size(); i < program.manifest.inputs.size(); ++i) {
    const Tensor &input = program.manifest.inputs[i];
    void *memory = nullptr;
    tutti_context_alloc(context, *data::array_bytes(input.type, input.shape), &memory);
    batch.inputs.push_back(memory);
  }
  return tutti_context_status(context) == TUTTI_OK;
}

} // namespace tutti::runtime::worker
