// Reading requests, and answering them where they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/RowQueueServer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <unistd.h>

namespace tutti::runtime::servers {
namespace {

/// Answers requests of one worker. They lie in memory that it can change at any time: what must be
/// right is copied before it is checked.
class RequestHandler final : RowReply {
public:
  RequestHandler(const RowService &service, int64_t worker, const RowQueue &queue)
      : service(service), worker(worker), queue(queue), ahead(service.table_count()) {}

  void answer(QueuedRequest &request) {
    RequestHead head = request.head;
    asm volatile("" ::: "memory"); // from here on it is the copy that is looked at
    Error error;
    try {
      error = answer(head);
    } catch (const std::exception &thrown) {
      error = Error::make(TUTTI_OUT_OF_MEMORY, thrown.what());
    }
    request.status = error.status;
    std::snprintf(request.message, sizeof request.message, "%s", error.message.c_str());
  }

private:
  Error answer(const RequestHead &head) {
    if (head.kind == RequestKind::leave) {
      service.leave(worker);
      return Error::success();
    }
    if (Error error = decode(head))
      return error;
    return service.serve(request, *this);
  }

  Error decode(const RequestHead &head) {
    if (head.kind < RequestKind::pull || head.kind > RequestKind::prefetch)
      return Error::make(TUTTI_BAD_DATA, "a request is neither pull nor push, but ",
                         uint32_t(head.kind));
    if (head.offset < 0 || head.offset > queue.data_bytes() || head.offset % 64 != 0 ||
        head.bytes < 0 || head.bytes > queue.data_bytes() - head.offset || head.parts < 0 ||
        head.parts > service.table_count())
      return Error::make(TUTTI_BAD_DATA, "a request of ", head.parts, " parts and ", head.bytes,
                         " bytes at ", head.offset, " is not in the row queue of ",
                         queue.data_bytes(), " bytes, with at most ", service.table_count(),
                         " parts");
    request.kind = head.kind == RequestKind::push       ? RowRequest::Kind::push
                   : head.kind == RequestKind::prefetch ? RowRequest::Kind::prefetch
                                                        : RowRequest::Kind::pull;
    request.states = head.kind == RequestKind::pull_with_states;
    request.worker = worker;
    request.step = head.step;
    request.parts.clear();
    rows_of_part.clear();
    int64_t used = 0;
    for (int64_t number = 0; number < head.parts; ++number) {
      char *begin = queue.data() + head.offset + used;
      Result<int64_t> bytes = decode_part(number, begin, head.bytes - used);
      if (!bytes)
        return bytes.error();
      used += *bytes;
    }
    return Error::success();
  }

  /// Part `number`, which begins at `begin`, before `left` bytes. How many of them it has.
  Result<int64_t> decode_part(int64_t number, char *begin, int64_t left) {
    PartHead head = {};
    if (left >= int64_t(sizeof head))
      std::memcpy(&head, begin, sizeof head);
    Result<int64_t> row_bytes = service.row_bytes(head.table, request.states);
    if (!row_bytes)
      return row_bytes.error();
    if (!PartLayout::fits(head.count, head.scalar_bytes, *row_bytes, left))
      return Error::make(TUTTI_BAD_DATA, "part ", number, " of a request, of ", head.count,
                         " rows and ", head.scalar_bytes, " bytes of scalars, is not in its ", left,
                         " bytes");
    PartLayout layout(head.count, head.scalar_bytes, *row_bytes);
    RowPart &part = request.parts.emplace_back();
    part.table = head.table;
    part.is_prefetched = head.is_prefetched != 0;
    part.indices = {begin + PartLayout::indices, size_t(head.count) * sizeof(int64_t)};
    part.scalars = {begin + layout.scalars, size_t(head.scalar_bytes)};
    if (request.kind == RowRequest::Kind::push)
      part.gradients = {begin + layout.rows, size_t(head.count * *row_bytes)};
    rows_of_part.push_back(begin + layout.rows);
    return layout.total;
  }

  char *room(size_t part, int64_t) override {
    if (request.kind == RowRequest::Kind::prefetch) {
      if (part == 0)
        std::fill(ahead.begin(), ahead.end(), Place());
      ahead[request.parts[part].table] = {rows_of_part[part], request.parts[part].count()};
    }
    return rows_of_part[part];
  }

  /// In the request that asked for them.
  Error replace(size_t part, const std::vector<int64_t> &positions,
                const std::vector<char> &rows) override {
    int64_t table = request.parts[part].table;
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] >= ahead[table].count)
        return Error::make(TUTTI_BAD_DATA, "the rows of table ", table,
                           " that were asked for ahead are not in this row queue");
      size_t bytes = rows.size() / positions.size();
      std::memcpy(ahead[table].begin + size_t(positions[i]) * bytes, rows.data() + i * bytes,
                  bytes);
    }
    return Error::success();
  }

  /// Where the rows of a table are that were asked for ahead.
  struct Place {
    char *begin = nullptr;
    int64_t count = 0;
  };

  const RowService &service;
  int64_t worker;
  const RowQueue &queue;
  RowRequest request;
  std::vector<char *> rows_of_part; ///< of the request
  std::vector<Place> ahead;         ///< by table
};

} // namespace

void RowQueueServer::answer_all(int64_t worker) {
  RowQueueBlock &block = queues[worker].block();
  RequestHandler handler(service, worker, queues[worker]);
  uint32_t answered = block.answered.value.load();
  while (!is_ending.load(std::memory_order_relaxed)) {
    uint32_t posted = wait_beyond(block.posted, answered);
    if (uint32_t(posted - answered) > RowQueueBlock::most_requests) {
      block.is_closed.store(1); // no worker of ours has written that
      return wake(block.answered);
    }
    while (answered != posted) {
      handler.answer(block.requests[answered % RowQueueBlock::most_requests]);
      count_to(block.answered, ++answered);
    }
  }
}

Result<std::unique_ptr<RowQueueServer>>
RowQueueServer::start(int descriptor, std::vector<Table *> tables, double seconds) {
  Result<int64_t> workers = RowQueue::workers_of(descriptor);
  if (!workers)
    return workers.error();
  prepare_to_sleep();
  std::unique_ptr<RowQueueServer> server(new RowQueueServer(std::move(tables), seconds));
  for (int64_t worker = 0; worker < *workers; ++worker) {
    Result<RowQueue> queue = RowQueue::map(descriptor, worker);
    if (!queue)
      return queue.error();
    queue->block().is_closed.store(0);
    queue->block().server_process.store(int32_t(getpid()));
    server->queues.push_back(std::move(*queue));
  }
  for (int64_t worker = 0; worker < *workers; ++worker)
    server->threads.emplace_back(&RowQueueServer::answer_all, server.get(), worker);
  return server;
}

RowQueueServer::~RowQueueServer() {
  // Requests that wait are answered now, not after their time.
  for (Table *table : tables)
    table->abandon(Error::make(TUTTI_PEER_FAILED, "the server ends"));
  is_ending.store(true);
  for (const RowQueue &queue : queues)
    wake(queue.block().posted);
  for (std::thread &thread : threads)
    thread.join();
  for (const RowQueue &queue : queues) {
    queue.block().is_closed.store(1);
    wake(queue.block().answered);
  }
}

} // namespace tutti::runtime::servers
