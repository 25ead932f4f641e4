// Reading requests, and answering them where they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/MailboxServer.h"

#include "runtime/servers/PackedTable.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <unistd.h>

namespace tutti::runtime::servers {
namespace {

/// Answers requests of one worker. They lie in memory that it can change at any time: what must be
/// right is copied before it is checked.
class RequestHandler {
public:
  RequestHandler(const std::vector<Table *> &tables, double seconds, int64_t worker,
                 const Mailbox &mailbox)
      : tables(tables), seconds(seconds), worker(worker), mailbox(mailbox) {}

  void answer(Request &request) {
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
  /// All parts are checked before anything is done.
  Error answer(const RequestHead &head) {
    if (head.kind < RequestKind::pull || head.kind > RequestKind::leave)
      return Error::make(TUTTI_BAD_DATA, "a request is neither pull nor push, but ",
                         uint32_t(head.kind));
    if (head.kind == RequestKind::leave) {
      for (Table *table : tables)
        table->leave(worker);
      return Error::success();
    }
    if (head.offset < 0 || head.offset > mailbox.data_bytes() || head.offset % 64 != 0 ||
        head.bytes < 0 || head.bytes > mailbox.data_bytes() - head.offset || head.parts < 0 ||
        head.parts > int64_t(tables.size()))
      return Error::make(TUTTI_BAD_DATA, "a request of ", head.parts, " parts and ", head.bytes,
                         " bytes at ", head.offset, " is not in the mailbox of ",
                         mailbox.data_bytes(), " bytes, with at most ", tables.size(), " parts");
    if (Error error = read_parts(head))
      return error;
    if (head.kind == RequestKind::prefetch)
      ahead.assign(tables.size(), {});
    for (const Part &part : parts)
      if (Error error = answer(head, part))
        return error;
    return Error::success();
  }

  struct Part {
    PartHead head;
    char *begin;
    PartLayout layout;
  };

  Error read_parts(const RequestHead &head) {
    bool is_push = head.kind == RequestKind::push, is_pull = head.kind == RequestKind::pull;
    int64_t used = 0;
    parts.clear();
    has_table.assign(tables.size(), false);
    for (int64_t number = 0; number < head.parts; ++number) {
      int64_t left = head.bytes - used;
      char *begin = mailbox.data() + head.offset + used;
      PartHead part = {};
      if (left >= int64_t(sizeof part))
        std::memcpy(&part, begin, sizeof part);
      if (part.table < 0 || part.table >= int64_t(tables.size()))
        return Error::make(TUTTI_BAD_PROGRAM, "there is no table ", part.table, " of ",
                           tables.size());
      if (has_table[part.table])
        return Error::make(TUTTI_BAD_DATA, "a request has two parts of table ", part.table);
      has_table[part.table] = true;
      int64_t row_bytes =
          packed_bytes(*tables[part.table], head.kind == RequestKind::pull_with_states);
      bool fits = PartLayout::fits(part.count, part.scalar_bytes, row_bytes, left);
      if (!fits || (part.scalar_bytes != 0 && !is_push) ||
          (part.is_prefetched != 0 && (part.count != 0 || !is_pull)))
        return Error::make(TUTTI_BAD_DATA, "part ", number, " of a request, of ", part.count,
                           " rows and ", part.scalar_bytes, " bytes of scalars, is not in its ",
                           left, " bytes");
      PartLayout layout(part.count, part.scalar_bytes, row_bytes);
      parts.push_back({part, begin, layout});
      used += layout.total;
    }
    return Error::success();
  }

  Error answer(const RequestHead &head, const Part &part) {
    Table &table = *tables[part.head.table];
    char *rows_of_part = part.begin + part.layout.rows;
    if (part.head.is_prefetched != 0)
      return replace_changed(part.head.table, head.step);
    rows.resize(part.head.count);
    std::memcpy(rows.data(), part.begin + PartLayout::indices, rows.size() * sizeof(int64_t));
    if (head.kind == RequestKind::push) {
      scalars.assign(part.begin + part.layout.scalars, part.head.scalar_bytes);
      return push_packed(table, worker, head.step, rows, rows_of_part, scalars, seconds);
    }
    if (head.kind != RequestKind::prefetch)
      return pull_packed(table, head.step, rows, rows_of_part, seconds,
                         head.kind == RequestKind::pull_with_states, worker);
    ahead[part.head.table] = {rows_of_part, part.head.count};
    return prefetch_packed(table, worker, head.step, rows, rows_of_part);
  }

  /// In the request that asked for them.
  Error replace_changed(int64_t number, int64_t step) {
    Table &table = *tables[number];
    std::vector<char> changed;
    if (Error error =
            pull_prefetched_packed(table, worker, step, seconds, /*positions=*/rows, changed))
      return error;
    Place place = number < int64_t(ahead.size()) ? ahead[number] : Place();
    int64_t bytes = packed_bytes(table, /*states=*/false);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= place.count)
        return Error::make(TUTTI_BAD_DATA, "the rows of table ", number,
                           " that were asked for ahead are not in this mailbox");
      std::memcpy(place.begin + rows[i] * bytes, changed.data() + int64_t(i) * bytes, bytes);
    }
    return Error::success();
  }

