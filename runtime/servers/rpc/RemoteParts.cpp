// The calls of Parts.proto, of all servers at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteParts.h"

#include "runtime/servers/rpc/Parts.grpc.pb.h"

#include <chrono>
#include <deque>
#include <future>
#include <grpcpp/grpcpp.h>

namespace tutti::runtime::servers {
namespace {

using tutti::rows::Answer;
using Stub = tutti::rows::Parts::Stub;

/// A call that is under way.
struct Call {
  grpc::ClientContext context;
  Answer answer;
  std::future<grpc::Status> status;
};

class Parts final : public PartKeeper {
public:
  Parts(const std::vector<std::string> &addresses, double seconds, const Security &security)
      : addresses(addresses), seconds(seconds), security(security) {
    for (const std::string &address : addresses)
      stubs.push_back(
          tutti::rows::Parts::NewStub(grpc::CreateChannel(address, security.of_client())));
  }

  Error begin_save(int64_t step, const std::string &launch) override {
    tutti::rows::SaveRequest request;
    request.set_step(step);
    request.set_launch(launch);
    return ask(/*is_limited=*/true, [&](Stub &stub, Call &call, auto done) {
      stub.async()->Begin(&call.context, &request, &call.answer, done);
    });
  }

  Error finish_save(int64_t step) override {
    tutti::rows::SaveRequest request;
    request.set_step(step);
    return ask(/*is_limited=*/false, [&](Stub &stub, Call &call, auto done) {
      stub.async()->Finish(&call.context, &request, &call.answer, done);
    });
  }

  Error load(int64_t step) override {
    tutti::rows::LoadRequest request;
    request.set_step(step);
    return ask(/*is_limited=*/true, [&](Stub &stub, Call &call, auto done) {
      stub.async()->Load(&call.context, &request, &call.answer, done);
    });
  }

private:
  template <typename Start> Error ask(bool is_limited, Start start) {
    std::deque<Call> calls;
    for (size_t number = 0; number < stubs.size(); ++number) {
      Call &call = calls.emplace_back();
      security.sign(call.context);
      if (is_limited)
        call.context.set_deadline(std::chrono::system_clock::now() +
                                  std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                      std::chrono::duration<double>(seconds)));
      auto status = std::make_shared<std::promise<grpc::Status>>();
      call.status = status->get_future();
      start(*stubs[number], call, [status](grpc::Status got) { status->set_value(got); });
    }
    Error first;
    for (size_t number = 0; number < stubs.size(); ++number) { // all of them: they use `calls`
      Error error = outcome(number, calls[number]);
      if (!first)
        first = error;
    }
    return first;
  }

  Error outcome(size_t number, Call &call) const {
    grpc::Status status = call.status.get();
    if (!status.ok())
      return Error::make(status_of(status), "server ", number, " at '", addresses[number],
                         "' does not answer: ", status.error_message());
    if (call.answer.status() != TUTTI_OK)
      return Error::make(call.answer.status(), "server ", number, ": ", call.answer.message());
    return Error::success();
  }

  std::vector<std::string> addresses;
  double seconds;
  Security security;
  std::vector<std::unique_ptr<Stub>> stubs;
};

} // namespace

std::unique_ptr<PartKeeper> RemoteParts::connect(const std::vector<std::string> &addresses,
                                                 double seconds, const Security &security) {
  return std::make_unique<Parts>(addresses, seconds, security);
}

} // namespace tutti::runtime::servers
