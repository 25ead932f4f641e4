// Calls of one server, and their answers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RpcChannel.h"

#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Handshake.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"
#include "runtime/support/system/HeldSignals.h"
#include "runtime/support/system/Reachability.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <grpcpp/grpcpp.h>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace tutti::runtime::servers {
namespace {

using tutti::rows::Answer;
using tutti::rows::PositionReply;
using tutti::rows::PullReply;

struct AnyCall {
  grpc::ClientContext context;
  std::optional<CallLimit> limit;
  grpc::Status status;
  bool is_done = false;
};

template <typename Reply> struct Call : AnyCall {
  Reply reply;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
};

/// Whose messages are in the metadata. Its begin has no tag.
struct Meeting : AnyCall {
  std::unique_ptr<grpc::ClientAsyncReaderWriter<tutti::rows::Nothing, tutti::rows::Nothing>> stream;
};

const Answer &answer_of(const Answer &answer) { return answer; }
const Answer &answer_of(const PullReply &reply) { return reply.answer(); }
const Answer &answer_of(const PositionReply &reply) { return reply.answer(); }

class Channel final : public RpcChannel {
public:
  Channel(const RunOfServers &run, int64_t worker, int64_t number, const std::string &address)
      : run(run), worker(worker), number(number), address(address),
        stub(tutti::rows::Rows::NewStub(run.security.open(address))) {}

  /// What was pushed still arrives, unless something has failed. The queue must see the end of
  /// every call.
  ~Channel() override {
    if (!has_failed)
      (void)post_pushes();
    while (!has_failed && !pushes.empty())
      (void)finish_first_push();
    for (const std::unique_ptr<Call<Answer>> &push : pushes)
      push->context.TryCancel();
    if (meeting)
      meeting->context.TryCancel();
    if (handshake)
      handshake->context.TryCancel();
    for (auto *call : {pull.get(), ahead.get()})
      if (call)
        call->context.TryCancel();
    if (membership)
      membership->context.TryCancel(); // the writer goes first
    queue.Shutdown();
    void *tag;
    for (bool is_whole; queue.Next(&tag, &is_whole);) {
    }
  }

  void start_handshake() override {
    if (run.security.has_met(address))
      return shake_hands();
    challenge = run.security.challenge();
    meeting = std::make_unique<Meeting>();
    set_up(*meeting);
    Security::show(meeting->context, challenge);
    meeting->stream = stub->PrepareAsyncMeet(&meeting->context, &queue);
    meeting->stream->StartCall(nullptr);
    meeting->stream->Finish(&meeting->status, static_cast<AnyCall *>(meeting.get()));
  }

  Error finish_handshake() override {
    if (meeting) {
      if (const grpc::Status &status = wait_aloud(*meeting); !status.ok())
        return has_failed = true, unreachable(status);
      tutti::rows::MeetReply reply = Security::answer_to(meeting->context);
      if (Error error = run.security.check(address, challenge, reply))
        return has_failed = true, Error::make(error.status, "server ", number, ": ", error.message);
      shake_hands();
    }
    return finish(*handshake);
  }

  Result<int64_t> position() override {
    tutti::rows::PositionRequest request;
    request.set_worker(worker);
    auto call = start<PositionReply>(
        [&](auto *context) { return stub->AsyncPosition(context, request, &queue); });
    Error error = finish(*call);
    return error ? Result<int64_t>(error) : call->reply.steps();
  }

  Error attend() override {
    membership = std::make_unique<Membership>();
    run.security.sign(membership->context, address);
    membership->writer = stub->Join(&membership->context, &membership->answer);
    tutti::rows::Membership here;
    here.set_worker(worker);
    auto &writer = *membership->writer;
    end_in_time(membership->context, run.seconds + seconds_to_answer, [&] {
      writer.Write(here);
      writer.WaitForInitialMetadata(); // the server has read it, or ends the call
    });
    if (membership->context.GetServerInitialMetadata().count(welcome_field) > 0)
      return Error::success();
    grpc::Status status = membership->writer->Finish();
    Answer answer = membership->answer;
    membership.reset();
    if (!status.ok())
      return no_answer(status);
    return Error::make(answer.status(), "server ", number, ": ", answer.message());
  }

