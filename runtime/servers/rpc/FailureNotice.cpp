// Joining a server and leaving it in one call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/FailureNotice.h"

#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"

#include <grpcpp/grpcpp.h>

namespace tutti::runtime::servers {

static void tell(const RunOfServers &run, const std::string &address, int64_t worker,
                 const Error &failure, double seconds) {
  auto channel = run.security.open(address);
  if (run.security.meet(channel, address, seconds))
    return;
  auto stub = tutti::rows::Rows::NewStub(channel);
  grpc::ClientContext context;
  run.security.sign(context, address);
  CallLimit limit(run.security.watch(), context, seconds);
  tutti::rows::Answer answer;
  auto writer = stub->Join(&context, &answer);
  tutti::rows::Membership message;
  message.set_worker(worker);
  writer->Write(message);
  message.set_failure(failure.message);
  writer->WriteLast(message, {});
  (void)writer->Finish();
}

void tell_failure(const RunOfServers &run, int64_t worker,
                  const std::vector<std::string> &addresses, const Error &failure, double seconds) {
  for (const std::string &address : addresses)
    tell(run, address, worker, failure, seconds);
}

} // namespace tutti::runtime::servers
