// The backend of ranks on one machine: the table that the runtime calls, and what its connection
// text means:
//   descriptor=7;stall_warning=10;stall_error=300;threads=1
// The descriptor is the shared segment, inherited from the launcher (path=/proc/PID/fd/7 names that
// of another process); the rest has the defaults shown. `threads` is what each rank computes with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Membership.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <string>
#include <unistd.h>

namespace tutti::runtime::shm {
namespace {

struct Connection {
  int descriptor = -1;
  std::string path; ///< instead of the descriptor: where another process shows its own
  StallLimits limits;
  int64_t threads = 1;
};

/// Takes "key=value" into `connection`; false if it is no such thing.
bool take(std::string_view item, Connection &connection) {
  size_t equals = item.find('=');
  if (equals == std::string_view::npos)
    return false;
  std::string_view key = item.substr(0, equals);
  std::string value(item.substr(equals + 1));
  if (key == "path") {
    connection.path = value;
    return true;
  }
  char *end = nullptr;
  double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != 0 || !(number >= 0 && number < 1e9))
    return false;
  if (key == "descriptor")
    connection.descriptor = int(number);
  else if (key == "stall_warning")
    connection.limits.warning = number;
  else if (key == "stall_error")
    connection.limits.error = number;
  else if (key == "threads")
    connection.threads = int64_t(number);
  else
    return false;
  return true;
}

Result<Connection> parse(std::string_view text) {
  Connection connection;
  while (!text.empty()) {
    size_t end = text.find(';');
    if (!take(text.substr(0, end), connection))
      return Error::make(TUTTI_INVALID_ARGUMENT, "'", text.substr(0, end), "' is not a setting of ",
                         "backend 'shm' (descriptor, path, stall_warning, stall_error, threads)");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (connection.descriptor < 0 && connection.path.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT,
                       "backend 'shm' needs descriptor=NUMBER or path=FILE");
  return connection;
}

int32_t refuse(tutti_context *context, const Error &error) {
  tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

int32_t shm_open(tutti_context *context, const char *connection, int32_t rank, int32_t size,
                 void **out_state) {
  Result<Connection> settings = parse(connection);
  if (!settings)
    return refuse(context, settings.error());
  // A descriptor of our own: the caller keeps his.
  int descriptor = settings->path.empty() ? dup(settings->descriptor)
                                          : ::open(settings->path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return refuse(context, Error::make(TUTTI_SYSTEM_ERROR, "cannot open the shared memory '",
                                       settings->path, "': ", system_message(errno)));
  Result<Segment> segment = Segment::attach(descriptor);
  if (!segment)
    return refuse(context, segment.error());
  if (segment->ranks() != size)
    return refuse(context, Error::make(TUTTI_INVALID_ARGUMENT, "the shared memory is for ",
                                       segment->ranks(), " ranks, not ", size));
  *out_state = new (std::nothrow)
      Membership(std::move(*segment), rank, settings->limits, settings->threads * size);
  return *out_state ? int32_t(TUTTI_OK) : int32_t(TUTTI_OUT_OF_MEMORY);
}

Membership &member(void *state) { return *static_cast<Membership *>(state); }

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

int32_t shm_join(void *state, tutti_context *context, const tutti_group *group,
                 void **out_communicator) {
  *out_communicator = state;
  if (group->size == member(state).ranks() && group->occurrence == 0)
    return TUTTI_OK;
  return refuse(context, Error::make(TUTTI_UNSUPPORTED, "sub-groups in shared memory"));
}

template <int32_t (*collective)(Membership &, tutti_context *, const tutti_call &)>
int32_t call(void *communicator, tutti_context *context, const tutti_call *call) {
  return collective(member(communicator), context, *call);
}

int32_t shm_barrier(void *communicator, tutti_context *context, const tutti_call *call) {
  return member(communicator).barrier(context, call->plan_entry);
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
    [](void *state) { delete static_cast<Membership *>(state); },
    shm_join,
    [](void *) {},
    [](void *state, tutti_context *context, int64_t bytes, void **out_memory) {
      return member(state).allocate(context, bytes, out_memory);
    },
    [](void *, tutti_context *, int64_t, const tutti_transfer *, int64_t) {
      return int32_t(TUTTI_UNSUPPORTED);
    },
    {call<all_reduce>, call<broadcast>, call<all_gather>, call<reduce_scatter>, nullptr, nullptr,
     nullptr, nullptr, nullptr, nullptr, nullptr, shm_barrier},
    [](void *state, int32_t status, const char *message) {
      member(state).shared().abort_with_message(member(state).rank(), status, message);
    },
    [](void *state, int64_t step) {
      member(state).shared().slot(member(state).rank()).step.store(step);
    },
};

} // namespace
} // namespace tutti::runtime::shm

const tutti_backend *tutti_backend_shm(void) { return &tutti::runtime::shm::backend; }
