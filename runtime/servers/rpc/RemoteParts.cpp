// The calls of Parts.proto, of all servers at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteParts.h"

#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Parts.grpc.pb.h"
#include "runtime/support/Stopwatch.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <grpcpp/grpcpp.h>
#include <memory>
#include <optional>

namespace tutti::runtime::servers {
namespace {

using tutti::rows::Answer;
using tutti::rows::FinishReply;
using tutti::rows::HoldReply;
using Stub = tutti::rows::Parts::Stub;

template <typename Reply> struct Call {
  grpc::ClientContext context;
  std::optional<CallLimit> limit = std::nullopt;
  Reply reply;
  grpc::Status status = {}; ///< once it has ended
  std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
};

/// Of all servers. They end by a queue: the threads that call gRPC's callbacks sleep until times of
/// day (CallbackAlternativeCQ), and somebody may set that clock.
template <typename Reply> struct Calls {
  grpc::CompletionQueue queue; // outlives the calls
  std::deque<Call<Reply>> all;
};

const Answer &answer_of(const Answer &answer) { return answer; }
const Answer &answer_of(const HoldReply &reply) { return reply.answer(); }
const Answer &answer_of(const FinishReply &reply) { return reply.answer(); }

class Parts final : public PartKeeper {
public:
  Parts(const std::vector<std::string> &addresses, double seconds, const Security &security)
      : addresses(addresses), seconds(seconds), security(security) {
    for (const std::string &address : addresses) {
      channels.push_back(security.open(address));
      stubs.push_back(tutti::rows::Parts::NewStub(channels.back()));
    }
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
        seconds,
        [&](Stub &stub, auto *context, auto *queue) {
          return stub.AsyncHold(context, request, queue);
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
    return ask<Answer>(seconds, [&](Stub &stub, auto *context, auto *queue) {
      return stub.AsyncBegin(context, request, queue);
    });
  }

  Result<SaveProgress> follow_save(int64_t step, double longest) override {
    tutti::rows::SaveRequest request;
    request.set_step(step);
    Calls<FinishReply> calls;
    run_all(calls, longest, [&](Stub &stub, auto *context, auto *queue) {
      return stub.AsyncFinish(context, request, queue);
    });
    SaveProgress all = {true, 0, ""};
    Error first;
    for (size_t number = 0; number < stubs.size(); ++number) {
      const Call<FinishReply> &call = calls.all[number];
      Error error = outcome(number, call);
      bool is_silent = error.status == TUTTI_STALLED && !call.status.ok();
      if (error && !is_silent && !first)
        first = error;
      all.rows += call.reply.rows();
      if (!call.reply.is_done())
        all.is_done = false, all.whom += text(all.whom.empty() ? "server " : ", server ", number,
                                              is_silent ? " (which does not answer)" : "");
    }
    return first ? Result<SaveProgress>(first) : all;
  }

  Error load(int64_t step) override {
    tutti::rows::LoadRequest request;
    request.set_step(step);
    return ask<Answer>(seconds, [&](Stub &stub, auto *context, auto *queue) {
      return stub.AsyncLoad(context, request, queue);
    });
  }

private:
  static void ignore(const Answer &) {}

  Error meet_all() const {
    for (size_t number = 0; number < channels.size(); ++number)
      if (Error error = security.meet(channels[number], addresses[number], seconds))
        return Error::make(error.status, "server ", number, ": ", error.message);
    return Error::success();
  }

  /// Calls of all servers, each of which takes at most so long. Returns once they have ended.
  template <typename Reply, typename Begin>
  void run_all(Calls<Reply> &calls, double longest, Begin begin) {
    for (size_t number = 0; number < stubs.size(); ++number) {
      Call<Reply> &call = calls.all.emplace_back();
      security.sign(call.context, addresses[number]);
      call.limit.emplace(security.watch(), call.context, longest);
      call.reader = begin(*stubs[number], &call.context, &calls.queue);
      call.reader->Finish(&call.reply, &call.status, &call);
    }
    void *tag;
    bool is_whole;
    for (size_t ended = 0; ended < calls.all.size() && calls.queue.Next(&tag, &is_whole); ++ended) {
    }
    calls.queue.Shutdown();
    while (calls.queue.Next(&tag, &is_whole)) {
    }
    for (Call<Reply> &call : calls.all)
      call.status = call.limit->outcome(call.status);
  }

  /// `use` gets the replies of servers that have no error.
  template <typename Reply, typename Begin, typename Use = void (*)(const Reply &)>
  Error ask(double longest, Begin begin, Use use = ignore) {
    if (Error error = meet_all())
      return error;
    Calls<Reply> calls;
    run_all(calls, longest, begin);
    Error first;
    for (size_t number = 0; number < stubs.size(); ++number) {
      Error error = outcome(number, calls.all[number]);
      if (!error)
        use(calls.all[number].reply);
      else if (!first)
        first = error;
    }
    return first;
  }

  template <typename Reply> Error outcome(size_t number, const Call<Reply> &call) const {
    const grpc::Status &status = call.status;
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
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  std::vector<std::unique_ptr<Stub>> stubs;
};

} // namespace

std::unique_ptr<PartKeeper> RemoteParts::connect(const std::vector<std::string> &addresses,
                                                 double seconds, const Security &security) {
  return std::make_unique<Parts>(addresses, seconds, security);
}

} // namespace tutti::runtime::servers
