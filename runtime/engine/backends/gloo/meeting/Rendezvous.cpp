// The meeting of the ranks at rank 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/Rendezvous.h"

#include "runtime/engine/backends/gloo/meeting/LauncherStore.h"
#include "runtime/engine/backends/gloo/meeting/Waiting.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/random.h>
#include <thread>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds between_looks(20);
constexpr milliseconds to_connect(5000);
constexpr milliseconds to_tell(1000);
constexpr milliseconds to_come_late(500);
constexpr char ready = 'r', gives_up = 'g';
constexpr double seconds_to_answer = 2;
constexpr size_t most_bytes = size_t(1) << 24; // of what rank 0 tells

/// What goes ahead of all that a rank is told.
struct Word {
  int32_t status;
  uint32_t bytes;
};

} // namespace

Rendezvous::~Rendezvous() {
  if (rank == 0)
    end_invitation();
}

std::string MeetingPlace::text() const {
  if (point)
    return point->text();
  return store.empty() ? file : "the store of the launcher (" + store + ")";
}

Error Rendezvous::invite(const Invitation &invitation) {
  if (!place.point && !place.store.empty())
    return pass_through_store(invitation.word()).error();
  if (!place.point)
    return invitation.write(place.file);
  Result<std::unique_ptr<InvitationPort>> opened = InvitationPort::open(*place.point, invitation);
  if (opened)
    port = std::move(*opened);
  return opened.error();
}

void Rendezvous::end_invitation() {
  port.reset();
  if (!place.point && place.store.empty())
    unlink(place.file.c_str());
}

Error Rendezvous::meet(Socket listening) {
  all.resize(size_t(size));
  all[size_t(rank)] = listening.own_address();
  return rank == 0 ? host(std::move(listening)) : join(std::move(listening));
}

/// Of rank 0: from now on the others can come.
Error Rendezvous::begin(Socket listening) {
  Invitation invitation = {{}, all[0]};
  if (getrandom(invitation.secret.data(), invitation.secret.size(), 0) !=
      ssize_t(invitation.secret.size()))
    return Error::make(TUTTI_SYSTEM_ERROR, "no random numbers: ", std::strerror(errno));
  acceptor = std::make_unique<Acceptor>(std::move(listening), invitation.secret);
  joined.resize(size_t(size));
  are_ready.resize(size_t(size));
  return invite(invitation);
}

Error Rendezvous::host(Socket listening) {
  Error error = begin(std::move(listening));
  if (!error)
    error = wait_for_ranks();
  if (error)
    wait_for_late_ranks();
  end_invitation();
  if (!error)
    error = pass_addresses();
  return error ? send_to_all(error, nullptr, 0) : error;
}

/// Down a binomial tree: as long as there are ranks, the list is sent log2(N) times by rank 0,
/// which is connected with those below it, and less often by the others.
Error Rendezvous::pass_addresses() {
  const Word word = {TUTTI_OK, uint32_t(all.size() * sizeof all[0])};
  for (int32_t reach = 1; rank + reach < size; reach *= 2) {
    if (reach <= rank)
      continue;
    int32_t peer = rank + reach;
    Error error = rank == 0 ? Error::success() : greet(peer);
    const Socket &socket = rank == 0 ? joined[size_t(peer)] : below[peer];
    if (!error)
      error = socket.send(&word, sizeof word, to_tell);
    if (!error)
      error = socket.send(all.data(), word.bytes, to_connect);
    if (error)
      return Error::make(TUTTI_RANK_DIED, "rank ", peer, " died while the ranks met");
  }
  return Error::success();
}

/// Connects with a rank below this one.
Error Rendezvous::greet(int32_t peer) {
  Result<Socket> made = Socket::connect(all[size_t(peer)], to_connect);
  if (!made)
    return made.error();
  Hello hello;
  hello.secret = acceptor->secret();
  hello.rank = rank;
  Welcome welcome, expected = Welcome::of(hello.secret);
  Error error = made->send(&hello, sizeof hello, to_connect);
  if (!error)
    error = made->receive(&welcome, sizeof welcome, to_connect);
  if (!error && std::memcmp(&welcome, &expected, sizeof welcome) != 0)
    error = Error::make(TUTTI_RANK_DIED, "somebody else answers");
  below[peer] = std::move(*made);
  return error;
}

/// From the rank above this one in the tree; rank 0 tells why there are none.
Error Rendezvous::receive_addresses(std::vector<char> &content) {
  int32_t step = 1;
  while (2 * step <= rank)
    step *= 2;
  int32_t above = rank - step;
  if (above == 0)
    return receive_from_host(content, "to say where all ranks are");
  Waiting waiting(with_time_to_answer());
  while (!with_host.is_readable()) {
    if (std::optional<Socket> come = acceptor->take(Purpose::meeting, 0, above, between_looks))
      return receive_word(*come, above, content);
    if (Error error = waiting.check([&] {
          return std::pair(text("rank ", rank),
                           text("rank ", above, " to say where all ranks are"));
        }))
      return error;
  }
  Error error = receive_from_host(content, "");
  return error ? error : Error::make(TUTTI_BAD_DATA, "rank 0 says that all ranks have met");
}

