// The calls of Parts.proto, of all servers at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteParts.h"

#include "runtime/servers/rpc/Parts.grpc.pb.h"
#include "runtime/support/Stopwatch.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <future>
#include <grpcpp/grpcpp.h>

namespace tutti::runtime::servers {
namespace {

using tutti::rows::Answer;
using tutti::rows::FinishReply;
using tutti::rows::HoldReply;
using Stub = tutti::rows::Parts::Stub;

/// A call that is under way.
template <typename Reply> struct Call {
  grpc::ClientContext context;
  Reply reply;
  std::future<grpc::Status> status;
  grpc::Status status_got = {}; ///< once it has ended
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
    return ask<Answer>(seconds, [&](Stub &stub, Call<Answer> &call, auto done) {
      stub.async()->Begin(&call.context, &request, &call.reply, done);
    });
  }

  Result<SaveProgress> follow_save(int64_t step, double longest) override {
    tutti::rows::SaveRequest request;
    request.set_step(step);
    std::deque<Call<FinishReply>> calls;
    start_all(calls, longest, [&](Stub &stub, Call<FinishReply> &call, auto done) {
      stub.async()->Finish(&call.context, &request, &call.reply, done);
    });
    SaveProgress all = {true, 0, ""};
    Error first;
    for (size_t number = 0; number < stubs.size(); ++number) { // all of them: they use `calls`
      Error error = outcome(number, calls[number]);
      bool is_silent = error.status == TUTTI_STALLED && !calls[number].status_got.ok();
      if (error && !is_silent && !first)
        first = error;
      all.rows += calls[number].reply.rows();
      if (!calls[number].reply.is_done())
        all.is_done = false, all.whom += text(all.whom.empty() ? "server " : ", server ", number,
                                              is_silent ? " (which does not answer)" : "");
    }
    return first ? Result<SaveProgress>(first) : all;
  }

  Error load(int64_t step) override {
    tutti::rows::LoadRequest request;
    request.set_step(step);
    return ask<Answer>(seconds, [&](Stub &stub, Call<Answer> &call, auto done) {
      stub.async()->Load(&call.context, &request, &call.reply, done);
    });
  }

private:
  static void ignore(const Answer &) {}

  static std::chrono::system_clock::time_point in(double seconds) {
    return std::chrono::system_clock::now() +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(
               std::chrono::duration<double>(seconds));
  }

  Error meet_all() const {
    for (size_t number = 0; number < channels.size(); ++number)
      if (Error error = security.meet(channels[number], addresses[number], in(seconds)))
        return Error::make(error.status, "server ", number, ": ", error.message);
    return Error::success();
  }

  /// Calls of all servers, each of which takes at most so long.
  template <typename Reply, typename Start>
  void start_all(std::deque<Call<Reply>> &calls, double longest, Start start) {
    for (size_t number = 0; number < stubs.size(); ++number) {
      Call<Reply> &call = calls.emplace_back();
      security.sign(call.context, addresses[number]);
      call.context.set_deadline(in(longest));
      auto status = std::make_shared<std::promise<grpc::Status>>();
      call.status = status->get_future();
      start(*stubs[number], call, [status](grpc::Status got) { status->set_value(got); });
    }
  }

  /// `use` gets the replies of servers that have no error.
  template <typename Reply, typename Start, typename Use = void (*)(const Reply &)>
  Error ask(double longest, Start start, Use use = ignore) {
    if (Error error = meet_all())
      return error;
    std::deque<Call<Reply>> calls;
    start_all(calls, longest, start);
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
    const grpc::Status &status = call.status_got = call.status.get();
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

Error await_save(PartKeeper &parts, int64_t step, double warning, double limit) {
  constexpr double seconds_of_call = 2; // a server says sooner that it is still writing
  Stopwatch since;
  int64_t rows = -1;
  for (bool has_warned = false;;) {
    Result<SaveProgress> progress = parts.follow_save(step, std::min(seconds_of_call, limit));
    if (!progress)
      return progress.error();
    if (progress->is_done)
      return Error::success();
    if (progress->rows > rows)
      rows = progress->rows, since = Stopwatch(), has_warned = false;
    std::string what =
        text("the checkpoint of step ", step, ": waited ", int64_t(since.seconds()),
             " s for the part of ", progress->whom, ", of which nothing was written");
    if (since.seconds() >= limit)
      return Error::make(TUTTI_STALLED, what);
    if (since.seconds() >= warning && !has_warned) {
      has_warned = true;
      std::fprintf(stderr, "tutti: warning: %s\n", what.c_str());
    }
  }
}

std::unique_ptr<PartKeeper> RemoteParts::connect(const std::vector<std::string> &addresses,
                                                 double seconds, const Security &security) {
  return std::make_unique<Parts>(addresses, seconds, security);
}

} // namespace tutti::runtime::servers
