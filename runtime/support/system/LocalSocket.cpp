// Sockets in the abstract name space.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/LocalSocket.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime {
namespace {

/// A name that begins with a zero byte is no file.
struct Address {
  explicit Address(const std::string &name) {
    content.sun_family = AF_UNIX;
    size_t letters = std::min(name.size(), sizeof content.sun_path - 1);
    std::memcpy(content.sun_path + 1, name.data(), letters);
    bytes = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + letters);
  }
  const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&content); }

  sockaddr_un content = {};
  socklen_t bytes;
};

} // namespace

LocalSocket::LocalSocket(int type) : file(socket(AF_UNIX, type | SOCK_CLOEXEC, 0)) {}

LocalSocket LocalSocket::adopt(int descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return LocalSocket(Descriptor{descriptor});
}

LocalSocket::LocalSocket(LocalSocket &&other) noexcept : file(std::exchange(other.file, -1)) {}

LocalSocket::~LocalSocket() {
  if (file >= 0)
    close(file);
}

bool LocalSocket::listen(const std::string &name) const {
  Address address(name);
  return bind(file, address.get(), address.bytes) == 0 && ::listen(file, SOMAXCONN) == 0;
}

bool LocalSocket::connect(const std::string &name) const {
  Address address(name);
  return ::connect(file, address.get(), address.bytes) == 0;
}

LocalSocket LocalSocket::accept(double seconds) const {
  pollfd who = {file, POLLIN, 0};
  bool is_there = poll(&who, 1, int(std::max(0.0, seconds) * 1000) + 1) > 0;
  return LocalSocket(Descriptor{is_there ? accept4(file, nullptr, nullptr, SOCK_CLOEXEC) : -1});
}

bool LocalSocket::is_of_own_user() const {
  ucred peer = {};
  socklen_t bytes = sizeof peer;
  return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == getuid();
}

} // namespace tutti::runtime