  void leave(const Error &failure) override {
    if (!membership)
      return;
    tutti::rows::Membership last;
    last.set_worker(worker);
    last.set_is_done(!failure);
    last.set_failure(failure.message);
    auto &writer = *membership->writer;
    end_in_time(membership->context, seconds_to_leave, [&] {
      writer.WriteLast(last, {});
      (void)writer.Finish(); // a server that is gone does not mind
    });
    membership.reset();
  }

  Error start_pull(const RowRequest &asked) override {
    if (Error error = check_pull(asked.parts))
      return error;
    if (Error error = finish_pushes())
      return error;
    is_ahead.clear();
    answer_bytes.clear();
    tables_of_pull.clear();
    for (const RowPart &part : asked.parts) {
      is_ahead.push_back(part.is_prefetched);
      answer_bytes.push_back(part.is_prefetched ? part.row_bytes : part.count() * part.row_bytes);
      tables_of_pull.push_back(part.table);
    }
    bool is_any_ahead = std::find(is_ahead.begin(), is_ahead.end(), true) != is_ahead.end();
    if (Error error = is_any_ahead && ahead ? finish(*ahead) : Error::success())
      return error; // calls may overtake each other
    tutti::rows::PullRequest request = encoded(asked);
    pull =
        start<PullReply>([&](auto *context) { return stub->AsyncPull(context, request, &queue); });
    return Error::success();
  }

  Result<std::vector<char *>> finish_pull() override {
    if (Error error = finish(*pull))
      return error;
    PullReply &reply = pull->reply;
    if (size_t(reply.parts_size()) != answer_bytes.size())
      return bad_answer(answer_bytes.size(), "parts", reply.parts_size());
    std::vector<char *> places;
    for (size_t part = 0; part < answer_bytes.size(); ++part) {
      Result<char *> place = is_ahead[part]
                                 ? replace_changed(part, reply.parts(int(part)))
                                 : place_of(*reply.mutable_parts(int(part)), answer_bytes[part]);
      if (!place)
        return place.error();
      places.push_back(*place);
    }
    return places;
  }

  Error prefetch(const RowRequest &asked) override {
    if (ahead)
      (void)wait(*ahead); // what it says comes too late
    ahead.reset();
    tables_ahead.clear();
    if (asked.parts.empty())
      return Error::success();
    if (Error error = check_pull(asked.parts))
      return error;
    for (const RowPart &part : asked.parts)
      tables_ahead[part.table] = {int(tables_ahead.size()), part.count() * part.row_bytes};
    tutti::rows::PullRequest request = encoded(asked);
    ahead = start<PullReply>(
        [&](auto *context) { return stub->AsyncPrefetch(context, request, &queue); });
    return Error::success();
  }

  /// Calls may overtake each other: those to one table are made one after the other.
  Error add_push(int64_t step, const RowPart &part, const RowGradients &gradients) override {
    int64_t bytes = gradients.wire_bytes() + int64_t(part.indices.size());
    if (Error error = check_message("a push", part.count(), bytes))
      return error;
    bool fits = int64_t(open.ByteSizeLong()) + bytes <= most_message_bytes;
    bool joins = open.parts_size() == 0 || (open.step() == step && fits);
    if (pushed_tables.count(part.table) > 0 || !joins)
      if (Error error = finish_pushes())
        return error;
    pushed_tables.insert(part.table);
    open.set_worker(worker);
    open.set_step(step);
    tutti::rows::PushPart &pushed = *open.add_parts();
    pushed.set_table(part.table);
    pushed.set_indices(std::string(part.indices));
    pushed.mutable_gradients()->resize(gradients.wire_bytes());
    gradients.gather(pushed.mutable_gradients()->data());
    pushed.set_scalars(std::string(part.scalars));
    return Error::success();
  }

  Error post_pushes() override {
    if (open.parts_size() == 0)
      return Error::success();
    pushes.push_back(
        start<Answer>([&](auto *context) { return stub->AsyncPush(context, open, &queue); }));
    open.clear_parts();
    constexpr size_t most = 64; // of which the answers are open
    return pushes.size() > most ? finish_first_push() : Error::success();
  }

