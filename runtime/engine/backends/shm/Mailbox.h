// Messages between two members of a team: what send, recv and exchange stand on. Small ones are
// eager: they go through a ring in shared memory, whether the receiver is there or not. Large ones
// make a rendezvous: the header goes at once, the rest when the receiver is ready, by copy from the
// sender's shared memory or through the ring. Steps: 1 hand-over, with a rendezvous 2 and more.
// Traffic: 2 copies, from shared memory 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_MAILBOX_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_MAILBOX_H

#include "runtime/engine/backends/shm/Ring.h"
#include "tutti/context.h"

#include <list>
#include <string>
#include <vector>

namespace tutti::runtime::shm {

class Team;

/// What a message says of itself; its content follows, if it is eager.
struct alignas(64) MessageHeader {
  int64_t tag;
  int64_t is_exchange;     ///< messages of an exchange match each other only
  CallSignature signature; ///< of an exchange only the plan entry
  int64_t bytes;
  uint64_t place;  ///< of a rendezvous message: see private_place
  uint64_t number; ///< of a rendezvous message: among those of its channel, from 1; 0: eager
};

/// One message on its way, seen from one end.
struct Transfer {
  enum class State { waiting, moving, finished };
  int64_t peer;
  bool is_send;
  MessageHeader header; ///< of a receive: what is expected, then what came
  MessageBuffers buffers;
  State state = State::waiting;
};

/// The channels of one member, and the unexpected messages. Between
/// two members, messages of one kind and tag keep their order.
class Mailbox {
public:
  explicit Mailbox(Team &team) : team(team) {}

  /// Begins anew, with room for the pieces of a message.
  std::vector<MessageBuffers::Piece> &begin();
  /// One more message of those that run() moves.
  Transfer &add(int64_t peer, bool is_send);
  /// Moves all messages; returns when all are complete.
  int32_t run(tutti_context *context, int64_t plan_entry);

private:
  class Progress;
  /// A message that came before it was asked for: whole, or its header alone.
  struct Unexpected {
    MessageHeader header;
    std::vector<char> content;
  };
  /// What this member remembers of its channels with one peer.
  struct PeerState {
    std::list<Unexpected> unexpected;
    uint64_t rendezvous_messages = 0; ///< sent to the peer
    int64_t pass = 0;                 ///< helps progress() to find the first of each direction
  };

  bool progress(tutti_context *context);
  bool send(Transfer &transfer);
  bool send_header(Transfer &transfer);
  bool receive(tutti_context *context, Transfer &transfer);
  bool take_unexpected(tutti_context *context, Transfer &transfer);
  bool take_next(tutti_context *context, Transfer &transfer);
  void keep(const MessageHeader &header, int64_t content, int64_t peer);
  bool accept(tutti_context *context, Transfer &transfer, const MessageHeader &header);
  void answer_rendezvous(Transfer &transfer);
  std::string problem(tutti_context *context, const Transfer &transfer,
                      const MessageHeader &header) const;
  Ring outgoing(int64_t peer) const;
  Ring incoming(int64_t peer) const;
  PeerState &state(int64_t peer);

  Team &team;
  std::vector<PeerState> peers;
  std::vector<Transfer> transfers;           ///< of the call under way
  std::vector<MessageBuffers::Piece> pieces; ///< of its one message
  std::list<Unexpected> spare;               ///< messages that were taken, for others to come
  int64_t passes = 0;
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_MAILBOX_H
