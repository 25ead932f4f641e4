// What a server answers to the messages of Rows.proto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_ROWANSWERS_H
#define TUTTI_RUNTIME_SERVERS_RPC_ROWANSWERS_H

#include "runtime/servers/RowService.h"
#include "runtime/servers/rpc/Handshake.h"
#include "runtime/servers/rpc/Membership.h"

namespace tutti::rows {
class Answer;
class PositionReply;
class PositionRequest;
class PullReply;
class PullRequest;
class PushRequest;
class StatisticsReply;
class StatisticsRequest;
class WaitsReply;
class WaitsRequest;
} // namespace tutti::rows

namespace tutti::runtime::servers {

/// Of whoever has the token. Nothing is believed: what does not fit is an error in the answer, and
/// leaves nothing behind. Any number of threads.
class RowAnswers {
public:
  /// As RowServer::start() takes them. `membership` must outlive it.
  RowAnswers(const RunOfServers &run, int64_t number, std::vector<Table *> tables,
             Membership &membership)
      : run(run), number(number), tables(tables), service(std::move(tables), run.seconds),
        membership(membership) {}

  void handshake(const tutti::rows::HandshakeRequest &request, tutti::rows::Answer &answer);
  void pull(const tutti::rows::PullRequest &request, tutti::rows::PullReply &reply) const;
  void prefetch(const tutti::rows::PullRequest &request, tutti::rows::PullReply &reply) const;
  void push(const tutti::rows::PushRequest &request, tutti::rows::Answer &answer) const;
  void position(const tutti::rows::PositionRequest &request,
                tutti::rows::PositionReply &reply) const;
  void statistics(const tutti::rows::StatisticsRequest &request,
                  tutti::rows::StatisticsReply &reply) const;
  void waits(const tutti::rows::WaitsRequest &request, tutti::rows::WaitsReply &reply) const;

private:
  Error tell(const tutti::rows::StatisticsRequest &request,
             tutti::rows::StatisticsReply &reply) const;
  Result<int64_t> steps_of(int64_t worker) const;
  void answer(const RowRequest &request, tutti::rows::PullReply &reply) const;

  RunOfServers run;
  int64_t number;
  std::vector<Table *> tables;
  RowService service;
  Membership &membership;
  DescribedRuns described;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_ROWANSWERS_H
