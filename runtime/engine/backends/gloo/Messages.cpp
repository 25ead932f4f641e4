// send and recv: a call as messages, one for each buffer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Collectives.h"

namespace tutti::runtime::gloo_backend {

static int32_t transfer(Communicator &communicator, tutti_context *context, const tutti_call &call,
                        bool is_send) {
  int64_t width = tutti_type_bytes(call.type);
  std::vector<tutti_transfer> &transfers = communicator.own_transfers();
  transfers.clear();
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