  Error finish_pushes() override {
    Error first = post_pushes();
    while (!pushes.empty())
      if (Error error = finish_first_push(); error && !first)
        first = error;
    pushed_tables.clear();
    return first;
  }

private:
  void shake_hands() {
    tutti::rows::HandshakeRequest request = make_handshake(run, worker, number);
    handshake = start<Answer>(
        [&](auto *context) { return stub->AsyncHandshake(context, request, &queue); });
  }

  /// Protocol buffers end below 2 GiB; a message is more than its rows.
  static constexpr int64_t most_message_bytes = (int64_t(1) << 31) - (1 << 20);
  /// A server that waits for other workers says so after its time, and can say more than we.
  static constexpr double seconds_to_answer = 1;
  /// A server that is asked to let a worker go has nothing else to do for that.
  static constexpr double seconds_to_leave = 5;

  /// Runs `act`, which waits for the call of `context`; cancels that after so many seconds.
  template <typename Act>
  static void end_in_time(grpc::ClientContext &context, double seconds, Act act) {
    std::mutex mutex;
    std::condition_variable ended;
    bool is_over = false;
    HeldSignals held;
    std::thread watch([&] {
      std::unique_lock<std::mutex> lock(mutex);
      if (!ended.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return is_over; }))
        context.TryCancel();
    });
    act();
    {
      std::lock_guard<std::mutex> lock(mutex);
      is_over = true;
    }
    ended.notify_all();
    watch.join();
  }

  void set_up(AnyCall &call) const {
    call.limit.emplace(run.security.watch(), call.context, run.seconds + seconds_to_answer);
    call.context.set_wait_for_ready(true);
  }

  template <typename Reply, typename Begin> std::unique_ptr<Call<Reply>> start(Begin begin) {
    auto call = std::make_unique<Call<Reply>>();
    set_up(*call);
    run.security.sign(call->context, address);
    call->reader = begin(&call->context);
    call->reader->Finish(&call->reply, &call->status, static_cast<AnyCall *>(call.get()));
    return call;
  }

  Error check_message(const char *what, int64_t rows, int64_t bytes) const {
    if (bytes <= most_message_bytes)
      return Error::success();
    return Error::make(TUTTI_INVALID_ARGUMENT, what, " of ", rows, " rows has ", bytes,
                       " bytes, and a message to server ", number, " takes up to ",
                       most_message_bytes, "; take more servers, or a smaller global batch");
  }

  /// Of the answer, and of the indices.
  Error check_pull(const std::vector<RowPart> &parts) const {
    int64_t rows = 0, bytes = 0;
    for (const RowPart &part : parts) {
      rows += part.count();
      bytes += part.count() * std::max<int64_t>(part.row_bytes, sizeof(int64_t));
    }
    return check_message("a pull", rows, bytes);
  }

  Error no_answer(const grpc::Status &status) const {
    return Error::make(status_of(status), "server ", number, " at '", address,
                       "' does not answer: ", status.error_message());
  }

  /// Of a server that has never answered.
  Error unreachable(const grpc::Status &status) const {
    Error error = no_answer(status);
    std::string told = tell_reachability(address);
    return Error::make(error.status, error.message, told.empty() ? "" : "; ", told);
  }

  tutti::rows::PullRequest encoded(const RowRequest &asked) const {
    tutti::rows::PullRequest request;
    request.set_worker(worker);
    request.set_step(asked.step);
    request.set_states(asked.states);
    for (const RowPart &of : asked.parts) {
      tutti::rows::PullPart &part = *request.add_parts();
      part.set_table(of.table);
      part.set_is_prefetched(of.is_prefetched);
      part.set_indices(std::string(of.indices));
    }
    return request;
  }

  Error bad_answer(int64_t wanted, const char *unit, int64_t got) const {
    return Error::make(TUTTI_BAD_DATA, "server ", number, " answers a pull of ", wanted, " ", unit,
                       " with ", got);
  }

  Result<char *> place_of(tutti::rows::PulledRows &pulled, int64_t bytes) const {
    if (int64_t(pulled.rows().size()) != bytes)
      return bad_answer(bytes, "bytes", int64_t(pulled.rows().size()));
    return pulled.mutable_rows()->data();
  }

  /// In the answer to what was asked for ahead.
  Result<char *> replace_changed(size_t part, const tutti::rows::PulledRows &changed) {
    auto asked = tables_ahead.find(tables_of_pull[part]);
    if (!ahead || asked == tables_ahead.end())
      return Error::make(TUTTI_INVALID_ARGUMENT, "nothing of table ", tables_of_pull[part],
                         " was asked for ahead of server ", number);
    if (Error error = finish(*ahead))
      return error;
    auto [place, bytes] = asked->second;
    if (place >= ahead->reply.parts_size())
      return bad_answer(int64_t(tables_ahead.size()), "parts", ahead->reply.parts_size());
    Result<char *> rows = place_of(*ahead->reply.mutable_parts(place), bytes);
    if (!rows)
      return rows;
    int64_t row_bytes = answer_bytes[part], count = int64_t(changed.positions().size()) / 8;
    if (int64_t(changed.rows().size()) != count * row_bytes)
      return bad_answer(count * row_bytes, "changed bytes", int64_t(changed.rows().size()));
    for (int64_t i = 0; i < count; ++i) {
      int64_t position;
      std::memcpy(&position, changed.positions().data() + i * 8, sizeof position);
      if (position < 0 || position >= bytes / row_bytes)
        return bad_answer(bytes / row_bytes, "rows", position);
      std::memcpy(*rows + position * row_bytes, changed.rows().data() + i * row_bytes, row_bytes);
    }
    return rows;
  }

  /// Calls end in any order.
  const grpc::Status &wait(AnyCall &call) {
    void *tag;
    for (bool is_whole; !call.is_done && queue.Next(&tag, &is_whole);)
      if (tag)
        static_cast<AnyCall *>(tag)->is_done = true;
    call.status = call.limit->outcome(call.status);
    return call.status;
  }

  /// As wait(), and says once whom it waits for.
  const grpc::Status &wait_aloud(AnyCall &call) {
    bool may_speak = !run.own_name.empty() && run.warn_after < run.seconds;
    void *tag;
    bool is_whole;
    if (may_speak && !call.is_done) {
      auto outcome = queue.AsyncNext(&tag, &is_whole, span_of(run.warn_after));
      if (outcome == grpc::CompletionQueue::GOT_EVENT && tag)
        static_cast<AnyCall *>(tag)->is_done = true;
      else if (outcome == grpc::CompletionQueue::TIMEOUT)
        warn_of_wait();
    }
    return wait(call);
  }

  void warn_of_wait() const {
    std::string told = tell_reachability(address);
    std::fprintf(stderr,
                 "dist-run: warning: %s: waited %g s for ps %lld at '%s' to answer%s%s. The wait "
                 "ends after %g s (--stall-limit)\n",
                 run.own_name.c_str(), run.warn_after, static_cast<long long>(number),
                 address.c_str(), told.empty() ? "" : "; ", told.c_str(), run.seconds);
  }

  template <typename Reply> Error finish(Call<Reply> &call) {
    wait(call);
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
  tutti::rows::MeetRequest challenge;
  std::unique_ptr<Meeting> meeting;
  std::unique_ptr<Call<Answer>> handshake;
  std::unique_ptr<Call<PullReply>> pull, ahead;
  /// A call that is open as long as this worker is there.
  struct Membership {
    grpc::ClientContext context;
    Answer answer;
    std::unique_ptr<grpc::ClientWriter<tutti::rows::Membership>> writer;
  };
  std::unique_ptr<Membership> membership;
  std::vector<int64_t> tables_of_pull; ///< by part
  std::vector<bool> is_ahead;          ///< by part: whether it was asked for before
  std::vector<int64_t> answer_bytes;   ///< by part; of one that was, those of a row
  /// What was asked for: by table, the part and its bytes.
  std::map<int64_t, std::pair<int, int64_t>> tables_ahead;
  tutti::rows::PushRequest open; ///< pushes that are not sent
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
