// Calls of one server, and their answers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RpcChannel.h"

#include "runtime/servers/rpc/Greeting.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"

#include <chrono>
#include <deque>
#include <grpcpp/grpcpp.h>
#include <set>

namespace tutti::runtime::servers {
namespace {

using tutti::rows::Answer;
using tutti::rows::PositionReply;
using tutti::rows::PullReply;

struct AnyCall {
  grpc::ClientContext context;
  grpc::Status status;
  bool is_done = false;
};

template <typename Reply> struct Call : AnyCall {
  Reply reply;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
};

const Answer &answer_of(const Answer &answer) { return answer; }
const Answer &answer_of(const PullReply &reply) { return reply.answer(); }
const Answer &answer_of(const PositionReply &reply) { return reply.answer(); }

std::string packed(const std::vector<int64_t> &rows) {
  return {reinterpret_cast<const char *>(rows.data()), rows.size() * sizeof(int64_t)};
}

class Channel final : public RpcChannel {
public:
  Channel(const RunOfServers &run, int64_t worker, int64_t number, const std::string &address)
      : run(run), worker(worker), number(number), address(address) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive_milliseconds);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive_milliseconds);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    stub = tutti::rows::Rows::NewStub(
        grpc::CreateCustomChannel(address, run.security.of_client(), arguments));
  }

  /// What was pushed still arrives, unless something has failed. The queue must see the end of
  /// every call.
  ~Channel() override {
    while (!has_failed && !pushes.empty())
      (void)finish_first_push();
    for (const std::unique_ptr<Call<Answer>> &push : pushes)
      push->context.TryCancel();
    if (greeting)
      greeting->context.TryCancel();
    if (pull)
      pull->context.TryCancel();
    if (attendance)
      attendance->context.TryCancel(); // the writer goes first
    queue.Shutdown();
    void *tag;
    for (bool is_whole; queue.Next(&tag, &is_whole);) {
    }
  }

  void start_greeting() override {
    tutti::rows::GreetRequest request = make_greeting(run, worker, number);
    greeting =
        start<Answer>([&](auto *context) { return stub->AsyncGreet(context, request, &queue); });
  }

  Error finish_greeting() override { return finish(*greeting); }

  Result<int64_t> position() override {
    tutti::rows::PositionRequest request;
    request.set_worker(worker);
    auto call = start<PositionReply>(
        [&](auto *context) { return stub->AsyncPosition(context, request, &queue); });
    Error error = finish(*call);
    return error ? Result<int64_t>(error) : call->reply.steps();
  }

  Error attend() override {
    attendance = std::make_unique<Attendance>();
    run.security.sign(attendance->context);
    attendance->writer = stub->Attend(&attendance->context, &attendance->answer);
    tutti::rows::Attendance here;
    here.set_worker(worker);
    attendance->writer->Write(here);
    attendance->writer->WaitForInitialMetadata(); // the server has read it, or ends the call
    if (attendance->context.GetServerInitialMetadata().count(welcome_field) > 0)
      return Error::success();
    grpc::Status status = attendance->writer->Finish();
    Answer answer = attendance->answer;
    attendance.reset();
    if (!status.ok())
      return no_answer(status);
    return Error::make(answer.status(), "server ", number, ": ", answer.message());
  }

  void leave(const Error &failure) override {
    if (!attendance)
      return;
    tutti::rows::Attendance last;
    last.set_worker(worker);
    last.set_is_done(!failure);
    last.set_failure(failure.message);
    attendance->writer->WriteLast(last, {});
    (void)attendance->writer->Finish(); // a server that is gone does not mind
    attendance.reset();
  }

  Error start_pull(const RowPull &asked) override {
    if (Error error = finish_pushes())
      return error;
    tutti::rows::PullRequest request;
    request.set_table(asked.table);
    request.set_step(asked.step);
    request.set_indices(packed(asked.rows));
    request.set_states(asked.states);
    request.set_worker(worker);
    answer_bytes = int64_t(asked.rows.size()) * asked.row_bytes;
    pull =
        start<PullReply>([&](auto *context) { return stub->AsyncPull(context, request, &queue); });
    return Error::success();
  }

  Result<const char *> finish_pull() override {
    if (Error error = finish(*pull))
      return error;
    const std::string &rows = pull->reply.rows();
    if (int64_t(rows.size()) != answer_bytes)
      return Error::make(TUTTI_BAD_DATA, "server ", number, " answers a pull of ", answer_bytes,
                         " bytes with ", rows.size());
    return rows.data();
  }

  /// Calls may overtake each other: those to one table are made one after the other.
  Error start_push(const RowPush &push) override {
    if (pushed_tables.count(push.table) > 0)
      if (Error error = finish_pushes())
        return error;
    pushed_tables.insert(push.table);
    tutti::rows::PushRequest request;
    request.set_worker(worker);
    request.set_table(push.table);
    request.set_step(push.step);
    request.set_indices(packed(push.rows));
    request.mutable_gradients()->resize(push.wire_bytes());
    push.gather(request.mutable_gradients()->data());
    request.set_scalars(std::string(push.scalars));
    pushes.push_back(
        start<Answer>([&](auto *context) { return stub->AsyncPush(context, request, &queue); }));
    constexpr size_t most = 64; // of which the answers are open
    return pushes.size() > most ? finish_first_push() : Error::success();
  }

  Error finish_pushes() override {
    Error first;
    while (!pushes.empty())
      if (Error error = finish_first_push(); error && !first)
        first = error;
    pushed_tables.clear();
    return first;
  }