  /// Where the rows of a table are that were asked for ahead.
  struct Place {
    char *begin = nullptr;
    int64_t count = 0;
  };

  const std::vector<Table *> &tables;
  double seconds;
  int64_t worker;
  const Mailbox &mailbox;
  std::vector<int64_t> rows;
  std::string scalars;
  std::vector<Part> parts;
  std::vector<bool> has_table; ///< of the request
  std::vector<Place> ahead;    ///< by table
};

} // namespace

void MailboxServer::answer_all(int64_t worker) {
  MailboxBlock &block = mailboxes[worker].block();
  RequestHandler handler(tables, seconds, worker, mailboxes[worker]);
  uint32_t answered = block.answered.value.load();
  while (!is_ending.load(std::memory_order_relaxed)) {
    uint32_t posted = wait_beyond(block.posted, answered);
    if (uint32_t(posted - answered) > MailboxBlock::most_requests) {
      block.is_closed.store(1); // no worker of ours has written that
      return wake(block.answered);
    }
    while (answered != posted) {
      handler.answer(block.requests[answered % MailboxBlock::most_requests]);
      count_to(block.answered, ++answered);
    }
  }
}

Result<std::unique_ptr<MailboxServer>>
MailboxServer::start(int descriptor, std::vector<Table *> tables, double seconds) {
  Result<int64_t> workers = Mailbox::workers_of(descriptor);
  if (!workers)
    return workers.error();
  std::unique_ptr<MailboxServer> server(new MailboxServer(std::move(tables), seconds));
  for (int64_t worker = 0; worker < *workers; ++worker) {
    Result<Mailbox> mailbox = Mailbox::map(descriptor, worker);
    if (!mailbox)
      return mailbox.error();
    mailbox->block().is_closed.store(0);
    mailbox->block().server_process.store(int32_t(getpid()));
    server->mailboxes.push_back(std::move(*mailbox));
  }
  for (int64_t worker = 0; worker < *workers; ++worker)
    server->threads.emplace_back(&MailboxServer::answer_all, server.get(), worker);
  return server;
}

MailboxServer::~MailboxServer() {
  // Requests that wait are answered now, not after their time.
  for (Table *table : tables)
    table->abandon(Error::make(TUTTI_PEER_FAILED, "the server ends"));
  is_ending.store(true);
  for (const Mailbox &mailbox : mailboxes)
    wake(mailbox.block().posted);
  for (std::thread &thread : threads)
    thread.join();
  for (const Mailbox &mailbox : mailboxes) {
    mailbox.block().is_closed.store(1);
    wake(mailbox.block().answered);
  }
}

} // namespace tutti::runtime::servers
