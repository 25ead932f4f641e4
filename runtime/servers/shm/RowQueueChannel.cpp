// Writing requests, and waiting for their answers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/RowQueueChannel.h"

#include <algorithm>
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

RowQueueChannel::RowQueueChannel(RowQueue given, int64_t number, double seconds)
    : queue(std::move(given)), number(number), seconds(seconds) {
  RowQueueBlock &block = queue.block();
  watch = int(syscall(SYS_pidfd_open, block.server_process.load(), 0));
  posted = block.posted.value.load();
  answered = block.answered.value.load();
}

Result<std::unique_ptr<RowQueueChannel>> RowQueueChannel::open(RowQueue queue, int64_t number,
                                                               double seconds) {
  if (queue.block().server_process.load() == 0)
    return Error::make(TUTTI_PEER_FAILED, "server ", number, " does not look after its row queues");
  prepare_to_sleep();
  std::unique_ptr<RowQueueChannel> channel(new RowQueueChannel(std::move(queue), number, seconds));
  if (Error error = channel->wait_for(channel->posted)) // of a worker before this one
    return error;
  return channel;
}

RowQueueChannel::~RowQueueChannel() {
  (void)finish_pushes();
  if (watch >= 0)
    close(watch);
}

Error RowQueueChannel::fail(Error error) {
  if (!failed)
    failed = std::move(error);
  return *failed;
}

/// What the server says to requests that it has answered now.
void RowQueueChannel::collect(uint32_t now_answered) {
  for (; answered != now_answered; ++answered) {
    const QueuedRequest &request = queue.block().requests[answered % RowQueueBlock::most_requests];
    if (request.status == TUTTI_OK || failed)
      continue;
    std::string message(request.message, strnlen(request.message, sizeof request.message));
    failed = Error::make(request.status, "server ", number, ": ", message);
  }
}

Error RowQueueChannel::look_after_server(const Stopwatch &since) {
  pollfd ended = {watch, POLLIN, 0};
  if (watch >= 0 && poll(&ended, 1, 0) == 1)
    return Error::make(TUTTI_PEER_FAILED, "server ", number,
                       " does not answer: its process has ended");
  if (queue.block().is_closed.load() != 0)
    return Error::make(TUTTI_PEER_FAILED, "server ", number, " does not answer: it has ended");
  if (since.seconds() > seconds + seconds_to_answer)
    return Error::make(TUTTI_STALLED, "server ", number, " does not answer for ", seconds,
                       " seconds");
  return Error::success();
}

/// Until the server has answered so many requests of all that were posted.
Error RowQueueChannel::wait_for(uint32_t requests) {
  Stopwatch since;
  SharedCount &count = queue.block().answered;
  while (!failed && int32_t(requests - answered) > 0) {
    uint32_t seen = wait_beyond(count, answered);
    if (uint32_t(posted - seen) > RowQueueBlock::most_requests)
      return fail(Error::make(TUTTI_BAD_DATA, "server ", number, " has answered ", seen,
                              " requests of ", posted));
    bool is_same = seen == answered;
    collect(seen);
    if (Error error = is_same ? look_after_server(since) : Error::success())
      return fail(std::move(error));
  }
  return failed ? *failed : Error::success();
}

/// For the next part of a request. Those that are not answered stay where they are, and so does one
/// that is being written.
Error RowQueueChannel::make_room(int64_t bytes) {
  if (failed)
    return *failed;
  collect(queue.block().answered.value.load(std::memory_order_acquire));
  bool has_room = bytes <= queue.data_bytes() - used;
  bool is_crowded = posted - answered == RowQueueBlock::most_requests || !has_room;
  if (Error error = is_crowded && !request ? wait_for(posted) : Error::success())
    return error;
  if (posted == answered && !request)
    used = kept;
  if (bytes > queue.data_bytes() - used)
    return Error::make(TUTTI_OUT_OF_MEMORY, "a message of ", bytes, " bytes to server ", number,
                       " is too large: there is room for ", queue.data_bytes() - used);
  return failed ? *failed : Error::success();
}

