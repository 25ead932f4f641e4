// Connections that other ranks make with this one. Only one that shows the secret of the run is
// accepted; any other connection is closed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_ACCEPTOR_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_ACCEPTOR_H

#include "runtime/engine/backends/gloo/meeting/Socket.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

namespace tutti::runtime::gloo_backend {

using Secret = std::array<uint8_t, 32>;

/// What a connection is for.
enum class Purpose : int32_t {
  meeting = 1, ///< with rank 0, while the ranks find each other
  notes = 2,   ///< between neighbours that pass notes on
  pair = 3,    ///< messages between two members of a group
  native = 4,  ///< of Gloo's algorithms, between two members of a group
};

/// The first bytes on a connection. Plain data.
struct Hello {
  char magic[8] = {'t', 'u', 't', 't', 'i', 'g', '3', '\n'};
  Secret secret = {};
  Purpose purpose = Purpose::meeting;
  int32_t rank = 0;  ///< of the world, that connects
  int64_t group = 0; ///< of members of one: its identity
};

/// What the accepting side answers to a meeting: nobody else knows the secret.
struct Welcome {
  char magic[8] = {'t', 'u', 't', 't', 'i', 'w', '1', '\n'};
  Secret mirrored = {}; ///< the secret's bytes from the last to the first, inverted

  static Welcome of(const Secret &secret);
};

/// Accepts on a thread of its own. Functions may be called from several threads.
class Acceptor {
public:
  Acceptor(Socket listening, const Secret &secret);
  Acceptor(const Acceptor &) = delete;
  ~Acceptor();

  SocketAddress address() const { return listening.own_address(); }
  const Secret &secret() const { return key; }
  /// The connection that `rank` has made, if it comes within `limit`.
  std::optional<Socket> take(Purpose purpose, int64_t group, int32_t rank,
                             std::chrono::milliseconds limit);
  /// Of `ranks` those that have made a connection, each with its first one; waits at most `limit`
  /// for the first of them.
  std::map<int32_t, Socket> take_any(Purpose purpose, int64_t group,
                                     const std::vector<int32_t> &ranks,
                                     std::chrono::milliseconds limit);

private:
  using Key = std::tuple<int32_t, int64_t, int32_t>; ///< purpose, group, rank
  /// A connection that has not identified itself yet.
  struct Pending {
    Socket socket;
    std::chrono::steady_clock::time_point end;
    Hello hello;
    size_t received = 0;
  };
  void run();
  std::optional<Socket> take_known(const Key &key);
  void accept();
  bool read_hello(Pending &pending_one);
  void keep(Pending &pending_one);
  bool is_of_this_run(const Hello &hello) const;

  Socket listening;
  Secret key;
  int ending;
  std::list<Pending> pending; ///< of the thread alone

  std::mutex mutex; ///< of what follows
  std::condition_variable arrived;
  std::map<Key, std::deque<Socket>> known;

  std::thread thread;
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_ACCEPTOR_H
