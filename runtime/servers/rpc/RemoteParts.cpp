// The calls of Parts.proto, of all servers at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteParts.h"

#include "runtime/servers/rpc/Parts.grpc.pb.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <grpcpp/grpcpp.h>

namespace tutti::runtime::servers {
namespace {

using tutti::rows::Answer;
using tutti::rows::HoldReply;
using Stub = tutti::rows::Parts::Stub;

/// A call that is under way.
template <typename Reply> struct Call {
  grpc::ClientContext context;
  Reply reply;
  std::future<grpc::Status> status;
};

const Answer &answer_of(const Answer &answer) { return answer; }
const Answer &answer_of(const HoldReply &reply) { return reply.answer(); }

class Parts final : public PartKeeper {
public:
  Parts(const std::vector<std::string> &addresses, double seconds, const Security &security)
      : addresses(addresses), seconds(seconds), security(security) {
    for (const std::string &address : addresses)
      stubs.push_back(
          tutti::rows::Parts::NewStub(grpc::CreateChannel(address, security.of_client())));
  }

  Result<std::vector<int64_t>> hold() override {
    tutti::rows::HoldRequest request;
    std::vector<int64_t> most;
    auto merge = [&](const HoldReply &reply) {
      most.resize(std::max(most.size(), size_t(reply.workers_size())));
      for (int worker = 0; worker < reply.workers_size(); ++worker)
        most[worker] = std::max(most[worker], reply.workers(worker));
    };
    Error error = ask<HoldReply>(
        /*is_limited=*/true,
        [&](Stub &stub, Call<HoldReply> &call, auto done) {
          stub.async()->Hold(&call.context, &request, &call.reply, done);
        },
        merge);
    return error ? Result<std::vector<int64_t>>(error) : most;
  }

  Error begin_save(int64_t step, const std::string &launch,
                   const std::vector<int64_t> &workers) override {
    tutti::rows::SaveRequest request;
    request.set_step(step);
    request.set_launch(launch);
    request.mutable_workers()->Assign(workers.begin(), workers.end());
    return ask<Answer>(/*is_limited=*/true, [&](Stub &stub, Call<Answer> &call, auto done) {
      stub.async()->Begin(&call.context, &request, &call.reply, done);
    });
  }

  Error finish_save(int64_t step) override {
    tutti::rows::SaveRequest request;
    request.set_step(step);
    return ask<Answer>(/*is_limited=*/false, [&](Stub &stub, Call<Answer> &call, auto done) {
      stub.async()->Finish(&call.context, &request, &call.reply, done);
    });
  }

  Error load(int64_t step) override {
    tutti::rows::LoadRequest request;
    request.set_step(step);
    return ask<Answer>(/*is_limited=*/true, [&](Stub &stub, Call<Answer> &call, auto done) {
      stub.async()->Load(&call.context, &request, &call.reply, done);
    });
  }

private:
  static void ignore(const Answer &) {}

  /// `use` gets the replies of servers that have no error.
  template <typename Reply, typename Start, typename Use = void (*)(const Reply &)>
  Error ask(bool is_limited, Start start, Use use = ignore) {
    std::deque<Call<Reply>> calls;
    for (size_t number = 0; number < stubs.size(); ++number) {
      Call<Reply> &call = calls.emplace_back();
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
      if (!error)
        use(calls[number].reply);
      else if (!first)
        first = error;
    }
    return first;
  }

  template <typename Reply> Error outcome(size_t number, Call<Reply> &call) const {
    grpc::Status status = call.status.get();
    if (!status.ok())
      return Error::make(status_of(status), "server ", number, " at '", addresses[number],
                         "' does not answer: ", status.error_message());
    const Answer &answer = answer_of(call.reply);
    if (answer.status() != TUTTI_OK)
      return Error::make(answer.status(), "server ", number, ": ", answer.message());
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
