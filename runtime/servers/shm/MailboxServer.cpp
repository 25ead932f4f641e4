// Reading letters, and answering them where they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/MailboxServer.h"

#include "runtime/servers/PackedTable.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <unistd.h>

namespace tutti::runtime::servers {
namespace {

/// Answers letters of one worker. They lie in memory that it can change at any time: what must be
/// right is copied before it is checked.
class Clerk {
public:
  Clerk(const std::vector<Table *> &tables, double seconds, int64_t worker, const Mailbox &mailbox)
      : tables(tables), seconds(seconds), worker(worker), mailbox(mailbox) {}

  void answer(Letter &letter) {
    LetterHead head = letter.head;
    asm volatile("" ::: "memory"); // from here on it is the copy that is looked at
    Error error;
    try {
      error = answer(head);
    } catch (const std::exception &thrown) {
      error = Error::make(TUTTI_OUT_OF_MEMORY, thrown.what());
    }
    letter.status = error.status;
    std::snprintf(letter.message, sizeof letter.message, "%s", error.message.c_str());
  }

private:
  Error answer(const LetterHead &head) {
    bool is_push = head.kind == LetterKind::push,
         states = head.kind == LetterKind::pull_with_states;
    if (!is_push && !states && head.kind != LetterKind::pull)
      return Error::make(TUTTI_BAD_DATA, "a letter is neither pull nor push, but ",
                         uint32_t(head.kind));
    if (head.table < 0 || head.table >= int64_t(tables.size()))
      return Error::make(TUTTI_BAD_PROGRAM, "there is no table ", head.table, " of ",
                         tables.size());
    Table &table = *tables[head.table];
    int64_t row_bytes = packed_bytes(table, states);
    if (head.offset < 0 || head.offset > mailbox.data_bytes() || head.offset % 64 != 0 ||
        !LetterLayout::fits(head.count, head.scalar_bytes, row_bytes,
                            mailbox.data_bytes() - head.offset))
      return Error::make(TUTTI_BAD_DATA, "a letter of ", head.count, " rows and ",
                         head.scalar_bytes, " bytes of scalars at ", head.offset,
                         " is not in the mailbox of ", mailbox.data_bytes(), " bytes");
    LetterLayout layout(head.count, head.scalar_bytes, row_bytes);
    char *begin = mailbox.data() + head.offset;
    rows.resize(head.count);
    std::memcpy(rows.data(), begin, rows.size() * sizeof(int64_t));
    if (!is_push)
      return pull_packed(table, head.step, rows, begin + layout.rows, seconds, states, worker);
    scalars.assign(begin + layout.scalars, head.scalar_bytes);
    return push_packed(table, worker, head.step, rows, begin + layout.rows, scalars);
  }

  const std::vector<Table *> &tables;
  double seconds;
  int64_t worker;
  const Mailbox &mailbox;
  std::vector<int64_t> rows;
  std::string scalars;
};

} // namespace

void MailboxServer::answer_all(int64_t worker) {
  MailboxBlock &block = mailboxes[worker].block();
  Clerk clerk(tables, seconds, worker, mailboxes[worker]);
  uint32_t answered = block.answered.value.load();
  while (!is_ending.load(std::memory_order_relaxed)) {
    uint32_t posted = wait_beyond(block.posted, answered);
    if (uint32_t(posted - answered) > MailboxBlock::most_letters) {
      block.is_closed.store(1); // no worker of ours has written that
      return wake(block.answered);
    }
    while (answered != posted) {
      clerk.answer(block.letters[answered % MailboxBlock::most_letters]);
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
  // Letters that wait are answered now, not after their time.
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
