// Calls of their own: those of rows may be what waits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/ServerWaits.h"

#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"

#include <grpcpp/grpcpp.h>
#include <optional>

namespace tutti::runtime::servers {
namespace {

constexpr double seconds_to_answer = 1;

struct Call {
  std::unique_ptr<tutti::rows::Rows::Stub> stub;
  grpc::ClientContext context;
  std::optional<CallLimit> limit;
  grpc::Status status;
  tutti::rows::WaitsReply reply;
  std::unique_ptr<grpc::ClientAsyncResponseReader<tutti::rows::WaitsReply>> reader;
};

/// What the call to server `number` says.
std::string told(const Call &call, size_t number) {
  std::string all;
  if (!call.status.ok())
    all = text("server ", number, " does not answer");
  for (const std::string &wait : call.reply.waits())
    all += text(all.empty() ? "" : "; ", "server ", number, ": ", wait);
  return all;
}

} // namespace

std::string ask_waits(const RunOfServers &run, const std::vector<std::string> &addresses) {
  grpc::CompletionQueue queue;
  std::vector<Call> calls(addresses.size());
  for (size_t number = 0; number < calls.size(); ++number) {
    Call &call = calls[number];
    call.stub = tutti::rows::Rows::NewStub(run.security.open(addresses[number]));
    run.security.sign(call.context, addresses[number]); // the worker has met all of them
    call.limit.emplace(run.security.watch(), call.context, seconds_to_answer);
    call.reader = call.stub->AsyncWaits(&call.context, {}, &queue);
    call.reader->Finish(&call.reply, &call.status, &call);
  }
  void *tag;
  bool is_whole;
  for (size_t done = 0; done < calls.size() && queue.Next(&tag, &is_whole); ++done) {
  }
  queue.Shutdown();
  while (queue.Next(&tag, &is_whole)) {
  }
  std::string all;
  for (size_t number = 0; number < calls.size(); ++number)
    if (std::string one = told(calls[number], number); !one.empty())
      all += text(all.empty() ? "" : "; ", one);
  return all;
}

} // namespace tutti::runtime::servers
