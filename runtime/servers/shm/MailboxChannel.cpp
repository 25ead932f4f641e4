// Writing letters, and waiting for their answers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/MailboxChannel.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::runtime::servers {
namespace {

/// A server that waits for other workers says so after its time, and can say more than we.
constexpr double seconds_to_answer = 1;

} // namespace

MailboxChannel::MailboxChannel(Mailbox given, int64_t number, double seconds)
    : mailbox(std::move(given)), number(number), seconds(seconds) {
  MailboxBlock &block = mailbox.block();
  watch = int(syscall(SYS_pidfd_open, block.server_process.load(), 0));
  posted = block.posted.value.load();
  answered = block.answered.value.load();
}

Result<std::unique_ptr<MailboxChannel>> MailboxChannel::open(Mailbox mailbox, int64_t number,
                                                             double seconds) {
  if (mailbox.block().server_process.load() == 0)
    return Error::make(TUTTI_PEER_FAILED, "server ", number, " does not look after its mailboxes");
  std::unique_ptr<MailboxChannel> channel(new MailboxChannel(std::move(mailbox), number, seconds));
  if (Error error = channel->wait_for(channel->posted)) // of a worker before this one
    return error;
  return channel;
}

MailboxChannel::~MailboxChannel() {
  (void)finish_pushes();
  if (watch >= 0)
    close(watch);
}

Error MailboxChannel::fail(Error error) {
  if (!failed)
    failed = std::move(error);
  return *failed;
}

/// What the server says to letters that it has answered now.
void MailboxChannel::collect(uint32_t now_answered) {
  for (; answered != now_answered; ++answered) {
    const Letter &letter = mailbox.block().letters[answered % MailboxBlock::most_letters];
    if (letter.status == TUTTI_OK || failed)
      continue;
    std::string message(letter.message, strnlen(letter.message, sizeof letter.message));
    failed = Error::make(letter.status, "server ", number, ": ", message);
  }
}

Error MailboxChannel::look_after_server(const Stopwatch &since) {
  pollfd ended = {watch, POLLIN, 0};
  if (watch >= 0 && poll(&ended, 1, 0) == 1)
    return Error::make(TUTTI_PEER_FAILED, "server ", number,
                       " does not answer: its process has ended");
  if (mailbox.block().is_closed.load() != 0)
    return Error::make(TUTTI_PEER_FAILED, "server ", number, " does not answer: it has ended");
  if (since.seconds() > seconds + seconds_to_answer)
    return Error::make(TUTTI_STALLED, "server ", number, " does not answer for ", seconds,
                       " seconds");
  return Error::success();
}

/// Until the server has answered so many letters of all that were posted.
Error MailboxChannel::wait_for(uint32_t letters) {
  Stopwatch since;
  SharedCount &count = mailbox.block().answered;
  while (!failed && int32_t(letters - answered) > 0) {
    uint32_t seen = wait_beyond(count, answered);
    if (uint32_t(posted - seen) > MailboxBlock::most_letters)
      return fail(Error::make(TUTTI_BAD_DATA, "server ", number, " has answered ", seen,
                              " letters of ", posted));
    bool is_same = seen == answered;
    collect(seen);
    if (Error error = is_same ? look_after_server(since) : Error::success())
      return fail(std::move(error));
  }
  return failed ? *failed : Error::success();
}

/// Letters that are open stay where they are.
Error MailboxChannel::make_room(int64_t bytes) {
  if (bytes > mailbox.data_bytes())
    return Error::make(TUTTI_OUT_OF_MEMORY, "a message of ", bytes, " bytes to server ", number,
                       " is too large: there is room for ", mailbox.data_bytes());
  collect(mailbox.block().answered.value.load(std::memory_order_acquire));
  bool is_crowded =
      posted - answered == MailboxBlock::most_letters || used > mailbox.data_bytes() - bytes;
  if (Error error = is_crowded ? wait_for(posted) : Error::success())
    return error;
  if (posted == answered)
    used = 0;
  return failed ? *failed : Error::success();
}

/// Writes all of a letter but what its rows are; returns their place.
Result<char *> MailboxChannel::open_letter(LetterHead head, const std::vector<int64_t> &indices,
                                           int64_t row_bytes) {
  if (failed)
    return *failed;
  head.count = int64_t(indices.size());
  LetterLayout layout(head.count, head.scalar_bytes, row_bytes);
  if (Error error = make_room(layout.total))
    return error;
  head.offset = used;
  used += layout.total;
  mailbox.block().letters[posted % MailboxBlock::most_letters].head = head;
  char *begin = mailbox.data() + head.offset;
  std::memcpy(begin, indices.data(), indices.size() * sizeof(int64_t));
  return begin;
}

void MailboxChannel::post() { count_to(mailbox.block().posted, ++posted); }

Error MailboxChannel::start_pull(const RowPull &pull) {
  LetterKind kind = pull.states ? LetterKind::pull_with_states : LetterKind::pull;
  Result<char *> letter =
      open_letter({kind, pull.table, pull.step, 0, 0, 0}, pull.rows, pull.row_bytes);
  if (!letter)
    return letter.error();
  rows = *letter + LetterLayout(int64_t(pull.rows.size()), 0, pull.row_bytes).rows;
  post();
  return Error::success();
}

Result<const char *> MailboxChannel::finish_pull() {
  if (Error error = wait_for(posted))
    return error;
  return rows;
}

Error MailboxChannel::start_push(const RowPush &push) {
  int64_t scalar_bytes = int64_t(push.scalars.size());
  Result<char *> letter = open_letter({LetterKind::push, push.table, push.step, 0, scalar_bytes, 0},
                                      push.rows, push.wire_row_bytes());
  if (!letter)
    return letter.error();
  LetterLayout layout(int64_t(push.rows.size()), scalar_bytes, push.wire_row_bytes());
  push.scalars.copy(*letter + layout.scalars, push.scalars.size());
  push.gather(*letter + layout.rows);
  post();
  return Error::success();
}

Error MailboxChannel::finish_pushes() { return wait_for(posted); }

} // namespace tutti::runtime::servers
