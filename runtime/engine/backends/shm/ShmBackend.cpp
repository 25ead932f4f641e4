// The backend of ranks on one machine: the table that the runtime calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Collectives.h"
#include "runtime/engine/backends/shm/Connection.h"
#include "runtime/engine/core/Door.h"

#include <cstdio>
#include <new>
#include <unistd.h>

namespace tutti::runtime::shm {
namespace {

int32_t refuse(tutti_context *context, const Error &error) {
  tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

/// The meeting place is a segment that this process keeps open.
struct Place {
  Segment segment;
  std::string connection;
};

int32_t shm_host(int32_t size, int64_t shared_bytes, void **out_place, const char **out_connection,
                 char *out_message, int64_t message_bytes) {
  Result<Segment> segment = Segment::create(size, shared_bytes);
  if (!segment) {
    std::snprintf(out_message, size_t(message_bytes), "%s", segment.error().message.c_str());
    return segment.error().status;
  }
  int descriptor = segment->descriptor();
  auto *place = new (std::nothrow)
      Place{std::move(*segment), text("path=/proc/", getpid(), "/fd/", descriptor)};
  *out_place = place;
  *out_connection = place ? place->connection.c_str() : "";
  return place ? int32_t(TUTTI_OK) : int32_t(TUTTI_OUT_OF_MEMORY);
}

int32_t shm_open(tutti_context *context, const char *connection, const tutti_limits *limits,
                 int32_t rank, int32_t size, void **out_state) {
  Result<Connection> settings = Connection::parse(connection);
  if (!settings)
    return refuse(context, settings.error());
  Result<Segment> segment = settings->attach();
  if (!segment)
    return refuse(context, segment.error());
  if (segment->ranks() != size)
    return refuse(context, Error::make(TUTTI_INVALID_ARGUMENT, "the shared memory is for ",
                                       segment->ranks(), " ranks, not ", size));
  *out_state = new (std::nothrow) World(std::move(*segment), rank, tutti_context_rank(context),
                                        *limits, limits->threads * size, settings->is_staged);
  return *out_state ? int32_t(TUTTI_OK) : int32_t(TUTTI_OUT_OF_MEMORY);
}

World &world(void *state) { return *static_cast<World *>(state); }
Team &team(void *communicator) { return *static_cast<Team *>(communicator); }

int32_t shm_join(void *state, tutti_context *context, const tutti_group *group,
                 void **out_communicator) {
  int64_t number = 0;
  if (int32_t status = world(state).teams().join(context, *group, number))
    return status;
  *out_communicator = new (std::nothrow) Team(world(state), number, *group);
  return *out_communicator ? int32_t(TUTTI_OK) : int32_t(TUTTI_OUT_OF_MEMORY);
}

template <int32_t (*function)(Team &, tutti_context *, const tutti_call &)>
int32_t call(void *communicator, tutti_context *context, const tutti_call *call) {
  return function(team(communicator), context, *call);
}

constexpr tutti_backend backend = {
    TUTTI_BACKEND_VERSION,
    sizeof(tutti_backend),
    "shm",
    TUTTI_BACKEND_SHARES_MEMORY | TUTTI_BACKEND_IN_ORDER,
    0,
    shm_host,
    [](void *place) { delete static_cast<Place *>(place); },
    shm_open,
    [](void *state) { delete static_cast<World *>(state); },
    shm_join,
    [](void *communicator) { delete static_cast<Team *>(communicator); },
    [](void *state, tutti_context *context, int64_t bytes, void **out_memory) {
      return world(state).allocate(context, bytes, out_memory);
    },
    [](void *communicator, tutti_context *context, int64_t plan_entry,
       const tutti_transfer *transfers, int64_t count) {
      return exchange(team(communicator), context, plan_entry, transfers, count);
    },
    {call<all_reduce>, call<broadcast>, call<all_gather>, call<reduce_scatter>, call<reduce>,
     call<gather>, call<scatter>, call<all_to_all>, call<all_to_all_v>, call<send>, call<recv>,
     call<barrier>},
    [](void *state, int32_t status, const char *message) {
      world(state).shared().abort_with_message(world(state).rank(), status, message);
    },
    [](void *state, int64_t step) {
      world(state).shared().slot(world(state).rank()).step.store(step);
    },
    nullptr, // is_using_memory
    nullptr, // decline: a launcher of ours ends all ranks
};

} // namespace
} // namespace tutti::runtime::shm

const tutti_backend *tutti::runtime::door::tutti_backend_shm(void) {
  return &tutti::runtime::shm::backend;
}
