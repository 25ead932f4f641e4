// The backend of ranks started by an MPI launcher: the table that the runtime calls. Compiled once
// for each MPI library. The connection text is empty: MPI knows its ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/mpi/Collectives.h"
#include "runtime/backends/plugin/Settings.h"

#include <new>

namespace tutti::runtime::mpi {
namespace {

int32_t answer(tutti_context *context, const Error &error) {
  if (error)
    tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

int32_t mpi_open(tutti_context *context, const char *connection, const tutti_limits *limits,
                 int32_t rank, int32_t size, void **out_state) {
  std::unique_ptr<World> world;
  Result<plugin::Settings> settings = plugin::Settings::parse(TUTTI_MPI_NAME, connection, {});
  Error error = settings.error();
  if (!error)
    error = World::open(rank, size, *limits, world);
  if (!error)
    *out_state = world.release();
  return answer(context, error);
}

int32_t mpi_join(void *state, tutti_context *context, const tutti_group *group,
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
    TUTTI_MPI_NAME,
    0, // capabilities: neither shared memory nor reductions in order
    0,
    nullptr, // host: the launcher of MPI brings ranks together
    nullptr,
    mpi_open,
    [](void *state) { delete static_cast<World *>(state); },
    mpi_join,
    [](void *communicator) { delete static_cast<Communicator *>(communicator); },
    nullptr, // alloc: private memory
    [](void *communicator, tutti_context *context, int64_t plan_entry,
       const tutti_transfer *transfers, int64_t count) {
      return static_cast<Communicator *>(communicator)
          ->exchange(context, plan_entry, transfers, count);
    },
    {call<all_reduce>, call<broadcast>, call<all_gather>, call<reduce_scatter>, call<reduce>,
     call<gather>, call<scatter>, call<all_to_all>, nullptr /* all_to_all_v */, call<send>,
     call<receive>, call<barrier>},
    [](void *state, int32_t status, const char *message) {
      static_cast<World *>(state)->fail(status, message);
    },
    [](void *state, int64_t step) { static_cast<World *>(state)->set_step(step); },
    [](void *) { return int32_t(Operations::count_abandoned() > 0); },
};

} // namespace
} // namespace tutti::runtime::mpi

extern "C" TUTTI_EXPORT const tutti_backend *tutti_backend_plugin(void) {
  return &tutti::runtime::mpi::backend;
}
