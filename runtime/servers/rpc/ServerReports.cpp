// One call to each server, one after another: it is the end of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/ServerReports.h"

#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"

#include <grpcpp/grpcpp.h>

namespace tutti::runtime::servers {

Result<std::vector<std::vector<TableStatistics>>>
ask_statistics(const RunOfServers &run, int64_t steps, const std::vector<std::string> &addresses) {
  std::vector<std::vector<TableStatistics>> all;
  tutti::rows::StatisticsRequest request;
  request.set_run(run.fingerprint);
  request.set_step(steps);
  for (const std::string &address : addresses) {
    auto channel = run.security.open(address);
    if (Error error = run.security.meet(channel, address, run.seconds))
      return Error::make(error.status, "server ", all.size(), ": ", error.message);
    auto stub = tutti::rows::Rows::NewStub(channel);
    grpc::ClientContext context;
    run.security.sign(context, address);
    CallLimit limit(run.security.watch(), context, run.seconds);
    tutti::rows::StatisticsReply reply;
    grpc::Status status = limit.outcome(stub->Statistics(&context, request, &reply));
    if (!status.ok())
      return Error::make(TUTTI_PEER_FAILED, "server ", all.size(), " at '", address,
                         "' does not say what it did: ", status.error_message());
    if (reply.answer().status() != TUTTI_OK)
      return Error::make(reply.answer().status(), "server ", all.size(), ": ",
                         reply.answer().message());
    std::vector<TableStatistics> &tables = all.emplace_back();
    for (const tutti::rows::TableStatistics &told : reply.tables()) {
      auto take = [&](const char *name, int64_t &number) {
        auto found = told.numbers().find(name);
        number = found == told.numbers().end() ? 0 : found->second;
      };
      for_each_number(tables.emplace_back(), take);
      for_each_staleness(tables.back().staleness, take);
    }
  }
  return all;
}

} // namespace tutti::runtime::servers
