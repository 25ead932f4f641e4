// Connecting members, and moving what a call exchanges between them: whoever calls moves it, and
// sleeps while nothing moves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Communicator.h"

#include <algorithm>

namespace tutti::runtime::gloo_backend {

using std::chrono::milliseconds;

static milliseconds to_milliseconds(double seconds) {
  return milliseconds(std::max<int64_t>(1, int64_t(seconds * 1000)));
}

Communicator::~Communicator() = default;

Communicator::Communicator(World &world, const tutti_group &group)
    : world(world), own_rank(group.rank), members(group.members, group.members + group.size),
      group_identity(plugin::identity(group)), channels(size_t(group.size)) {}

Error Communicator::join(World &world, const tutti_group &group,
                         std::unique_ptr<Communicator> &out_communicator) {
  out_communicator.reset(new Communicator(world, group));
  return Error::success();
}

/// The larger of two members connects, when it first needs the other one. That accepts on a thread
/// of its own, so it need not be in a call.
Result<Socket> Communicator::dial(int32_t peer, Purpose purpose, const plugin::Place &place) {
  Result<Socket> made = world.dial(members[size_t(peer)], purpose, group_identity);
  if (!made)
    return explain(place, members[size_t(peer)], made.error());
  return made;
}

/// Of these larger members those that have connected; waits at most `limit` for the first.
Communicator::Connected Communicator::take(const std::vector<int32_t> &peers, Purpose purpose,
                                           milliseconds limit) {
  std::map<int32_t, int32_t> by_rank;
  std::vector<int32_t> ranks;
  for (int32_t peer : peers) {
    by_rank[members[size_t(peer)]] = peer;
    ranks.push_back(members[size_t(peer)]);
  }
  Connected come;
  for (auto &[rank, socket] : world.acceptor().take_any(purpose, group_identity, ranks, limit))
    come.emplace(by_rank[rank], std::move(socket));
  return come;
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
  return answer(context,
                exchange(place(where(context, plan_entry), plan_entry), tag, transfers, count));
}

/// How many of the messages are taken: empty transfers are none.
size_t Communicator::prepare(const tutti_transfer *transfers, int64_t count,
                             std::optional<int64_t> tag) {
  size_t taken = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (transfers[i].bytes <= 0)
      continue;
    if (taken == messages.size())
      messages.push_back(std::make_unique<Message>());
    messages[taken++]->prepare(transfers[i], tag);
  }
  return taken;
}

Error Communicator::exchange(const plugin::Place &place, std::optional<int64_t> tag,
                             const tutti_transfer *transfers, int64_t count) {
  size_t taken = prepare(transfers, count, tag);
  auto pending = [this, taken] {
    std::vector<int32_t> peers;
    for (size_t i = 0; i < taken; ++i)
      if (!messages[i]->is_done)
        peers.push_back(members[size_t(messages[i]->transfer->peer)]);
    return peers;
  };
  Watchdog::Guard guard(world.watchdog(), place, pending);
  Error error = move(taken, place, guard);
  for (size_t i = 0; error && i < channels.size(); ++i)
    if (channels[i]) // the memory of the messages is no longer ours
      channels[i]->abandon();
  return error;
}

/// Messages begin as their members connect, whichever does first: any may need what another is sent
/// before it comes.
Error Communicator::move(size_t taken, const plugin::Place &place, Watchdog::Guard &guard) {
  for (size_t i = 0; i < taken; ++i) {
    int32_t peer = messages[i]->transfer->peer;
    if (peer >= own_rank || channels[size_t(peer)])
      continue;
    Result<Socket> made = dial(peer, Purpose::pair, place);
    if (!made)
      return made.error();
    channels[size_t(peer)] = std::make_unique<Channel>(std::move(*made));
  }
  active.clear();
  for (begin_known(taken);;) {
    if (Error error = advance(place, guard))
      return error;
    if (active.empty() && absent.empty())
      return Error::success();
    wait();
    if (!absent.empty())
      begin_known(taken);
    if (int32_t status = guard.status())
      return {status, guard.message()};
  }
}

/// Begins the messages with connected members.
void Communicator::begin_known(size_t taken) {
  absent.clear();
  for (size_t i = 0; i < taken; ++i) {
    Message &message = *messages[i];
    if (message.is_begun)
      continue;
    int32_t peer = message.transfer->peer;
    Channel *channel = channels[size_t(peer)].get();
    if (!channel) {
      absent.push_back(peer);
      continue;
    }
    if (channel->is_idle())
      active.push_back(peer);
    channel->begin(message);
  }
}

/// Moves what can be moved.
Error Communicator::advance(const plugin::Place &place, Watchdog::Guard &guard) {
  for (size_t i = 0; i < active.size();) {
    int32_t peer = active[i];
    if (Error error = channels[size_t(peer)]->advance()) {
      if (int32_t status = guard.check_again()) // did a peer say why?
        return {status, guard.message()};
      return Error::make(TUTTI_RANK_DIED, place.describe(), ": rank ", members[size_t(peer)],
                         " died, or closed its connection: ", error.message);
    }
    if (channels[size_t(peer)]->is_idle())
      active.erase(active.begin() + std::ptrdiff_t(i));
    else
      ++i;
  }
  return Error::success();
}

/// Sleeps until something can be moved or a member connects, or a moment long.
void Communicator::wait() {
  constexpr int moment = 100; // in milliseconds; then the reasons to give up are looked at
  constexpr int beside_absent = 2;
  watched.clear();
  for (int32_t peer : active)
    watched.push_back({channels[size_t(peer)]->descriptor(), channels[size_t(peer)]->events(), 0});
  if (!watched.empty())
    poll(watched.data(), watched.size(), absent.empty() ? moment : beside_absent);
  if (absent.empty())
    return;
  milliseconds limit(watched.empty() ? moment : 0);
  for (auto &[peer, socket] : take(absent, Purpose::pair, limit))
    channels[size_t(peer)] = std::make_unique<Channel>(std::move(socket));
}

/// Gloo's own algorithms go by ways of their own, over connections of their own.
Error Communicator::connect_all(const plugin::Place &place, Watchdog::Guard &guard) {
  constexpr milliseconds between_looks(20);
  if (!mesh)
    mesh = std::make_shared<Mesh>(world.device(), own_rank, size(),
                                  to_milliseconds(world.connection().limits.stall_error));
  for (int32_t peer = 0; peer < own_rank; ++peer) {
    if (mesh->has(peer))
      continue;
    Result<Socket> made = dial(peer, Purpose::native, place);
    if (!made)
      return made.error();
    mesh->adopt(peer, std::move(*made));
  }
  for (int32_t peer = own_rank + 1; peer < size(); ++peer)
    for (awaited_member = peer; !mesh->has(peer);) {
      for (auto &[come, socket] : take({peer}, Purpose::native, between_looks))
        mesh->adopt(come, std::move(socket));
      if (int32_t status = mesh->has(peer) ? TUTTI_OK : guard.status())
        return {status, guard.message()};
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
  Watchdog::Guard guard(world.watchdog(), place(describe, plan_entry), those_absent);
  auto begin = std::chrono::steady_clock::now();
  try {
    if (Error error = connect_all(place(describe, plan_entry), guard))
      return answer(context, error);
    guard.when_found([its_mesh = mesh] { its_mesh->end(); });
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
