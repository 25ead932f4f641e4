// Connecting members, and messages between them on unbound buffers of Gloo: the receiver tells the
// sender that it is ready, then the bytes go from memory to memory. Waiting threads sleep; Gloo's
// own thread serves the sockets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/gloo/Communicator.h"

#include <algorithm>
#include <gloo/transport/unbound_buffer.h>
#include <limits>
#include <map>
#include <set>

namespace tutti::runtime::gloo_backend {
namespace {

/// The slot of a message: it matches in order with messages of equal slot. The highest byte keeps
/// clear of Gloo's own algorithms (1 to 8). The size is in it because Gloo ends the process when it
/// receives more than it expects; so a wrong size is a message that does not come. 56 bits of hash
/// are enough never to see two tags alike.
uint64_t slot_of(std::optional<int64_t> tag, int64_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t value : {uint64_t(bytes), uint64_t(tag.value_or(0))}) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return uint64_t(tag ? 0x41 : 0x40) << 56 | hash >> 8;
}

using std::chrono::milliseconds;

milliseconds to_milliseconds(double seconds) {
  return milliseconds(std::max<int64_t>(1, int64_t(seconds * 1000)));
}

} // namespace

/// A transfer under way. It stays for later calls: its buffer spans all memory, and where a message
/// begins is said by the offset in it. So no call makes buffers of its own.
struct Communicator::Message {
  explicit Message(::gloo::Context &mesh)
      : buffer(mesh.createUnboundBuffer(nullptr, std::numeric_limits<size_t>::max())) {}

  const std::unique_ptr<::gloo::transport::UnboundBuffer> buffer;
  const tutti_transfer *transfer = nullptr;
  bool is_started = false;
  std::atomic<bool> is_done{false};

  void begin(const tutti_transfer &given) {
    transfer = &given;
    is_started = is_done = false;
  }
  void start(std::optional<int64_t> tag) {
    is_started = true;
    uint64_t slot = slot_of(tag, transfer->bytes);
    auto address = reinterpret_cast<size_t>(transfer->memory);
    if (transfer->is_send)
      buffer->send(transfer->peer, slot, address, size_t(transfer->bytes));
    else
      buffer->recv(transfer->peer, slot, address, size_t(transfer->bytes));
  }
  /// False if it was aborted.
  bool wait(std::chrono::milliseconds limit) {
    bool is_complete = transfer->is_send ? buffer->waitSend(limit) : buffer->waitRecv(limit);
    is_done = is_complete;
    return is_complete;
  }
  void abort() {
    if (transfer->is_send)
      buffer->abortWaitSend();
    else
      buffer->abortWaitRecv();
  }
};

Communicator::~Communicator() = default;

Communicator::Communicator(World &world, const tutti_group &group)
    : world(world), own_rank(group.rank), members(group.members, group.members + group.size),
      group_identity(plugin::identity(group)) {}

Error Communicator::join(World &world, const tutti_group &group,
                         std::unique_ptr<Communicator> &out_communicator) {
  std::unique_ptr<Communicator> made(new Communicator(world, group));
  milliseconds limit = to_milliseconds(world.connection().limits.stall_error);
  try {
    if (group.size > 1)
      made->mesh = std::make_shared<Mesh>(world.device(), made->own_rank, made->size(), limit);
  } catch (const std::exception &error) {
    return Error::make(TUTTI_SYSTEM_ERROR, "rank ", world.rank(), " of ", world.size(),
                       " cannot make the group of ranks ", plugin::listed(made->members), ": ",
                       error.what());
  }
  out_communicator = std::move(made);
  return Error::success();
}

/// The larger of two members connects, when it first needs the other one. That accepts on a thread
/// of its own, so it need not be in a call.
Error Communicator::dial(int32_t peer, const plugin::Place &place) {
  if (peer >= own_rank || mesh->has(peer))
    return Error::success();
  Result<Socket> made = world.dial(members[peer], Purpose::pair, group_identity);
  if (!made)
    return explain(place, members[peer], made.error());
  mesh->adopt(peer, std::move(*made));
  return Error::success();
}

