// The backend of ranks on one machine: the table that the runtime calls, and what its connection
// text means:
//   descriptor=7;stall_warning=10;stall_error=300;threads=1
// The descriptor is the shared segment, inherited from the launcher; the rest has the defaults
// shown. `threads` is what each rank computes with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Membership.h"

#include <cstdlib>
#include <new>
#include <string>
#include <unistd.h>

namespace tutti::runtime::shm {
namespace {

struct Connection {
  int descriptor = -1;
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
                         "backend 'shm' (descriptor, stall_warning, stall_error, threads)");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (connection.descriptor < 0)
    return Error::make(TUTTI_INVALID_ARGUMENT, "backend 'shm' needs descriptor=NUMBER");
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
  Result<Segment> segment = Segment::attach(dup(settings->descriptor));
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

constexpr tutti_backend backend = {
    TUTTI_BACKEND_VERSION,
    sizeof(tutti_backend),
    "shm",
    TUTTI_BACKEND_SHARES_MEMORY,
    0,
    shm_open,
    [](void *state) { delete static_cast<Membership *>(state); },
    [](void *state, tutti_context *context, int64_t bytes, void **out_memory) {
      return member(state).allocate(context, bytes, out_memory);
    },
    [](void *state, tutti_context *context, const tutti_call *call) {
      return all_gather(member(state), context, *call);
    },
    [](void *state, tutti_context *context, const tutti_call *call) {
      return all_reduce(member(state), context, *call);
    },
    [](void *state, tutti_context *context, const tutti_call *call) {
      return broadcast(member(state), context, *call);
    },
    [](void *state, tutti_context *context, const tutti_call *call) {
      return reduce_scatter(member(state), context, *call);
    },
    [](void *state, tutti_context *context, int64_t plan_entry) {
      return member(state).barrier(context, plan_entry);
    },
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
