// From the table of a backend, which knows void pointers, to the classes of a plug-in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_BACKENDENTRIES_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_BACKENDENTRIES_H

#include "runtime/support/Error.h"
#include "tutti/backend.h"
#include "tutti/context.h"

#include <memory>

namespace tutti::runtime::plugin {

/// Gives the context the reason of an error; TUTTI_OK if there is none.
inline int32_t answer(tutti_context *context, const Error &error) {
  if (error)
    tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

/// Entries that are alike for all: `state` is a World, which has set_step(step); `communicator` is
/// a Communicator, which `Communicator::join(World &, const tutti_group &, unique_ptr &)` makes.
template <typename World, typename Communicator> struct BackendEntries {
  static void close(void *state) { delete static_cast<World *>(state); }

  static int32_t join(void *state, tutti_context *context, const tutti_group *group,
                      void **out_communicator) {
    std::unique_ptr<Communicator> made;
    Error error = Communicator::join(*static_cast<World *>(state), *group, made);
    if (!error)
      *out_communicator = made.release();
    return answer(context, error);
  }

  static void leave(void *communicator) { delete static_cast<Communicator *>(communicator); }

  template <int32_t (*function)(Communicator &, tutti_context *, const tutti_call &)>
  static int32_t call(void *communicator, tutti_context *context, const tutti_call *call) {
    return function(*static_cast<Communicator *>(communicator), context, *call);
  }

  static void fail(void *state, int32_t status, const char *message) {
    static_cast<World *>(state)->fail(status, message);
  }

  static void set_step(void *state, int64_t step) { static_cast<World *>(state)->set_step(step); }
};

} // namespace tutti::runtime::plugin

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_BACKENDENTRIES_H
