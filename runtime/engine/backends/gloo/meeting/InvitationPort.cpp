// Both sides of the exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/InvitationPort.h"

#include "runtime/engine/backends/gloo/meeting/Rendezvous.h"
#include "runtime/support/system/Secret.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

constexpr std::chrono::milliseconds to_connect(5000), to_answer(2000);
constexpr std::string_view magic = "tuttip1\n";
constexpr uint32_t most_letters = 4096; ///< of an invitation

std::string code_of_host(const MeetingPoint &point, std::string_view asked,
                         std::string_view answered) {
  return code_of(point.token, {"rank 0", point.run, point.text(), asked, answered});
}

std::string code_of_rank(const MeetingPoint &point, std::string_view asked,
                         std::string_view answered) {
  return code_of(point.token, {"rank", point.run, point.text(), asked, answered});
}

/// `bytes` that the other side sends; empty if it does not.
std::string receive(const Socket &socket, size_t bytes) {
  std::string content(bytes, 0);
  return socket.receive(content.data(), bytes, to_answer) ? std::string() : content;
}

bool send(const Socket &socket, std::string_view content) {
  return !socket.send(content.data(), content.size(), to_answer);
}

} // namespace

Result<MeetingPoint> MeetingPoint::parse(const std::string &text, const std::string &run,
                                         const std::string &token) {
  size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  if (colon != text.npos && host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  if (colon == text.npos || host.empty() || colon + 1 == text.size())
    return Error::make(TUTTI_INVALID_ARGUMENT, "ranks meet at HOST:PORT, not at '", text, "'");
  Result<std::string> secret = read_token(token);
  if (!secret)
    return secret.error();
  return MeetingPoint{host, text.substr(colon + 1), run, *secret};
}

/// Nothing is sent: the system chooses the way to the point, and so the address.
Result<std::string> MeetingPoint::own_address() const {
  Result<SocketAddress> there = SocketAddress::resolve(host, port);
  if (!there)
    return there.error();
  Socket probe(socket(there->storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  auto *address = reinterpret_cast<const sockaddr *>(&there->storage);
  if (!probe.is_open() || connect(probe.descriptor(), address, there->bytes) != 0)
    return Error::make(TUTTI_SYSTEM_ERROR, "there is no way to '", text(),
                       "': ", std::strerror(errno));
  std::string own = probe.own_address().text();
  return own.substr(0, own.find(' '));
}

Result<std::unique_ptr<InvitationPort>> InvitationPort::open(const MeetingPoint &point,
                                                             const Invitation &invitation) {
  Result<SocketAddress> address = SocketAddress::resolve(point.host, point.port);
  if (!address)
    return address.error();
  Result<Socket> listening = Socket::listen_at(*address);
  if (!listening)
    return Error::make(listening.error().status, "rank 0 cannot wait for the others at '",
                       point.text(), "': ", listening.error().message,
                       "; name an address of the machine of rank 0, and a port that is free there");
  return std::unique_ptr<InvitationPort>(
      new InvitationPort(point, invitation.text(), std::move(*listening)));
}

InvitationPort::InvitationPort(const MeetingPoint &point, std::string invitation, Socket listening)
    : point(point), invitation(std::move(invitation)), listening(std::move(listening)),
      ending(eventfd(0, EFD_CLOEXEC)), thread([this] { run(); }) {}

InvitationPort::~InvitationPort() {
  eventfd_write(ending, 1);
  thread.join();
  close(ending);
}

void InvitationPort::run() {
  pollfd watched[] = {{ending, POLLIN, 0}, {listening.descriptor(), POLLIN, 0}};
  while (poll(watched, 2, -1) >= 0 || errno == EINTR) {
    if (watched[0].revents != 0)
      return;
    int made = accept4(listening.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (made >= 0)
      answer(Socket(made));
    else if (errno == EMFILE || errno == ENFILE)
      usleep(10000); // until descriptors are free again
  }
}

void InvitationPort::answer(const Socket &rank) const {
  std::string asked = receive(rank, magic.size() + nonce_bytes), answered = make_nonce();
  if (asked.compare(0, magic.size(), magic) != 0 || answered.empty())
    return;
  asked.erase(0, magic.size());
  if (!send(rank, answered + code_of_host(point, asked, answered)))
    return;
  if (!are_equal_secrets(receive(rank, code_letters), code_of_rank(point, asked, answered)))
    return;
  uint32_t bytes = uint32_t(invitation.size());
  (void)send(rank, std::string(reinterpret_cast<char *>(&bytes), sizeof bytes) + invitation);
}

Result<std::optional<Invitation>> ask_for_invitation(const MeetingPoint &point) {
  std::optional<Invitation> nobody;
  Result<SocketAddress> address = SocketAddress::resolve(point.host, point.port);
  if (!address)
    return address.error();
  Result<Socket> host = Socket::connect(*address, to_connect);
  std::string asked = make_nonce();
  if (!host || asked.empty() || !send(*host, std::string(magic) + asked))
    return nobody;
  std::string answered = receive(*host, nonce_bytes), code = receive(*host, code_letters);
  if (answered.empty() || code.empty())
    return nobody;
  if (!are_equal_secrets(code, code_of_host(point, asked, answered)))
    return Error::make(TUTTI_INVALID_ARGUMENT, "who answers at '", point.text(),
                       "' has another token, or is rank 0 of another run than '", point.run,
                       "': give all ranks of a run the same token, and runs different ports");
  uint32_t bytes = 0;
  bool is_told = send(*host, code_of_rank(point, asked, answered)) &&
                 !host->receive(&bytes, sizeof bytes, to_answer) && bytes <= most_letters;
  Result<Invitation> told = Invitation::parse(is_told ? receive(*host, bytes) : std::string());
  return told ? Result(std::optional<Invitation>(*told)) : Result(nobody); // it has just ended
}

} // namespace tutti::runtime::gloo_backend
