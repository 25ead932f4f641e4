// Pulls and pushes over gRPC.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteRows.h"

#include "runtime/servers/Placement.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <grpcpp/grpcpp.h>
#include <unordered_map>

namespace tutti::runtime::servers {
namespace {

using tutti::rows::Answer;

/// Calls of all servers, started together and awaited together.
template <typename Reply> class Calls {
public:
  explicit Calls(size_t count) : calls(count) {}

  /// start(context, queue) begins the call of server `number`.
  template <typename Start>
  void start(size_t number, std::chrono::system_clock::time_point deadline, Start start) {
    Call &call = calls[number];
    call.context.set_deadline(deadline);
    call.context.set_wait_for_ready(true);
    call.reader = start(&call.context, &queue);
    call.reader->Finish(&call.reply, &call.status, &call);
    ++open;
  }

  void wait() {
    void *tag;
    for (bool is_done; open > 0 && queue.Next(&tag, &is_done); --open)
      static_cast<Call *>(tag)->is_done = true;
  }

  bool is_started(size_t number) const { return calls[number].reader != nullptr; }
  Reply &reply(size_t number) { return calls[number].reply; }
  const grpc::Status &status(size_t number) const { return calls[number].status; }

private:
  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
    Reply reply;
    grpc::Status status;
    bool is_done = false;
  };
  grpc::CompletionQueue queue; // outlives the calls
  std::vector<Call> calls;
  int64_t open = 0;
};

std::string packed(const std::vector<int64_t> &indices) {
  return {reinterpret_cast<const char *>(indices.data()), indices.size() * sizeof(int64_t)};
}

class Rows final : public RemoteRows {
public:
  Rows(const RunOfServers &run, int64_t worker, std::vector<worker::ServedTable> tables,
       const std::vector<std::string> &addresses)
      : run(run), worker(worker), tables(std::move(tables)),
        addresses(addresses), functions{sizeof functions, this, pull_rows, push_rows} {
    for (size_t number = 0; number < this->tables.size(); ++number)
      placements.emplace_back(this->tables, number, run.servers);
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    for (const std::string &address : addresses)
      stubs.push_back(tutti::rows::Rows::NewStub(
          grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments)));
  }

  const tutti_row_service *service() const override { return &functions; }

  Error read(int64_t table, int64_t step, int64_t first, int64_t count, char *out) override {
    std::vector<int64_t> indices(count);
    for (int64_t i = 0; i < count; ++i)
      indices[i] = first + i;
    return pull({table, step, count, indices.data()}, out, /*states=*/true);
  }

  Error greet() {
    Calls<Answer> calls(stubs.size());
    for (size_t number = 0; number < stubs.size(); ++number) {
      tutti::rows::GreetRequest request;
      request.set_run(run.fingerprint);
      request.set_worker(worker);
      request.set_workers(run.workers);
      request.set_server(number);
      request.set_servers(run.servers);
      calls.start(number, deadline(), [&](auto *context, auto *queue) {
        return stubs[number]->AsyncGreet(context, request, queue);
      });
    }
    return finish(calls, [](const Answer &answer) { return &answer; });
  }

private:
  std::chrono::system_clock::time_point deadline() const {
    return std::chrono::system_clock::now() +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(
               std::chrono::duration<double>(run.seconds));
  }

  /// Waits for all; the error of the first server that has one.
  template <typename Reply, typename AnswerOf>
  Error finish(Calls<Reply> &calls, AnswerOf answer_of) const {
    calls.wait();
    for (size_t number = 0; number < stubs.size(); ++number) {
      if (!calls.is_started(number))
        continue;
      const grpc::Status &status = calls.status(number);
      if (!status.ok())
        return Error::make(status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED
                               ? TUTTI_STALLED
                               : TUTTI_PEER_FAILED,
                           "server ", number, " at '", addresses[number],
                           "' does not answer: ", status.error_message());
      const Answer *answer = answer_of(calls.reply(number));
      if (answer->status() != TUTTI_OK)
        return Error::make(answer->status(), "server ", number, ": ", answer->message());
    }
    return Error::success();
  }

  /// That rows are in range is promised by who asks, see tutti/rows.h.
  Result<const worker::ServedTable *> table_of(const tutti_row_list &list) const {
    if (list.table < 0 || list.table >= int64_t(tables.size()))
      return Error::make(TUTTI_BAD_PROGRAM, "there is no table ", list.table, " of ",
                         tables.size());
    return &tables[list.table];
  }

  int64_t bytes_of(const worker::ServedTable &table, bool states) const {
    return table.row_bytes() * (states ? int64_t(table.states.size()) + 1 : 1);
  }