/// Waits until one of these larger members has connected, each once, or `guard` ends the wait.
Error Communicator::await_any(const std::vector<int32_t> &peers, Watchdog::Guard &guard) {
  constexpr milliseconds between_looks(20);
  std::map<int32_t, int32_t> by_rank;
  std::vector<int32_t> ranks;
  for (int32_t peer : peers) {
    by_rank[members[size_t(peer)]] = peer;
    ranks.push_back(members[size_t(peer)]);
  }
  for (;;) {
    auto come = world.acceptor().take_any(Purpose::pair, group_identity, ranks, between_looks);
    for (auto &[rank, socket] : come)
      mesh->adopt(by_rank[rank], std::move(socket));
    if (!come.empty())
      return Error::success();
    if (int32_t status = guard.status())
      return {status, guard.message()};
  }
}

/// Why a peer does not answer: as the others say, if they know more.
Error Communicator::explain(const plugin::Place &place, int32_t peer, const Error &error) {
  constexpr int looks = 50;
  constexpr milliseconds between_looks(20);
  plugin::StallWatch watch(place, world.connection().limits, world);
  for (int look = 0; look < looks; ++look) {
    if (int32_t status = watch.check({peer}))
      return {status, watch.message()};
    std::this_thread::sleep_for(between_looks);
  }
  return Error::make(error.status, "rank ", world.rank(), " of ", world.size(),
                     " cannot reach rank ", peer, ": ", error.message);
}

plugin::Place Communicator::place(std::function<std::string()> describe, int64_t plan_entry) const {
  return {std::move(describe), &members, group_identity, plan_entry, world.step(), world.rank()};
}

static std::function<std::string()> where(tutti_context *context, int64_t plan_entry) {
  return [=] {
    char text[1024];
    tutti_context_where(context, plan_entry, text, sizeof text);
    return std::string(text);
  };
}

static int32_t answer(tutti_context *context, const Error &error) {
  if (error)
    tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

int32_t Communicator::exchange(tutti_context *context, int64_t plan_entry,
                               std::optional<int64_t> tag, const tutti_transfer *transfers,
                               int64_t count) {
  Error error = exchange(place(where(context, plan_entry), plan_entry), tag, transfers, count);
  if (error || has_aborted) // what is still under way must not touch the memory that it was given
    messages.clear();
  has_aborted = false;
  return answer(context, error);
}

/// How many of the messages are taken: empty transfers are none.
size_t Communicator::begin_messages(const tutti_transfer *transfers, int64_t count) {
  size_t taken = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (transfers[i].bytes <= 0)
      continue;
    if (taken == messages.size())
      messages.push_back(std::make_unique<Message>(*mesh));
    messages[taken++]->begin(transfers[i]);
  }
  return taken;
}

/// Starts messages as their members connect, whichever does first: any may need what another is
/// sent before it comes.
Error Communicator::start(size_t taken, std::optional<int64_t> tag, Watchdog::Guard &guard,
                          const Message *&awaited) {
  for (;;) {
    std::vector<int32_t> absent = start_known(taken, tag, awaited);
    if (absent.empty())
      return Error::success();
    if (Error error = await_any(absent, guard))
      return error;
  }
}

/// Starts the messages with connected members; returns the others. Receives start first: a peer
/// sends only after it is told that its receiver is ready, and that notice must not queue after
/// data, or data would go one way first, then the other.
std::vector<int32_t> Communicator::start_known(size_t taken, std::optional<int64_t> tag,
                                               const Message *&awaited) {
  std::set<int32_t> absent;
  for (bool is_send : {false, true})
    for (size_t i = 0; i < taken; ++i) {
      Message &message = *messages[i];
      if (message.is_started || bool(message.transfer->is_send) != is_send)
        continue;
      awaited = &message;
      if (mesh->has(message.transfer->peer))
        message.start(tag);
      else
        absent.insert(message.transfer->peer);
    }
  return {absent.begin(), absent.end()};
}