private:
  static constexpr int keepalive_milliseconds = 20000;
  /// A server that waits for other workers says so after its time, and can say more than we.
  static constexpr double seconds_to_answer = 1;

  std::chrono::system_clock::time_point deadline() const {
    return std::chrono::system_clock::now() +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(
               std::chrono::duration<double>(run.seconds + seconds_to_answer));
  }

  template <typename Reply, typename Begin> std::unique_ptr<Call<Reply>> start(Begin begin) {
    auto call = std::make_unique<Call<Reply>>();
    call->context.set_deadline(deadline());
    call->context.set_wait_for_ready(true);
    run.security.sign(call->context);
    call->reader = begin(&call->context);
    call->reader->Finish(&call->reply, &call->status, static_cast<AnyCall *>(call.get()));
    return call;
  }

  Error no_answer(const grpc::Status &status) const {
    return Error::make(status_of(status), "server ", number, " at '", address,
                       "' does not answer: ", status.error_message());
  }

  /// Calls end in any order.
  template <typename Reply> Error finish(Call<Reply> &call) {
    void *tag;
    for (bool is_whole; !call.is_done && queue.Next(&tag, &is_whole);)
      static_cast<AnyCall *>(tag)->is_done = true;
    has_failed |= !call.status.ok() || answer_of(call.reply).status() != TUTTI_OK;
    if (!call.status.ok())
      return no_answer(call.status);
    const Answer &answer = answer_of(call.reply);
    if (answer.status() != TUTTI_OK)
      return Error::make(answer.status(), "server ", number, ": ", answer.message());
    return Error::success();
  }

  Error finish_first_push() {
    std::unique_ptr<Call<Answer>> call = std::move(pushes.front());
    pushes.pop_front();
    return finish(*call);
  }

  RunOfServers run;
  int64_t worker, number;
  std::string address;
  std::unique_ptr<tutti::rows::Rows::Stub> stub;
  grpc::CompletionQueue queue; // outlives the calls
  std::unique_ptr<Call<Answer>> greeting;
  std::unique_ptr<Call<PullReply>> pull;
  /// A call that is open as long as this worker is there.
  struct Attendance {
    grpc::ClientContext context;
    Answer answer;
    std::unique_ptr<grpc::ClientWriter<tutti::rows::Attendance>> writer;
  };
  std::unique_ptr<Attendance> attendance;
  int64_t answer_bytes = 0;
  bool has_failed = false;
  std::deque<std::unique_ptr<Call<Answer>>> pushes; ///< whose answers are open
  std::set<int64_t> pushed_tables;                  ///< that some of them may be of
};

} // namespace

std::unique_ptr<RpcChannel> RpcChannel::make(const RunOfServers &run, int64_t worker,
                                             int64_t number, const std::string &address) {
  return std::make_unique<Channel>(run, worker, number, address);
}

} // namespace tutti::runtime::servers
