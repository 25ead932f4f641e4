// The backend of ranks that reach each other over TCP: the table that the runtime calls. Connection
// text, with the defaults of what has one:
//   store=file:FOLDER;prefix=run;interface=NAME
// or store=tcp:HOST:PORT;token=FILE, where HOST is the machine of rank 0 and FILE has the secret of
// the run; or store=pmi or store=pmix, by which the launcher lets its ranks meet; or address=HOST
// in place of interface; without both, an address that other machines reach. Ranks of one run agree
// on store and prefix, and no other run uses them at the same time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Collectives.h"
#include "runtime/engine/backends/plugin/BackendEntries.h"
#include "runtime/support/system/ScratchFolder.h"

#include <cstdio>

namespace tutti::runtime::gloo_backend {
namespace {

using Entries = plugin::BackendEntries<World, Communicator>;

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
    return plugin::answer(context, settings.error());
  std::unique_ptr<World> world;
  Error error = World::open(context, std::move(*settings), rank, size, world);
  if (!error)
    *out_state = world.release();
  return plugin::answer(context, error);
}

void gloo_decline(const char *connection, const tutti_limits *limits, int32_t rank, int32_t size,
                  const char *message) {
  if (Result<Connection> settings = Connection::parse(connection, *limits))
    World::decline(std::move(*settings), rank, size, message);
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
    Entries::close,
    Entries::join,
    Entries::leave,
    nullptr, // alloc: private memory
    [](void *communicator, tutti_context *context, int64_t plan_entry,
       const tutti_transfer *transfers, int64_t count) {
      return static_cast<Communicator *>(communicator)
          ->exchange(context, plan_entry, std::nullopt, transfers, count);
    },
    {Entries::call<all_reduce>, nullptr /* broadcast */, nullptr /* all_gather */,
     nullptr /* reduce_scatter */, Entries::call<reduce>, nullptr /* gather */,
     nullptr /* scatter */, nullptr /* all_to_all */, nullptr /* all_to_all_v */,
     Entries::call<send>, Entries::call<receive>, nullptr /* barrier */},
    Entries::fail,
    Entries::set_step,
    nullptr, // is_using_memory: buffers are Gloo's no more once a wait has ended
    gloo_decline,
};

} // namespace
} // namespace tutti::runtime::gloo_backend

extern "C" TUTTI_EXPORT const tutti_backend *tutti_backend_plugin(void) {
  return &tutti::runtime::gloo_backend::backend;
}