  Error pull(const tutti_row_list &list, char *out, bool states) {
    Result<const worker::ServedTable *> found_table = table_of(list);
    if (!found_table)
      return found_table.error();
    const worker::ServedTable &table = **found_table;
    const Placement &placement = placements[list.table];
    /// Whose answer has a row, and at which place.
    struct Found {
      int64_t server, place;
    };
    std::unordered_map<int64_t, Found> found;
    std::vector<std::vector<int64_t>> wanted(stubs.size());
    for (int64_t i = 0; i < list.count; ++i) {
      auto [entry, is_new] = found.try_emplace(list.indices[i]);
      if (!is_new)
        continue;
      int64_t server = placement.server_of(list.indices[i]);
      entry->second = {server, int64_t(wanted[server].size())};
      wanted[server].push_back(list.indices[i]);
    }
    Calls<tutti::rows::PullReply> calls(stubs.size());
    for (size_t number = 0; number < stubs.size(); ++number) {
      if (wanted[number].empty())
        continue;
      tutti::rows::PullRequest request;
      request.set_table(list.table);
      request.set_step(list.step);
      request.set_indices(packed(wanted[number]));
      request.set_states(states);
      calls.start(number, deadline(), [&](auto *context, auto *queue) {
        return stubs[number]->AsyncPull(context, request, queue);
      });
    }
    if (Error error = finish(calls, [](const auto &reply) { return &reply.answer(); }))
      return error;
    int64_t bytes = bytes_of(table, states);
    for (size_t number = 0; number < stubs.size(); ++number)
      if (calls.reply(number).rows().size() != wanted[number].size() * bytes)
        return Error::make(TUTTI_BAD_DATA, "server ", number, " answers ", wanted[number].size(),
                           " rows with ", calls.reply(number).rows().size(), " bytes");
    for (int64_t i = 0; i < list.count; ++i) {
      const Found &at = found[list.indices[i]];
      std::memcpy(out + i * bytes, calls.reply(at.server).rows().data() + at.place * bytes, bytes);
    }
    return Error::success();
  }

  /// Every server gets a push, also without rows: it waits for one of each worker.
  Error push(const tutti_row_list &list, const char *gradients, std::string_view scalars) {
    Result<const worker::ServedTable *> found_table = table_of(list);
    if (!found_table)
      return found_table.error();
    const worker::ServedTable &table = **found_table;
    const Placement &placement = placements[list.table];
    int64_t bytes = bytes_of(table, /*states=*/false);
    std::vector<std::vector<int64_t>> indices(stubs.size());
    std::vector<std::string> parts(stubs.size());
    for (int64_t i = 0; i < list.count; ++i) {
      int64_t server = placement.server_of(list.indices[i]);
      indices[server].push_back(list.indices[i]);
      parts[server].append(gradients + i * bytes, bytes);
    }
    Calls<Answer> calls(stubs.size());
    for (size_t number = 0; number < stubs.size(); ++number) {
      tutti::rows::PushRequest request;
      request.set_worker(worker);
      request.set_table(list.table);
      request.set_step(list.step);
      request.set_indices(packed(indices[number]));
      request.set_gradients(std::move(parts[number]));
      request.set_scalars(std::string(scalars));
      calls.start(number, deadline(), [&](auto *context, auto *queue) {
        return stubs[number]->AsyncPush(context, request, queue);
      });
    }
    return finish(calls, [](const Answer &answer) { return &answer; });
  }

  static int32_t answer(const Error &error, char *message, int64_t message_bytes) {
    if (error)
      std::snprintf(message, message_bytes, "%s", error.message.c_str());
    return error.status;
  }

  static int32_t pull_rows(void *self, const tutti_row_list *list, void *rows, char *message,
                           int64_t message_bytes) {
    try {
      return answer(static_cast<Rows *>(self)->pull(*list, static_cast<char *>(rows),
                                                    /*states=*/false),
                    message, message_bytes);
    } catch (const std::exception &error) {
      return answer(Error::make(TUTTI_OUT_OF_MEMORY, error.what()), message, message_bytes);
    }
  }

  static int32_t push_rows(void *self, const tutti_row_list *list, const void *gradients,
                           const void *scalars, int64_t scalar_bytes, char *message,
                           int64_t message_bytes) {
    try {
      std::string_view packed(static_cast<const char *>(scalars), size_t(scalar_bytes));
      return answer(
          static_cast<Rows *>(self)->push(*list, static_cast<const char *>(gradients), packed),
          message, message_bytes);
    } catch (const std::exception &error) {
      return answer(Error::make(TUTTI_OUT_OF_MEMORY, error.what()), message, message_bytes);
    }
  }

  RunOfServers run;
  int64_t worker;
  std::vector<worker::ServedTable> tables;
  std::vector<Placement> placements; ///< by table
  std::vector<std::string> addresses;
  std::vector<std::unique_ptr<tutti::rows::Rows::Stub>> stubs;
  tutti_row_service functions;
};

} // namespace

Result<std::unique_ptr<RemoteRows>> RemoteRows::connect(const RunOfServers &run, int64_t worker,
                                                        std::vector<worker::ServedTable> tables,
                                                        const std::vector<std::string> &addresses) {
  if (int64_t(addresses.size()) != run.servers || run.servers < 1)
    return Error::make(TUTTI_INVALID_ARGUMENT, addresses.size(), " addresses of ", run.servers,
                       " servers");
  auto rows = std::make_unique<Rows>(run, worker, std::move(tables), addresses);
  if (Error error = rows->greet())
    return error;
  return std::unique_ptr<RemoteRows>(std::move(rows));
}

} // namespace tutti::runtime::servers
