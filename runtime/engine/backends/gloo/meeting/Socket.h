// TCP connections between ranks before and beside Gloo.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_SOCKET_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_SOCKET_H

#include "runtime/support/Error.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <sys/socket.h>

namespace tutti::runtime::gloo_backend {

/// Where a rank can be reached. Plain data: it travels as bytes.
struct SocketAddress {
  sockaddr_storage storage = {};
  uint32_t bytes = 0;

  /// "127.0.0.1 4711" and back.
  std::string text() const;
  static Result<SocketAddress> parse(const std::string &host, const std::string &port);
  /// Of a name or number; asks the resolver.
  static Result<SocketAddress> resolve(const std::string &host, const std::string &port);
};

/// Small messages leave at once, and a machine that is gone without a word is noticed in half a
/// minute.
void tune(int descriptor);

/// Owns a descriptor, which does not block.
class Socket {
public:
  Socket() = default;
  explicit Socket(int descriptor) : number(descriptor) {}
  Socket(Socket &&other) noexcept;
  Socket &operator=(Socket &&other) noexcept;
  ~Socket();

  /// At a free port of the address.
  static Result<Socket> listen(SocketAddress address);
  /// At the port of the address; at all addresses of this machine if that is none of its own.
  static Result<Socket> listen_at(const SocketAddress &address);
  /// Fails at once if nobody listens there.
  static Result<Socket> connect(const SocketAddress &address, std::chrono::milliseconds limit);

  bool is_open() const { return number >= 0; }
  int descriptor() const { return number; }
  int release();
  SocketAddress own_address() const;

  /// All bytes, or why not.
  Error send(const void *memory, size_t bytes, std::chrono::milliseconds limit) const;
  /// All bytes, or why not: TUTTI_RANK_DIED if the other side has closed, TUTTI_STALLED if it sends
  /// nothing.
  Error receive(void *memory, size_t bytes, std::chrono::milliseconds limit) const;
  /// Whether something can be received, or the other side has closed.
  bool is_readable() const;

private:
  int number = -1;
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_SOCKET_H
