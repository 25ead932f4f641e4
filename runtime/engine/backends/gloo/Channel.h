// Messages with one other member of a group, over a connection.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_CHANNEL_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_CHANNEL_H

#include "runtime/engine/backends/gloo/meeting/Socket.h"
#include "tutti/backend.h"

#include <array>
#include <atomic>
#include <optional>
#include <vector>

namespace tutti::runtime::gloo_backend {

/// A transfer under way. Who owns it uses it again for later calls.
struct Message {
  const tutti_transfer *transfer = nullptr;
  uint64_t slot = 0;
  bool is_begun = false;
  std::atomic<bool> is_done{false}; ///< other threads may ask

  /// `tag`: it matches, in order, with messages of equal tag and size only.
  void prepare(const tutti_transfer &given, std::optional<int64_t> tag);
  char *memory() const { return static_cast<char *>(transfer->memory); }
  size_t bytes() const { return size_t(transfer->bytes); }
};

/// The receiver of a message tells the sender that it is ready, then the bytes go from memory to
/// memory. Nothing here waits, and nothing is allocated once as many messages were under way as
/// there ever are at once. Used from one thread at a time.
class Channel {
public:
  explicit Channel(Socket socket) : socket(std::move(socket)) {}

  /// `message` and its memory stay until it is done, or advance() has failed.
  void begin(Message &message);
  /// Moves what can be moved at once. Fails if the other side has closed the connection or does not
  /// keep to the protocol; no message of this channel is touched any more then.
  Error advance();
  bool is_idle() const { return sends.empty() && receives.empty(); }
  int descriptor() const { return socket.descriptor(); }
  /// What to wait for before advance() can do more: POLLIN, POLLOUT.
  short events() const;
  /// Forgets messages that are under way. Nothing can be exchanged afterwards.
  void abandon();

private:
  /// What goes before each message, and what tells that a receiver is ready. Plain data.
  struct Frame {
    uint64_t slot = 0;
    uint64_t kind = 0;
  };
  /// A message that moves, and how much of it has.
  struct Moving {
    Message *message = nullptr;
    size_t moved = 0; ///< of a message that is sent, with its frame
  };

  Error write(bool &moved);
  Error read(bool &moved);
  Error take_staged();
  Error take_frame(const Frame &frame);
  void choose_next();
  void count_written(size_t bytes, bool has_notices);
  void finish(std::vector<Message *> &list, Moving &moving);
  size_t staged() const { return staged_end - staged_begin; }

  Socket socket;
  bool is_abandoned = false;
  std::vector<Message *> sends, receives; ///< not done yet, in the order of the call
  std::vector<uint64_t> ready; ///< slots that the other side has told and nobody has used
  std::vector<Frame> notices;  ///< that are to be written
  size_t notice_bytes = 0;     ///< of them written already
  Moving sent, received;
  Frame sent_frame;
  size_t staged_begin = 0, staged_end = 0;
  std::array<char, 8192> stage; ///< what was read and has not been looked at
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_CHANNEL_H
