// The backend of ranks started by an MPI launcher: the table that the runtime calls. Compiled once
// for each MPI library. The connection text is empty: MPI knows its ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/mpi/Collectives.h"
#include "runtime/engine/backends/plugin/BackendEntries.h"
#include "runtime/engine/backends/plugin/Settings.h"

#include <new>

namespace tutti::runtime::mpi {
namespace {

using Entries = plugin::BackendEntries<World, Communicator>;

int32_t mpi_open(tutti_context *context, const char *connection, const tutti_limits *limits,
                 int32_t rank, int32_t size, void **out_state) {
  std::unique_ptr<World> world;
  Result<plugin::Settings> settings = plugin::Settings::parse(TUTTI_MPI_NAME, connection, {});
  Error error = settings.error();
  if (!error)
    error = World::open(rank, size, *limits, world);
  if (!error)
    *out_state = world.release();
  return plugin::answer(context, error);
}

constexpr tutti_backend backend = {
    TUTTI_BACKEND_VERSION,
    sizeof(tutti_backend),
    TUTTI_MPI_NAME,
    0, // capabilities: neither shared memory nor reductions in order
    0,
    nullptr, // host: the launcher of MPI brings ranks together
    nullptr,
    mpi_open,
    Entries::close,
    Entries::join,
    Entries::leave,
    nullptr, // alloc: private memory
    [](void *communicator, tutti_context *context, int64_t plan_entry,
       const tutti_transfer *transfers, int64_t count) {
      return static_cast<Communicator *>(communicator)
          ->exchange(context, plan_entry, transfers, count);
    },
    {Entries::call<all_reduce>, Entries::call<broadcast>, Entries::call<all_gather>,
     Entries::call<reduce_scatter>, Entries::call<reduce>, Entries::call<gather>,
     Entries::call<scatter>, Entries::call<all_to_all>, nullptr /* all_to_all_v */,
     Entries::call<send>, Entries::call<receive>, Entries::call<barrier>},
    Entries::fail,
    Entries::set_step,
    [](void *) { return int32_t(Operations::count_abandoned() > 0); },
    nullptr, // decline: mpirun ends all ranks with the first
};

} // namespace
} // namespace tutti::runtime::mpi

extern "C" TUTTI_EXPORT const tutti_backend *tutti_backend_plugin(void) {
  return &tutti::runtime::mpi::backend;
}
