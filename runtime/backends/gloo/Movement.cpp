// Collectives of Gloo that move data, and messages. Gloo sees bytes; buffers of a bucket go one
// after another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/gloo/Collectives.h"

#include <cstring>
#include <gloo/allgather.h>
#include <gloo/alltoall.h>
#include <gloo/broadcast.h>

namespace tutti::runtime::gloo_backend {
namespace {

/// Calls algorithm(i, bytes, time limit) for every buffer that is not empty.
template <typename Algorithm>
int32_t run(Communicator &communicator, tutti_context *context, const tutti_call &call,
            Algorithm algorithm) {
  if (communicator.size() == 1)
    return TUTTI_UNSUPPORTED; // there is no mesh
  int64_t width = tutti_type_bytes(call.type);
  return communicator.run(context, call.plan_entry, [&](std::chrono::milliseconds limit) {
    for (int64_t i = 0; i < call.count; ++i)
      if (call.elements[i] > 0)
        algorithm(i, size_t(call.elements[i] * width), limit);
  });
}

/// Gloo does not write to its inputs, but its interface has no const.
uint8_t *input(const void *memory) { return static_cast<uint8_t *>(const_cast<void *>(memory)); }
uint8_t *output(void *memory) { return static_cast<uint8_t *>(memory); }

} // namespace

int32_t broadcast(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  bool is_root = communicator.rank() == call.peer;
  return run(communicator, context, call,
             [&](int64_t i, size_t bytes, std::chrono::milliseconds limit) {
               if (is_root && call.sources[i] != call.destinations[i])
                 std::memcpy(call.destinations[i], call.sources[i], bytes);
               ::gloo::BroadcastOptions options(communicator.context());
               options.setOutput(output(call.destinations[i]), bytes);
               options.setRoot(call.peer);
               options.setTimeout(limit);
               ::gloo::broadcast(options);
             });
}

int32_t all_gather(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  size_t ranks = size_t(communicator.size()), own = size_t(communicator.rank());
  return run(communicator, context, call,
             [&](int64_t i, size_t bytes, std::chrono::milliseconds limit) {
               ::gloo::AllgatherOptions options(communicator.context());
               uint8_t *destination = output(call.destinations[i]);
               if (call.sources[i] != destination + own * bytes)
                 options.setInput(input(call.sources[i]), bytes);
               options.setOutput(destination, ranks * bytes);
               options.setTimeout(limit);
               ::gloo::allgather(options);
             });
}

int32_t all_to_all(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  size_t ranks = size_t(communicator.size());
  return run(communicator, context, call,
             [&](int64_t i, size_t bytes, std::chrono::milliseconds limit) {
               std::vector<uint8_t> copy;
               uint8_t *source = input(call.sources[i]);
               if (source == call.destinations[i]) { // Gloo's reads its input while it writes
                 copy.assign(source, source + ranks * bytes);
                 source = copy.data();
               }
               ::gloo::AlltoallOptions options(communicator.context());
               options.setInput(source, ranks * bytes);
               options.setOutput(output(call.destinations[i]), ranks * bytes);
               options.setTimeout(limit);
               ::gloo::alltoall(options);
             });
}

static int32_t transfer(Communicator &communicator, tutti_context *context, const tutti_call &call,
                        bool is_send) {
  int64_t width = tutti_type_bytes(call.type);
  std::vector<tutti_transfer> transfers;
  for (int64_t i = 0; i < call.count; ++i)
    transfers.push_back({call.peer, is_send,
                         is_send ? const_cast<void *>(call.sources[i]) : call.destinations[i],
                         call.elements[i] * width});
  return communicator.exchange(context, call.plan_entry, call.tag, transfers.data(), call.count);
}

int32_t send(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  return transfer(communicator, context, call, /*is_send=*/true);
}

int32_t receive(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  return transfer(communicator, context, call, /*is_send=*/false);
}

} // namespace tutti::runtime::gloo_backend
