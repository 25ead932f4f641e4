// The backend of a world of one rank: every collective is a copy. The smallest backend there can
// be, and the one to copy for a new one: fill the table, leave what you do not have null, and pass
// the conformance suite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"

#include <cstring>

namespace {

int32_t self_open(tutti_context *context, const char *connection, const tutti_limits *limits,
                  int32_t rank, int32_t size, void **out_state) {
  static char nothing_to_keep;
  *out_state = &nothing_to_keep;
  if (size == 1)
    return TUTTI_OK;
  tutti_context_fail(context, TUTTI_INVALID_ARGUMENT,
                     "backend 'self' is for one rank; use 'shm' for more");
  return TUTTI_INVALID_ARGUMENT;
}

void self_close(void *state) {}

int32_t self_join(void *state, tutti_context *context, const tutti_group *group,
                  void **out_communicator) {
  *out_communicator = state; // there is one group, of one rank
  return TUTTI_OK;
}

void self_leave(void *communicator) {}

/// With one rank the reduction of a buffer, its gathering and its part are the buffer itself.
int32_t self_copy(void *communicator, tutti_context *context, const tutti_call *call) {
  int64_t element_bytes = tutti_type_bytes(call->type);
  for (int64_t i = 0; i < call->count; ++i)
    if (call->elements[i] > 0 && call->sources[i] != call->destinations[i])
      std::memcpy(call->destinations[i], call->sources[i], call->elements[i] * element_bytes);
  return TUTTI_OK;
}

constexpr tutti_backend backend = {
    TUTTI_BACKEND_VERSION,
    sizeof(tutti_backend),
    "self",
    TUTTI_BACKEND_IN_ORDER,
    0,
    nullptr, // host: nobody to meet
    nullptr, // unhost
    self_open,
    self_close,
    self_join,
    self_leave,
    nullptr, // alloc: private memory
    nullptr, // exchange: there are no peers
    {
        self_copy, self_copy, self_copy, self_copy, self_copy, self_copy, self_copy, self_copy,
        nullptr, // all_to_all_v: the generic one
        nullptr, // send and recv: there are no peers
        nullptr,
        nullptr, // barrier: the generic one
    },
    nullptr, // fail
    nullptr, // set_step
    nullptr, // is_using_memory
    nullptr, // decline: nobody waits
};

} // namespace

const tutti_backend *tutti::runtime::door::tutti_backend_self() { return &backend; }
