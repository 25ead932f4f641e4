// A server of the same machine, reached through shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_SHM_MAILBOXCHANNEL_H
#define TUTTI_RUNTIME_SERVERS_SHM_MAILBOXCHANNEL_H

#include "runtime/servers/RowChannel.h"
#include "runtime/servers/shm/Mailbox.h"
#include "runtime/support/Stopwatch.h"

#include <optional>

namespace tutti::runtime::servers {

/// The worker's end of a mailbox. Letters that nobody waits for follow each other in its memory.
class MailboxChannel final : public RowChannel {
public:
  /// To server `number`, which has begun to answer: messages call it so, and it gets `seconds` for
  /// each answer.
  static Result<std::unique_ptr<MailboxChannel>> open(Mailbox mailbox, int64_t number,
                                                      double seconds);
  ~MailboxChannel() override;

  Error start_pull(const RowPull &pull) override;
  Result<const char *> finish_pull() override;
  Error start_push(const RowPush &push) override;
  Error finish_pushes() override;

private:
  MailboxChannel(Mailbox mailbox, int64_t number, double seconds);

  Result<char *> open_letter(LetterHead head, const std::vector<int64_t> &rows, int64_t row_bytes);
  Error make_room(int64_t bytes);
  void post();
  Error wait_for(uint32_t letters);
  Error look_after_server(const Stopwatch &watch);
  void collect(uint32_t now_answered);
  Error fail(Error error);

  Mailbox mailbox;
  int64_t number;
  double seconds;
  int watch = -1;              ///< of the server's process; -1: the system has none
  uint32_t posted, answered;   ///< letters, as this end knows
  int64_t used = 0;            ///< bytes of the mailbox that letters which are open have
  const char *rows = nullptr;  ///< where the last pull is answered
  std::optional<Error> failed; ///< the first error; nothing is sent behind it
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_SHM_MAILBOXCHANNEL_H
