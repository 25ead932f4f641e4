// A connection that is made to see whether it can be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/Reachability.h"

#include "runtime/support/Error.h"

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tutti::runtime {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

/// 0, or the number of the error with which a connection to `where` ended within a second.
int try_connection(const addrinfo &where) {
  int socket = ::socket(where.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0)
    return errno;
  int error = ::connect(socket, where.ai_addr, where.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    constexpr int milliseconds = 1000;
    pollfd waited = {socket, POLLOUT, 0};
    socklen_t bytes = sizeof error;
    if (poll(&waited, 1, milliseconds) != 1)
      error = ETIMEDOUT;
    else if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0)
      error = errno;
  }
  close(socket);
  return error;
}

} // namespace

std::string tell_reachability(const std::string &address) {
  size_t colon = address.rfind(':');
  if (address.rfind("unix:", 0) == 0 || colon == address.npos)
    return "";
  std::string host = address.substr(0, colon), port = address.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (int error = getaddrinfo(host.c_str(), port.c_str(), &wanted, &found))
    return text("this machine does not know the host '", host, "' (", gai_strerror(error),
                "): check its name in the cluster");
  Addresses all(found, freeaddrinfo);
  int error = try_connection(*all);
  if (error == 0)
    return text("somebody listens at port ", port, " of '", host,
                "': check that it is this server, and that both or none use TLS");
  if (error == ECONNREFUSED)
    return text("host '", host, "' is there, but nobody listens at port ", port,
                ": check that the server was started, what it says, and its port in the cluster");
  return text("no way to port ", port, " of '", host, "' (", system_message(error),
              "): check its address in the cluster, and that no firewall is between");
}

} // namespace tutti::runtime