std::string Rendezvous::missing_ranks() const {
  std::string names;
  for (int32_t peer = 1; peer < size; ++peer)
    if (is_missing(peer))
      names += text(names.empty() ? "rank " : ", rank ", peer);
  return names;
}

Error Rendezvous::wait_for_ranks() {
  Waiting waiting(limits);
  for (int32_t missing = size - 1; missing > 0;) {
    for (int32_t peer = 1; peer < size; ++peer) {
      if (!is_missing(peer))
        continue;
      std::optional<Socket> come = acceptor->take(Purpose::meeting, 0, peer, milliseconds(0));
      if (!come)
        continue;
      joined[size_t(peer)] = std::move(*come);
      --missing;
      SocketAddress &address = all[size_t(peer)];
      if (Error error = joined[size_t(peer)].receive(&address, sizeof address, to_connect))
        return Error::make(TUTTI_RANK_DIED, "rank ", peer, " died while the ranks met");
      if (address.bytes == 0) // it declines
        return hear(peer, false);
    }
    if (Error error = check_ranks(false))
      return error;
    if (Error error = waiting.check([&] {
          return std::pair(text("rank 0"),
                           text(missing_ranks(), " to come to '", place.text(), "'"));
        }))
      return error;
    usleep(useconds_t(std::chrono::microseconds(between_looks).count() / 4));
  }
  return Error::success();
}

/// Those that have just been started are told why there is no run, too.
void Rendezvous::wait_for_late_ranks() {
  auto end = Clock::now() + to_come_late;
  for (; Clock::now() < end && !missing_ranks().empty(); usleep(1000))
    take_ranks();
}

/// Those that have come and were missing.
void Rendezvous::take_ranks() {
  for (int32_t peer = 1; peer < size; ++peer)
    if (is_missing(peer))
      if (std::optional<Socket> come = acceptor->take(Purpose::meeting, 0, peer, milliseconds(0))) {
        // What is not read when a socket closes, takes what was sent with it. Who says nothing has
        // died.
        (void)come->receive(&all[size_t(peer)], sizeof all[0], to_tell);
        joined[size_t(peer)] = std::move(*come);
      }
}

void Rendezvous::decline(Socket listening, const Error &reason) {
  all.resize(size_t(size));
  if (rank == 0) // the others have no address, so that rank 0 asks for the reason
    all[0] = listening.own_address();
  Error error = rank == 0 ? begin(std::move(listening)) : come(std::move(listening));
  if (error) // then nobody is there who could be told
    return;
  if (rank == 0)
    refuse_ranks(reason);
  else
    give_up(reason);
}

/// Of rank 0, which answers each rank as soon as it comes.
void Rendezvous::refuse_ranks(const Error &reason) {
  std::vector<bool> told(all.size());
  auto end = Clock::now() + std::chrono::duration<double>(limits.stall_error);
  for (; Clock::now() < end && std::count(told.begin() + 1, told.end(), false) > 0;
       std::this_thread::sleep_for(between_looks)) {
    take_ranks();
    for (int32_t peer = 1; peer < size; ++peer)
      if (!is_missing(peer) && !told[size_t(peer)]) {
        (void)send_to(peer, reason, nullptr, 0); // who has left needs no answer
        told[size_t(peer)] = true;
      }
  }
  end_invitation();
}

/// A peer says nothing before it is ready, or gives up; one that closes has died.
Error Rendezvous::check_ranks(bool may_be_ready) {
  for (int32_t peer = 1; peer < size; ++peer) {
    const Socket &socket = joined[size_t(peer)];
    if (!socket.is_open() || are_ready[size_t(peer)] || !socket.is_readable())
      continue;
    if (Error error = hear(peer, may_be_ready))
      return error;
  }
  return Error::success();
}

Error Rendezvous::hear(int32_t peer, bool may_be_ready) {
  const Socket &socket = joined[size_t(peer)];
  char said = 0;
  Word word = {};
  bool heard = !socket.receive(&said, 1, to_tell);
  if (heard && said == ready && may_be_ready) {
    are_ready[size_t(peer)] = true;
    return Error::success();
  }
  if (heard && said == gives_up && !socket.receive(&word, sizeof word, to_tell) &&
      word.status != TUTTI_OK && word.bytes < most_bytes) {
    std::string reason(word.bytes, ' ');
    if (!socket.receive(reason.data(), reason.size(), to_tell))
      return {word.status, reason};
  }
  return Error::make(TUTTI_RANK_DIED, "rank ", peer, " died while the ranks met");
}

