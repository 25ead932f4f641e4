// The backend of ranks that reach each other over TCP: the table that the runtime calls. Connection
// text, with the defaults of what has one:
//   store=file:FOLDER;prefix=run;interface=NAME
// or address=HOST in place of interface; without both, the machine's own name is used. Ranks of one
// run agree on folder and prefix, and no other run uses them at the same time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/gloo/Collectives.h"
#include "runtime/support/ScratchFolder.h"

#include <cstdio>

namespace tutti::runtime::gloo_backend {
namespace {

int32_t answer(tutti_context *context, const Error &error) {
  if (error)
    tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

/// A meeting place of ranks on this machine: a folder of its own, and the loopback device.
struct Place {
  ScratchFolder folder;
  std::string connection;
};

int32_t gloo_host(int32_t size, int64_t shared_bytes, void **out_place, const char **out_connection,
                  char *out_message, int64_t message_bytes) {
  Result<ScratchFolder> folder = ScratchFolder::make();
  if (!folder) {
    std::snprintf(out_message, size_t(message_bytes), "%s", folder.error().message.c_str());
    return folder.error().status;
  }
  std::string connection = "store=file:" + folder->path() + ";interface=lo";
  auto *place = new Place{std::move(*folder), std::move(connection)};
  *out_place = place;
  *out_connection = place->connection.c_str();
  return TUTTI_OK;
}

void gloo_unhost(void *place) { delete static_cast<Place *>(place); }

int32_t gloo_open(tutti_context *context, const char *connection, const tutti_limits *limits,
                  int32_t rank, int32_t size, void **out_state) {
  Result<Connection> settings = Connection::parse(connection, *limits);
  if (!settings)
    return answer(context, settings.error());
  std::unique_ptr<World> world;
  Error error = World::open(context, std::move(*settings), rank, size, world);
  if (!error)
    *out_state = world.release();
  return answer(context, error);
}

int32_t gloo_join(void *state, tutti_context *context, const tutti_group *group,
                  void **out_communicator) {
  std::unique_ptr<Communicator> made;
  Error error = Communicator::join(*static_cast<World *>(state), *group, made);
  if (!error)
    *out_communicator = made.release();
  return answer(context, error);
}

template <int32_t (*function)(Communicator &, tutti_context *, const tutti_call &)>
int32_t call(void *communicator, tutti_context *context, const tutti_call *call) {
  return function(*static_cast<Communicator *>(communicator), context, *call);
}

constexpr tutti_backend backend = {
    TUTTI_BACKEND_VERSION,
    sizeof(tutti_backend),
    "gloo",
    TUTTI_BACKEND_NOTICES_DEATH,
    0,
    gloo_host,
    gloo_unhost,
    gloo_open,
    [](void *state) { delete static_cast<World *>(state); },
    gloo_join,
    [](void *communicator) { delete static_cast<Communicator *>(communicator); },
    nullptr, // alloc: private memory
    [](void *communicator, tutti_context *context, int64_t plan_entry,
       const tutti_transfer *transfers, int64_t count) {
      return static_cast<Communicator *>(communicator)
          ->exchange(context, plan_entry, std::nullopt, transfers, count);
    },
    {call<all_reduce>, call<broadcast>, call<all_gather>, nullptr /* reduce_scatter */,
     call<reduce>, nullptr /* gather */, nullptr /* scatter */, call<all_to_all>,
     nullptr /* all_to_all_v */, call<send>, call<receive>, nullptr /* barrier */},
    [](void *state, int32_t status, const char *message) {
      static_cast<World *>(state)->fail(status, message);
    },
    [](void *state, int64_t step) { static_cast<World *>(state)->set_step(step); },
    nullptr, // is_using_memory: buffers are Gloo's no more once a wait has ended
};

} // namespace
} // namespace tutti::runtime::gloo_backend

extern "C" TUTTI_EXPORT const tutti_backend *tutti_backend_plugin(void) {
  return &tutti::runtime::gloo_backend::backend;
}
