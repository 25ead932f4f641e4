// The hub where threads leave messages for each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/ThreadBackend.h"

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

/// Members (positions in the world), occurrence, sender, receiver, tag.
struct Lane {
  std::vector<int32_t> members;
  int64_t occurrence;
  int32_t from, to;
  int64_t tag;
  bool operator<(const Lane &other) const {
    return std::tie(members, occurrence, from, to, tag) <
           std::tie(other.members, other.occurrence, other.from, other.to, other.tag);
  }
};

struct Hub {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<Lane, std::deque<std::vector<char>>> messages;
  bool has_failed = false;
  std::string address; ///< of this object, as text

  /// Calls put(add), where add(lane, memory, bytes) leaves a message. All of them arrive at once:
  /// whoever has got one from a rank may fail, and the others still get theirs.
  template <typename Put> void send(Put put) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      put([&](const Lane &lane, const void *memory, int64_t bytes) {
        const char *begin = static_cast<const char *>(memory);
        messages[lane].emplace_back(begin, begin + bytes);
      });
    }
    arrived.notify_all();
  }

  bool receive(const Lane &lane, void *memory, int64_t bytes) {
    std::unique_lock<std::mutex> lock(mutex);
    auto &waiting = messages[lane];
    arrived.wait(lock, [&] { return !waiting.empty() || has_failed; });
    if (waiting.empty() || int64_t(waiting.front().size()) != bytes)
      return false;
    if (bytes > 0)
      std::memcpy(memory, waiting.front().data(), size_t(bytes));
    waiting.pop_front();
    return true;
  }
};

struct Team {
  Hub *hub;
  std::vector<int32_t> members;
  int64_t occurrence;
  int32_t rank;

  Lane to(int32_t peer, int64_t tag) const { return {members, occurrence, rank, peer, tag}; }
  Lane from(int32_t peer, int64_t tag) const { return {members, occurrence, peer, rank, tag}; }
};

constexpr int64_t untagged = -1;

int32_t host(int32_t, int64_t, void **out_place, const char **out_connection, char *, int64_t) {
  auto *hub = new Hub;
  hub->address = std::to_string(reinterpret_cast<uintptr_t>(hub));
  *out_place = hub;
  *out_connection = hub->address.c_str();
  return TUTTI_OK;
}

int32_t open(tutti_context *, const char *connection, const tutti_limits *, int32_t, int32_t,
             void **out_state) {
  *out_state = reinterpret_cast<void *>(std::strtoull(connection, nullptr, 10));
  return TUTTI_OK;
}

int32_t join(void *state, tutti_context *, const tutti_group *group, void **out_communicator) {
  *out_communicator = new Team{static_cast<Hub *>(state),
                               std::vector<int32_t>(group->members, group->members + group->size),
                               group->occurrence, group->rank};
  return TUTTI_OK;
}

int32_t stopped(tutti_context *context) {
  tutti_context_fail(context, TUTTI_PEER_FAILED, "another thread failed, or sent another size");
  return TUTTI_PEER_FAILED;
}

int32_t exchange(void *communicator, tutti_context *context, int64_t,
                 const tutti_transfer *transfers, int64_t count) {
  auto &team = *static_cast<Team *>(communicator);
  team.hub->send([&](auto add) {
    for (int64_t i = 0; i < count; ++i)
      if (transfers[i].is_send)
        add(team.to(transfers[i].peer, untagged), transfers[i].memory, transfers[i].bytes);
  });
  for (int64_t i = 0; i < count; ++i)
    if (!transfers[i].is_send && !team.hub->receive(team.from(transfers[i].peer, untagged),
                                                    transfers[i].memory, transfers[i].bytes))
      return stopped(context);
  return TUTTI_OK;
}

int32_t send(void *communicator, tutti_context *, const tutti_call *call) {
  auto &team = *static_cast<Team *>(communicator);
  team.hub->send([&](auto add) {
    for (int64_t i = 0; i < call->count; ++i)
      add(team.to(call->peer, call->tag), call->sources[i],
          call->elements[i] * tutti_type_bytes(call->type));
  });
  return TUTTI_OK;
}

int32_t receive(void *communicator, tutti_context *context, const tutti_call *call) {
  auto &team = *static_cast<Team *>(communicator);
  for (int64_t i = 0; i < call->count; ++i)
    if (!team.hub->receive(team.from(call->peer, call->tag), call->destinations[i],
                           call->elements[i] * tutti_type_bytes(call->type)))
      return stopped(context);
  return TUTTI_OK;
}

void fail(void *state, int32_t, const char *) {
  auto *hub = static_cast<Hub *>(state);
  {
    std::lock_guard<std::mutex> lock(hub->mutex);
    hub->has_failed = true;
  }
  hub->arrived.notify_all();
}

tutti_backend make_backend() {
  tutti_backend backend = {};
  backend.version = TUTTI_BACKEND_VERSION;
  backend.struct_bytes = sizeof backend;
  backend.name = "threads";
  backend.host = host;
  backend.unhost = [](void *place) { delete static_cast<Hub *>(place); };
  backend.open = open;
  backend.close = [](void *) {};
  backend.join = join;
  backend.leave = [](void *communicator) { delete static_cast<Team *>(communicator); };
  backend.exchange = exchange;
  backend.calls[TUTTI_SEND] = send;
  backend.calls[TUTTI_RECV] = receive;
  backend.fail = fail;
  return backend;
}

} // namespace

const tutti_backend *thread_backend() {
  static const tutti_backend backend = make_backend();
  return &backend;
}