void RowQueueChannel::begin_request(RequestKind kind, int64_t step) {
  request = RequestHead{kind, step, /*parts=*/0, used, /*bytes=*/0};
  tables_of_push.clear();
}

/// Writes a part but for its scalars and rows; there is room for it. Returns where it begins.
char *RowQueueChannel::add_part(const PartHead &head, std::string_view indices,
                                const PartLayout &layout) {
  char *begin = queue.data() + used;
  std::memcpy(begin, &head, sizeof head);
  indices.copy(begin + PartLayout::indices, indices.size());
  used += layout.total;
  request->bytes += layout.total;
  ++request->parts;
  return begin;
}

/// Sends the request that is open.
Error RowQueueChannel::post() {
  if (failed)
    return *failed;
  queue.block().requests[posted % RowQueueBlock::most_requests].head = *request;
  request.reset();
  count_to(queue.block().posted, ++posted);
  return Error::success();
}

/// Notes in `answers` where the rows of each part will be.
Error RowQueueChannel::write_pull(RequestKind kind, const RowRequest &pull) {
  int64_t bytes = 0;
  auto layout_of = [](const RowPart &part) { return PartLayout(part.count(), 0, part.row_bytes); };
  for (const RowPart &part : pull.parts)
    bytes += layout_of(part).total;
  if (Error error = make_room(bytes))
    return error;
  begin_request(kind, pull.step);
  answers.clear();
  for (const RowPart &part : pull.parts) {
    PartLayout layout = layout_of(part);
    char *begin = add_part({part.table, part.count(), 0, part.is_prefetched}, part.indices, layout);
    answers.push_back(begin + layout.rows);
    for (auto &[table, place] : ahead)
      if (part.is_prefetched && table == part.table)
        answers.back() = place;
  }
  return post();
}

Error RowQueueChannel::start_pull(const RowRequest &pull) {
  if (Error error = post_pushes())
    return error;
  return write_pull(pull.states ? RequestKind::pull_with_states : RequestKind::pull, pull);
}

Result<std::vector<char *>> RowQueueChannel::finish_pull() {
  if (Error error = wait_for(posted))
    return error;
  return answers;
}

/// At the begin of the memory, where nothing else is once all requests are answered.
Error RowQueueChannel::prefetch(const RowRequest &rows) {
  if (Error error = finish_pushes())
    return error;
  used = kept = 0;
  ahead.clear();
  if (rows.parts.empty())
    return Error::success();
  if (Error error = write_pull(RequestKind::prefetch, rows))
    return error;
  kept = used;
  for (size_t part = 0; part < rows.parts.size(); ++part)
    ahead.emplace_back(rows.parts[part].table, answers[part]);
  return Error::success();
}

/// What does not fit after the parts that wait goes into a request of its own.
Error RowQueueChannel::add_push(int64_t step, const RowPart &part, const RowGradients &gradients) {
  int64_t scalar_bytes = int64_t(part.scalars.size());
  PartLayout layout(part.count(), scalar_bytes, part.row_bytes);
  bool joins =
      request && request->step == step && layout.total <= queue.data_bytes() - used &&
      std::find(tables_of_push.begin(), tables_of_push.end(), part.table) == tables_of_push.end();
  if (Error error = joins ? Error::success() : post_pushes())
    return error;
  if (!request) {
    if (Error error = make_room(layout.total))
      return error;
    begin_request(RequestKind::push, step);
  }
  tables_of_push.push_back(part.table);
  char *begin = add_part({part.table, part.count(), scalar_bytes, 0}, part.indices, layout);
  part.scalars.copy(begin + layout.scalars, part.scalars.size());
  gradients.gather(begin + layout.rows);
  return Error::success();
}

Error RowQueueChannel::post_pushes() { return request ? post() : Error::success(); }

Error RowQueueChannel::finish_pushes() {
  if (Error error = post_pushes())
    return error;
  return wait_for(posted);
}

} // namespace tutti::runtime::servers
