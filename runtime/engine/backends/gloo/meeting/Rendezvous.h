// How the ranks of a run find each other. Rank 0 leaves its address and the secret of the run in a
// file of a folder that all see, or with the launcher, or hands both out at a port; the others
// connect with it, and the addresses of all go down a tree from it. Until every rank has said that
// it is connected, each keeps its connection with rank 0, so that a death on the way is noticed at
// once, and all learn which rank died.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_RENDEZVOUS_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_RENDEZVOUS_H

#include "runtime/engine/backends/gloo/meeting/Acceptor.h"
#include "runtime/engine/backends/gloo/meeting/InvitationPort.h"
#include "tutti/context.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::runtime::gloo_backend {

/// What rank 0 leaves for the others, as text: "tutti rendezvous 1", the secret in hexadecimal,
/// host and port, one a line.
struct Invitation {
  Secret secret;
  SocketAddress address;

  std::string text() const;
  static Result<Invitation> parse(const std::string &text);
  /// The same as one word, for stores whose values are words.
  std::string word() const;
  static Result<Invitation> parse_word(std::string word);
  /// Replaces the file as a whole; only its owner can read it.
  Error write(const std::string &path) const;
};

/// What is in the file of an invitation; empty if there is none, or none to be trusted: then
/// `out_problem` says why. It must be a regular file of this user that nobody else may read or
/// write: who else wrote it would be rank 0. Does not wait.
std::string read_invitation(const std::string &path, std::string &out_problem);

/// Where ranks meet: at `point` if there is one, else by the `store` of the launcher if it has a
/// kind (LauncherStore), else in `file`.
struct MeetingPlace {
  std::string file;
  std::optional<MeetingPoint> point;
  std::string store;

  std::string text() const;
};

class Rendezvous {
public:
  Rendezvous(MeetingPlace place, int32_t rank, int32_t size, const tutti_limits &limits)
      : place(std::move(place)), rank(rank), size(size), limits(limits) {}
  /// Removes the file if it is this rank's.
  ~Rendezvous();

  /// Blocks until all ranks have come; `listening` becomes the acceptor of this rank.
  Error meet(Socket listening);
  /// Says that this rank has made its connections, and blocks until all have.
  Error finish();
  /// Tells the others, through rank 0, why this rank leaves before the end.
  void give_up(const Error &reason);
  /// In place of `meet`, on a rank that will not come: tells that to the others. Rank 0 answers
  /// each of them, the others tell rank 0, which tells all. Gives up when the limit ends.
  void decline(Socket listening, const Error &reason);
  /// Whether the meeting still goes on; otherwise why not: to be asked while waiting for a peer.
  Error check();

  std::unique_ptr<Acceptor> take_acceptor() { return std::move(acceptor); }
  const std::vector<SocketAddress> &addresses() const { return all; }

private:
  Error host(Socket listening);
  Error join(Socket listening);
  Error begin(Socket listening);
  Error come(Socket listening);
  Error wait_for_ranks();
  Error find_host(Socket &listening);
  Error accept_invitation(const Invitation &invitation);
  Error send_to_all(const Error &outcome, const void *memory, size_t bytes);
  Error send_to(int32_t peer, const Error &outcome, const void *memory, size_t bytes);
  void take_ranks();
  void refuse_ranks(const Error &reason);
  Error receive_from_host(std::vector<char> &content, const char *what);
  Error receive_word(const Socket &socket, int32_t peer, std::vector<char> &content);
  Error pass_addresses();
  Error greet(int32_t peer);
  Error receive_addresses(std::vector<char> &content);
  tutti_limits with_time_to_answer() const;
  Error check_ranks(bool may_be_ready);
  Error hear(int32_t peer, bool may_be_ready);
  void wait_for_late_ranks();
  bool is_missing(int32_t peer) const { return !joined[size_t(peer)].is_open(); }
  std::string missing_ranks() const;

  Error invite(const Invitation &invitation);
  void end_invitation();
  Error find_host_at_port(Socket &listening);
  Error find_host_in_store(Socket &listening);
  Result<std::string> pass_through_store(const std::string &word);

  MeetingPlace place;
  int32_t rank, size;
  tutti_limits limits;
  std::unique_ptr<InvitationPort> port; ///< on rank 0
  std::unique_ptr<Acceptor> acceptor;
  std::vector<SocketAddress> all;
  std::vector<Socket> joined;      ///< on rank 0, by rank
  std::vector<bool> are_ready;     ///< on rank 0, by rank
  Socket with_host;                ///< on the others
  std::map<int32_t, Socket> below; ///< by rank: those to whom this one passed the addresses
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_RENDEZVOUS_H
