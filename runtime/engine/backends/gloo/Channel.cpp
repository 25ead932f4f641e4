// Frames and messages in a stream of bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Channel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/uio.h>

namespace tutti::runtime::gloo_backend {
namespace {

constexpr uint64_t is_ready = 0x7475747469726479, is_message = 0x74757474696d7367;

/// The size is in it, so a wrong size is a message that does not come. 60 bits of hash are enough
/// never to see two tags alike.
uint64_t slot_of(std::optional<int64_t> tag, int64_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t value : {uint64_t(bytes), uint64_t(tag.value_or(0))}) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return uint64_t(tag ? 1 : 0) << 60 | hash >> 4;
}

Error lost() {
  return Error::make(TUTTI_RANK_DIED, "the connection was lost: ", std::strerror(errno));
}

bool is_for_later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

} // namespace

void Message::prepare(const tutti_transfer &given, std::optional<int64_t> tag) {
  transfer = &given;
  slot = slot_of(tag, given.bytes);
  is_begun = false;
  is_done = false;
}

void Channel::begin(Message &message) {
  message.is_begun = true;
  if (message.transfer->is_send) {
    sends.push_back(&message);
    return;
  }
  receives.push_back(&message);
  notices.push_back({message.slot, is_ready});
}

short Channel::events() const {
  bool has_more = sent.message || !notices.empty();
  return short(POLLIN | (has_more ? POLLOUT : 0));
}

void Channel::abandon() {
  is_abandoned = is_abandoned || !is_idle();
  sends.clear();
  receives.clear();
  sent = received = {};
}

Error Channel::advance() {
  if (is_abandoned)
    return Error::make(TUTTI_RANK_DIED, "an earlier call has given the connection up");
  for (bool moved = true; moved && !is_idle();) {
    moved = false;
    Error error = write(moved);
    if (!error && !is_idle())
      error = read(moved);
    if (error) {
      abandon();
      return error;
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Out
//===----------------------------------------------------------------------===//

/// The first message whose receiver is ready.
void Channel::choose_next() {
  for (Message *message : sends) {
    auto told = std::find(ready.begin(), ready.end(), message->slot);
    if (told == ready.end())
      continue;
    ready.erase(told);
    sent = {message, 0};
    sent_frame = {message->slot, is_message};
    return;
  }
}

/// Notices go before a message, never after one that has only begun: data would go one way first,
/// then the other.
Error Channel::write(bool &moved) {
  for (;;) {
    if (!sent.message)
      choose_next();
    bool has_notices = sent.moved == 0 && !notices.empty();
    iovec parts[3];
    size_t count = 0;
    if (has_notices)
      parts[count++] = {reinterpret_cast<char *>(notices.data()) + notice_bytes,
                        notices.size() * sizeof(Frame) - notice_bytes};
    if (sent.message && sent.moved < sizeof(Frame))
      parts[count++] = {reinterpret_cast<char *>(&sent_frame) + sent.moved,
                        sizeof(Frame) - sent.moved};
    if (sent.message) {
      size_t begin = sent.moved - std::min(sent.moved, sizeof(Frame));
      parts[count++] = {sent.message->memory() + begin, sent.message->bytes() - begin};
    }
    if (count == 0)
      return Error::success();
    msghdr header = {};
    header.msg_iov = parts;
    header.msg_iovlen = count;
    ssize_t bytes = sendmsg(socket.descriptor(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (bytes < 0)
      return is_for_later() ? Error::success() : lost();
    moved = true;
    count_written(size_t(bytes), has_notices);
  }
}

void Channel::count_written(size_t bytes, bool has_notices) {
  if (has_notices) {
    size_t all = notices.size() * sizeof(Frame), of_them = std::min(bytes, all - notice_bytes);
    notice_bytes += of_them;
    bytes -= of_them;
    if (notice_bytes == all) {
      notices.clear();
      notice_bytes = 0;
    }
  }
  sent.moved += bytes;
  if (sent.message && sent.moved == sizeof(Frame) + sent.message->bytes())
    finish(sends, sent);
}

void Channel::finish(std::vector<Message *> &list, Moving &moving) {
  list.erase(std::find(list.begin(), list.end(), moving.message));
  moving.message->is_done = true;
  moving = {};
}

//===----------------------------------------------------------------------===//
// In
//===----------------------------------------------------------------------===//

/// The rest of a message goes where it belongs, what follows it to the stage.
Error Channel::read(bool &moved) {
  while (!is_idle()) {
    if (staged_begin > 0) { // a part of a frame at most
      std::memmove(stage.data(), stage.data() + staged_begin, staged());
      staged_end -= staged_begin;
      staged_begin = 0;
    }
    iovec parts[2];
    size_t count = 0, direct = received.message ? received.message->bytes() - received.moved : 0;
    if (direct > 0)
      parts[count++] = {received.message->memory() + received.moved, direct};
    parts[count++] = {stage.data() + staged_end, stage.size() - staged_end};
    ssize_t bytes = readv(socket.descriptor(), parts, int(count));
    if (bytes == 0)
      return Error::make(TUTTI_RANK_DIED, "the other side closed the connection");
    if (bytes < 0)
      return is_for_later() ? Error::success() : lost();
    moved = true;
    size_t of_message = std::min(size_t(bytes), direct);
    received.moved += of_message;
    staged_end += size_t(bytes) - of_message;
    if (direct > 0 && of_message == direct)
      finish(receives, received);
    if (Error error = take_staged())
      return error;
    if (!sends.empty()) // somebody may have become ready
      return Error::success();
  }
  return Error::success();
}

Error Channel::take_staged() {
  for (;;) {
    if (received.message) {
      size_t bytes = std::min(staged(), received.message->bytes() - received.moved);
      std::memcpy(received.message->memory() + received.moved, stage.data() + staged_begin, bytes);
      staged_begin += bytes;
      received.moved += bytes;
      if (received.moved < received.message->bytes())
        return Error::success();
      finish(receives, received);
    }
    Frame frame;
    if (staged() < sizeof frame)
      return Error::success();
    std::memcpy(&frame, stage.data() + staged_begin, sizeof frame);
    staged_begin += sizeof frame;
    if (Error error = take_frame(frame))
      return error;
  }
}

Error Channel::take_frame(const Frame &frame) {
  if (frame.kind == is_ready) {
    ready.push_back(frame.slot);
    return Error::success();
  }
  auto found = std::find_if(receives.begin(), receives.end(),
                            [&](const Message *each) { return each->slot == frame.slot; });
  if (frame.kind != is_message || found == receives.end())
    return Error::make(TUTTI_RANK_DIED, "the other side sends what nobody waits for");
  received = {*found, 0};
  return Error::success();
}

} // namespace tutti::runtime::gloo_backend
