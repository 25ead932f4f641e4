// A server of the same machine, reached through shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUECHANNEL_H
#define TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUECHANNEL_H

#include "runtime/servers/RowChannel.h"
#include "runtime/servers/shm/RowQueue.h"
#include "runtime/support/Stopwatch.h"

#include <optional>

namespace tutti::runtime::servers {

/// The worker's end of a row queue. Requests that nobody waits for follow each other in its memory.
class RowQueueChannel final : public RowChannel {
public:
  /// To server `number`, which has begun to answer: messages call it so, and it gets `seconds` for
  /// each answer.
  static Result<std::unique_ptr<RowQueueChannel>> open(RowQueue queue, int64_t number,
                                                       double seconds);
  ~RowQueueChannel() override;

  Error start_pull(const RowRequest &pull) override;
  Result<std::vector<char *>> finish_pull() override;
  Error prefetch(const RowRequest &rows) override;
  Error add_push(int64_t step, const RowPart &part, const RowGradients &gradients) override;
  Error post_pushes() override;
  Error finish_pushes() override;

private:
  RowQueueChannel(RowQueue queue, int64_t number, double seconds);

  Error make_room(int64_t bytes);
  void begin_request(RequestKind kind, int64_t step);
  char *add_part(const PartHead &head, std::string_view indices, const PartLayout &layout);
  Error write_pull(RequestKind kind, const RowRequest &pull);
  Error post();
  Error wait_for(uint32_t requests);
  Error look_after_server(const Stopwatch &watch);
  void collect(uint32_t now_answered);
  Error fail(Error error);

  RowQueue queue;
  int64_t number;
  double seconds;
  int watch = -1;            ///< of the server's process; -1: the system has none
  uint32_t posted, answered; ///< requests, as this end knows
  int64_t used = 0;          ///< bytes of the row queue that requests which are not answered have
  int64_t kept = 0; ///< of them, from the begin on, those of the rows that were asked for ahead
  std::optional<RequestHead> request;            ///< that is being written
  std::vector<int64_t> tables_of_push;           ///< that it has
  std::vector<char *> answers;                   ///< where the parts of the last pull are answered
  std::vector<std::pair<int64_t, char *>> ahead; ///< tables whose rows were asked for, and where
  std::optional<Error> failed;                   ///< the first error; nothing is sent after it
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUECHANNEL_H