Error Communicator::exchange(plugin::Place place, std::optional<int64_t> tag,
                             const tutti_transfer *transfers, int64_t count) {
  const Message *awaited = nullptr;
  size_t taken = 0;
  try {
    taken = begin_messages(transfers, count);
  } catch (const std::exception &error) {
    return Error::make(TUTTI_SYSTEM_ERROR, place.describe(), ": ", error.what());
  }
  auto pending = [this, taken] {
    std::vector<int32_t> peers;
    for (size_t i = 0; i < taken; ++i)
      if (!messages[i]->is_done)
        peers.push_back(members[messages[i]->transfer->peer]);
    return peers;
  };
  auto abort = [this, taken] {
    has_aborted = true;
    for (size_t i = 0; i < taken; ++i)
      if (!messages[i]->is_done)
        messages[i]->abort();
  };
  Watchdog::Guard guard(world.watchdog(), place, pending, abort);
  // The watchdog ends the wait; Gloo's own limit is for the case that it cannot.
  std::chrono::milliseconds limit = to_milliseconds(world.connection().limits.stall_error + 5);
  try {
    for (size_t i = 0; i < taken; ++i)
      if (Error error = dial(messages[i]->transfer->peer, place))
        return error;
    if (Error error = start(taken, tag, guard, awaited))
      return error;
    for (size_t i = 0; i < taken; ++i) {
      awaited = messages[i].get();
      if (!messages[i]->wait(limit))
        return {guard.status(), guard.message()};
    }
  } catch (const std::exception &error) {
    if (int32_t status = guard.check_again()) // did a peer say why?
      return {status, guard.message()};
    return Error::make(TUTTI_RANK_DIED, place.describe(), ": rank ",
                       members[awaited->transfer->peer],
                       " died, or closed its connection: ", error.what());
  }
  return Error::success();
}

/// Gloo's own algorithms go by ways of their own.
Error Communicator::connect_all(const plugin::Place &place, Watchdog::Guard &guard) {
  for (int32_t peer = 0; peer < own_rank; ++peer)
    if (Error error = dial(peer, place))
      return error;
  for (int32_t peer = own_rank + 1; peer < size(); ++peer) {
    awaited_member = peer;
    if (Error error = mesh->has(peer) ? Error::success() : await_any({peer}, guard))
      return error;
  }
  awaited_member = -1;
  return Error::success();
}

int32_t Communicator::run(tutti_context *context, int64_t plan_entry,
                          const std::function<void(std::chrono::milliseconds)> &algorithm) {
  auto those_absent = [this] {
    int32_t peer = awaited_member;
    return peer < 0 ? std::vector<int32_t>() : std::vector<int32_t>{members[size_t(peer)]};
  };
  auto describe = where(context, plan_entry);
  double limit = world.connection().limits.stall_error;
  Watchdog::Guard guard(world.watchdog(), place(describe, plan_entry), those_absent, [] {});
  auto begin = std::chrono::steady_clock::now();
  try {
    if (Error error = connect_all(place(describe, plan_entry), guard))
      return answer(context, error);
    algorithm(to_milliseconds(limit));
    return TUTTI_OK;
  } catch (const std::exception &error) {
    std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    if (waited.count() >= limit)
      return answer(context, {TUTTI_STALLED, guard.waited_for()});
    if (int32_t status = guard.check_again())
      return answer(context, {status, guard.message()});
    return answer(context, Error::make(TUTTI_RANK_DIED, describe(),
                                       ": a rank died, or closed its connection: ", error.what()));
  }
}

} // namespace tutti::runtime::gloo_backend
