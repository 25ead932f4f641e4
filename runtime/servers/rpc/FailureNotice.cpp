// Joining a server and leaving it in one call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/FailureNotice.h"

#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"

#include <chrono>
#include <condition_variable>
#include <grpcpp/grpcpp.h>
#include <mutex>
#include <set>

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

namespace {

/// Knows nothing but a failure.
class Refusing final : public tutti::rows::Rows::Service {
public:
  Refusing(const RunOfServers &run, std::string address, const Error &failure)
      : security(run.security), address(std::move(address)), workers(size_t(run.workers)),
        failure(failure) {}

  grpc::Status
  Meet(grpc::ServerContext *context,
       grpc::ServerReaderWriter<tutti::rows::Nothing, tutti::rows::Nothing> *) override {
    return security.meet(*context, address);
  }

  grpc::Status Handshake(grpc::ServerContext *context, const tutti::rows::HandshakeRequest *request,
                         tutti::rows::Answer *answer) override {
    if (!security.is_signed(*context))
      return refuse_stranger();
    tell(request->worker(), *answer);
    return grpc::Status::OK;
  }

  /// Of a worker that has failed, too.
  grpc::Status Join(grpc::ServerContext *context,
                    grpc::ServerReader<tutti::rows::Membership> *messages,
                    tutti::rows::Answer *answer) override {
    if (!security.is_signed(*context))
      return refuse_stranger();
    if (tutti::rows::Membership first; messages->Read(&first))
      tell(first.worker(), *answer);
    return grpc::Status::OK;
  }

  void wait(double seconds) {
    std::unique_lock lock(mutex);
    all_told.wait_for(lock, std::chrono::duration<double>(seconds),
                      [&] { return told.size() >= workers; });
  }

private:
  void tell(int64_t worker, tutti::rows::Answer &answer) {
    answer.set_status(failure.status);
    answer.set_message(failure.message);
    std::lock_guard lock(mutex);
    told.insert(worker);
    all_told.notify_all();
  }

  Security security;
  std::string address;
  size_t workers;
  Error failure;
  std::mutex mutex;
  std::condition_variable all_told;
  std::set<int64_t> told;
};

} // namespace

Error refuse_workers(const RunOfServers &run, const std::string &address, const Error &failure,
                     double seconds) {
  Refusing service(run, address, failure);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, run.security.of_server());
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, most_metadata_bytes);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server)
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot listen at '", address, "'");
  service.wait(seconds);
  // Answers that are on their way still arrive.
  server->Shutdown(span_of(1));
  return Error::success();
}

} // namespace tutti::runtime::servers
