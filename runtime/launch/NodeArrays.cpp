// Passing descriptors of sealed memory through a socket.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/NodeArrays.h"

#include "runtime/support/Stopwatch.h"

#include <algorithm>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

constexpr size_t longest_path = 4096;

/// A message: one array, or that there are no more.
struct Letter {
  int64_t entry; ///< -1: no more
  char file[longest_path];
};

/// A descriptor beside a letter.
union Control {
  cmsghdr aligned;
  char bytes[CMSG_SPACE(sizeof(int))];
};

msghdr message_of(iovec &content, Control &control) {
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  return message;
}

bool send_array(int socket, const data::InflatedArray &array) {
  Letter letter = {array.entry, {}};
  if (array.file.size() >= longest_path)
    return true; // ranks inflate it for themselves
  std::memcpy(letter.file, array.file.data(), array.file.size());
  iovec content = {&letter, sizeof letter};
  Control control = {};
  msghdr message = message_of(content, control);
  cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &array.descriptor, sizeof(int));
  return sendmsg(socket, &message, MSG_NOSIGNAL) == ssize_t(sizeof letter);
}

void send_all(int socket, const std::vector<data::InflatedArray> &arrays) {
  for (const data::InflatedArray &array : arrays)
    if (!send_array(socket, array))
      return;
  Letter last = {-1, {}};
  (void)!send(socket, &last, sizeof last, MSG_NOSIGNAL);
}

/// The descriptor that came with a message; -1: none.
int descriptor_of(const msghdr &message) {
  const cmsghdr *head = CMSG_FIRSTHDR(&message);
  int file = -1;
  if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
      head->cmsg_len == CMSG_LEN(sizeof(int)))
    std::memcpy(&file, CMSG_DATA(head), sizeof file);
  return file;
}

/// The next array. Its entry is -1 after the last, and its descriptor -1 if none came.
data::InflatedArray receive_array(int socket) {
  Letter letter = {0, {}};
  iovec content = {&letter, sizeof letter};
  Control control = {};
  msghdr message = message_of(content, control);
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != ssize_t(sizeof letter))
    return {};
  letter.file[longest_path - 1] = 0;
  return {letter.file, letter.entry, descriptor_of(message)};
}

bool is_readable_within(int socket, double seconds) {
  constexpr double longest = 1e6; // in milliseconds an int holds it; limits may be months
  pollfd what = {socket, POLLIN, 0};
  return poll(&what, 1, int(std::clamp(seconds, 0.0, longest) * 1000)) > 0;
}

/// All of them, or nothing.
data::InflatedArrays::Inherited receive_all(int socket, double seconds) {
  data::InflatedArrays::Inherited inherited;
  for (Stopwatch watch; is_readable_within(socket, seconds - watch.seconds());) {
    data::InflatedArray array = receive_array(socket);
    if (array.entry < 0)
      return inherited;
    Result<SealedMemory> memory = SealedMemory::adopt(array.descriptor);
    if (!memory)
      return {};
    inherited.list.push_back(std::move(array));
    inherited.memory.push_back(std::move(*memory));
  }
  return {};
}

} // namespace

NodeArrays::NodeArrays(const LaunchEnvironment &launched, const std::vector<std::string> &datasets,
                       double patience)
    : name(name_on_node("data", launched, datasets)), others(launched.local_ranks - 1),
      patience(patience), listening(SOCK_SEQPACKET) {}

data::InflatedArrays::Inherited NodeArrays::take() {
  constexpr int tries = 20; // the first may have the name, and not listen yet
  constexpr useconds_t pause = 1000;
  for (int i = 0; i < tries && others > 0; ++i) {
    if (is_first = listening.listen(name); is_first)
      return {};
    LocalSocket asking(SOCK_SEQPACKET);
    if (asking.connect(name))
      return asking.is_of_own_user() ? receive_all(asking.descriptor(), patience)
                                     : data::InflatedArrays::Inherited();
    usleep(pause);
  }
  return {};
}

void NodeArrays::give(const std::vector<data::InflatedArray> &arrays) {
  constexpr double for_late_ones = 3; // seconds; ranks start together
  Stopwatch watch;
  while (is_first && others > 0 && watch.seconds() < for_late_ones) {
    LocalSocket asking = listening.accept(for_late_ones - watch.seconds());
    if (!asking.is_open() || !asking.is_of_own_user())
      continue;
    send_all(asking.descriptor(), arrays);
    --others;
  }
}

} // namespace tutti::runtime::worker