void Rendezvous::give_up(const Error &reason) {
  if (rank == 0)
    (void)send_to_all(reason, nullptr, 0);
  if (!with_host.is_open())
    return;
  Word word = {reason.status, uint32_t(reason.message.size())};
  if (!with_host.send(&gives_up, 1, to_tell) && !with_host.send(&word, sizeof word, to_tell))
    (void)with_host.send(reason.message.data(), reason.message.size(), to_tell);
}

/// What rank 0 tells one rank: `bytes` at `memory`, or why there is nothing.
Error Rendezvous::send_to(int32_t peer, const Error &outcome, const void *memory, size_t bytes) {
  if (outcome)
    memory = outcome.message.data(), bytes = outcome.message.size();
  Word word = {outcome.status, uint32_t(bytes)};
  const Socket &socket = joined[size_t(peer)];
  Error error = socket.send(&word, sizeof word, to_tell);
  return error ? error : socket.send(memory, bytes, to_tell);
}

/// The same for all that have come. Returns the outcome, or who died before it heard of it.
Error Rendezvous::send_to_all(const Error &outcome, const void *memory, size_t bytes) {
  Error failed = outcome;
  for (int32_t peer = 1; peer < size; ++peer)
    if (!is_missing(peer) && send_to(peer, outcome, memory, bytes) && !failed)
      failed = Error::make(TUTTI_RANK_DIED, "rank ", peer, " died while the ranks met");
  return failed;
}

/// To rank 0, and says where this rank is.
Error Rendezvous::come(Socket listening) {
  Error error = place.point            ? find_host_at_port(listening)
                : !place.store.empty() ? find_host_in_store(listening)
                                       : find_host(listening);
  if (error)
    return error;
  if (Error error = with_host.send(&all[size_t(rank)], sizeof all[0], to_connect))
    return Error::make(TUTTI_RANK_DIED, "rank 0 died while the ranks met");
  return Error::success();
}

Error Rendezvous::join(Socket listening) {
  if (Error error = come(std::move(listening)))
    return error;
  std::vector<char> content;
  if (Error error = receive_addresses(content))
    return error;
  if (content.size() != all.size() * sizeof all[0])
    return Error::make(TUTTI_PLAN_MISMATCH, "rank 0 has another number of ranks than ", size);
  std::memcpy(all.data(), content.data(), content.size());
  return pass_addresses();
}

/// The limits of a rank that waits: rank 0 is to give up first, and to say for whom it waited.
tutti_limits Rendezvous::with_time_to_answer() const {
  tutti_limits longer = limits;
  longer.stall_error += seconds_to_answer;
  return longer;
}

Error Rendezvous::receive_from_host(std::vector<char> &content, const char *what) {
  Waiting waiting(with_time_to_answer());
  while (!with_host.is_readable()) {
    if (Error error =
            waiting.check([&] { return std::pair(text("rank ", rank), text("rank 0 ", what)); }))
      return error;
    usleep(useconds_t(std::chrono::microseconds(between_looks).count() / 4));
  }
  return receive_word(with_host, 0, content);
}

Error Rendezvous::receive_word(const Socket &socket, int32_t peer, std::vector<char> &content) {
  Word word = {};
  Error error = socket.receive(&word, sizeof word, to_connect);
  if (!error && word.bytes > most_bytes)
    return Error::make(TUTTI_BAD_DATA, "rank ", peer, " tells ", word.bytes, " bytes");
  content.resize(word.bytes);
  if (!error)
    error = socket.receive(content.data(), content.size(), to_connect);
  if (error)
    return Error::make(TUTTI_RANK_DIED, "rank ", peer, " died while the ranks met");
  return {word.status, word.status == TUTTI_OK ? "" : std::string(content.data(), content.size())};
}

Error Rendezvous::check() {
  if (rank == 0) {
    Error error = check_ranks(true);
    return error ? send_to_all(error, nullptr, 0) : error;
  }
  std::vector<char> content;
  return with_host.is_readable() ? receive_from_host(content, "") : Error::success();
}

Error Rendezvous::finish() {
  std::vector<char> content;
  if (rank != 0) {
    if (Error error = with_host.send(&ready, 1, to_tell))
      return receive_from_host(content, ""); // why
    return receive_from_host(content, "to say that all ranks are connected");
  }
  Waiting waiting(limits);
  Error error;
  while (!error && std::count(are_ready.begin() + 1, are_ready.end(), false) > 0) {
    error = check_ranks(true);
    if (!error)
      error = waiting.check([&] {
        size_t first =
            size_t(std::find(are_ready.begin() + 1, are_ready.end(), false) - are_ready.begin());
        return std::pair(text("rank 0"), text("rank ", first, " to connect with other ranks"));
      });
    usleep(useconds_t(std::chrono::microseconds(between_looks).count() / 4));
  }
  Error failed = send_to_all(error, nullptr, 0);
  return error ? failed : error; // a rank that dies from now on is noticed by its neighbours
}

} // namespace tutti::runtime::gloo_backend
