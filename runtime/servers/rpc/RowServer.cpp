// The service of a server over gRPC.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RowServer.h"

#include "runtime/servers/PackedTable.h"
#include "runtime/servers/rpc/Attendances.h"
#include "runtime/servers/rpc/Greeting.h"
#include "runtime/servers/rpc/PartService.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <grpcpp/grpcpp.h>
#include <limits>

namespace tutti::runtime::servers {
namespace {

void fill(tutti::rows::Answer &answer, const Error &error) {
  answer.set_status(error.status);
  answer.set_message(error.message);
}

/// The indices of a part, which are whole.
std::vector<int64_t> indices_of(const std::string &bytes) {
  std::vector<int64_t> indices(bytes.size() / sizeof(int64_t));
  bytes.copy(reinterpret_cast<char *>(indices.data()), bytes.size());
  return indices;
}

/// Of what somebody else says.
constexpr size_t shown_letters = 64;

class Service final : public tutti::rows::Rows::Service {
public:
  Service(const RunOfServers &run, int64_t number, std::vector<Table *> tables)
      : run(run), number(number), tables(std::move(tables)),
        attendances(run.workers, this->tables, run.is_supervised) {}

  /// As workers know this server. Before any call.
  void hear_at(std::string at) { address = std::move(at); }

  grpc::Status Meet(grpc::ServerContext *, const tutti::rows::MeetRequest *request,
                    tutti::rows::MeetReply *reply) override {
    *reply = run.security.answer(*request, address);
    return grpc::Status::OK;
  }

  grpc::Status Greet(grpc::ServerContext *context, const tutti::rows::GreetRequest *request,
                     tutti::rows::Answer *answer) override {
    if (!run.security.is_signed(*context))
      return refuse_stranger();
    Error error = check_greeting(run, number, *request);
    if (!error)
      error = described.check(*request);
    if (error)
      attendances.refuse(error);
    fill(*answer, error);
    return grpc::Status::OK;
  }

  grpc::Status Pull(grpc::ServerContext *context, const tutti::rows::PullRequest *request,
                    tutti::rows::PullReply *reply) override {
    if (!run.security.is_signed(*context))
      return refuse_stranger();
    fill(*reply->mutable_answer(), pull(*request, *reply));
    return grpc::Status::OK;
  }

  grpc::Status Prefetch(grpc::ServerContext *context, const tutti::rows::PullRequest *request,
                        tutti::rows::PullReply *reply) override {
    if (!run.security.is_signed(*context))
      return refuse_stranger();
    fill(*reply->mutable_answer(), prefetch(*request, *reply));
    return grpc::Status::OK;
  }

  grpc::Status Push(grpc::ServerContext *context, const tutti::rows::PushRequest *request,
                    tutti::rows::Answer *answer) override {
    if (!run.security.is_signed(*context))
      return refuse_stranger();
    fill(*answer, push(*request));
    return grpc::Status::OK;
  }

  grpc::Status Position(grpc::ServerContext *context, const tutti::rows::PositionRequest *request,
                        tutti::rows::PositionReply *reply) override {
    if (!run.security.is_signed(*context))
      return refuse_stranger();
    Result<int64_t> steps = steps_of(request->worker());
    fill(*reply->mutable_answer(), steps.error());
    reply->set_steps(steps ? *steps : 0);
    return grpc::Status::OK;
  }

  grpc::Status Attend(grpc::ServerContext *context,
                      grpc::ServerReader<tutti::rows::Attendance> *letters,
                      tutti::rows::Answer *answer) override {
    if (!run.security.is_signed(*context))
      return refuse_stranger();
    tutti::rows::Attendance first, last;
    if (!letters->Read(&first))
      return grpc::Status::OK;
    Error error = attendances.come(first.worker());
    fill(*answer, error);
    if (error)
      return grpc::Status::OK;
    context->AddInitialMetadata(welcome_field, "1");
    letters->SendInitialMetadata();
    bool has_last = letters->Read(&last);
    attendances.go(first.worker(), has_last && last.is_done(), last.failure());
    return grpc::Status::OK;
  }

  Attendances &workers() { return attendances; }

  grpc::Status Waits(grpc::ServerContext *context, const tutti::rows::WaitsRequest *,
                     tutti::rows::WaitsReply *reply) override {
    if (!run.security.is_signed(*context))
      return refuse_stranger();
    for (const Table *table : tables)
      for (const std::string &wait : table->waits())
        reply->add_waits(wait);
    return grpc::Status::OK;
  }

  grpc::Status Statistics(grpc::ServerContext *context,
                          const tutti::rows::StatisticsRequest *request,
                          tutti::rows::StatisticsReply *reply) override {
    if (!run.security.is_signed(*context))
      return refuse_stranger();
    fill(*reply->mutable_answer(), tell(*request, *reply));
    return grpc::Status::OK;
  }

private:
  Error tell(const tutti::rows::StatisticsRequest &request,
             tutti::rows::StatisticsReply &reply) const {
    if (request.run() != run.fingerprint)
      return Error::make(TUTTI_PLAN_MISMATCH, "this is a server of run '", run.fingerprint,
                         "', not of '", request.run().substr(0, shown_letters), "'");
    for (Table *table : tables) {
      if (Error error = table->settle(request.step(), run.seconds))
        return error;
      const TableStatistics all = table->statistics();
      auto &numbers = *reply.add_tables()->mutable_numbers();
      for_each_number(all, [&](const char *name, int64_t number) { numbers[name] = number; });
      for_each_staleness(all.staleness,
                         [&](const char *name, int64_t number) { numbers[name] = number; });
    }
    return Error::success();
  }

  Result<int64_t> steps_of(int64_t worker) const {
    int64_t fewest = std::numeric_limits<int64_t>::max();
    for (Table *table : tables) {
      Result<int64_t> steps = table->steps_of(worker);
      if (!steps)
        return steps.error();
      fewest = std::min(fewest, *steps);
    }
    return fewest;
  }

  Result<Table *> table_of(int64_t table) const {
    if (table < 0 || table >= int64_t(tables.size()))
      return Error::make(TUTTI_BAD_PROGRAM, "there is no table ", table, " of ", tables.size());
    return tables[table];
  }

  /// What all parts of a request are held to before anything is done.
  template <typename Request> Error check_parts(const Request &request) const {
    std::vector<bool> has_table(tables.size());
    for (const auto &part : request.parts()) {
      Result<Table *> table = table_of(part.table());
      if (!table)
        return table.error();
      if (has_table[part.table()])
        return Error::make(TUTTI_BAD_DATA, "a message has two parts of table ", part.table());
      has_table[part.table()] = true;
      if (part.indices().size() % sizeof(int64_t) != 0)
        return Error::make(TUTTI_BAD_DATA, "indices have ", part.indices().size(),
                           " bytes, which is no number of 64-bit integers");
      if (Error error = check_part(**table, part))
        return error;
    }
    return Error::success();
  }

  static int64_t count_of(const std::string &indices) {
    return int64_t(indices.size() / sizeof(int64_t));
  }

  static Error check_part(const Table &table, const tutti::rows::PullPart &part) {
    int64_t count = count_of(part.indices());
    if (table.rows() < count)
      return Error::make(TUTTI_BAD_DATA, "a pull asks for ", count, " rows of a table of ",
                         table.rows());
    if (part.is_prefetched() && count > 0)
      return Error::make(TUTTI_BAD_DATA, "a pull names ", count,
                         " rows that it says were asked for ahead");
    return Error::success();
  }

  static Error check_part(const Table &table, const tutti::rows::PushPart &part) {
    int64_t count = count_of(part.indices());
    if (int64_t(part.gradients().size()) == count * packed_bytes(table, /*states=*/false))
      return Error::success();
    return Error::make(TUTTI_BAD_DATA, "a push of ", count, " rows brings ",
                       part.gradients().size(), " bytes of gradients");
  }

  Error pull(const tutti::rows::PullRequest &request, tutti::rows::PullReply &reply) const {
    Error error = check_parts(request);
    for (int number = 0; number < request.parts_size() && !error; ++number)
      error = pull(request, request.parts(number), *reply.add_parts());
    if (error)
      reply.clear_parts();
    return error;
  }

  Error pull(const tutti::rows::PullRequest &request, const tutti::rows::PullPart &part,
             tutti::rows::PulledRows &pulled) const {
    Table &table = *tables[part.table()];
    if (part.is_prefetched())
      return pull_changed(table, request, pulled);
    std::vector<int64_t> indices = indices_of(part.indices());
    pulled.mutable_rows()->resize(indices.size() * packed_bytes(table, request.states()));
    return pull_packed(table, request.step(), indices, pulled.mutable_rows()->data(), run.seconds,
                       request.states(), request.worker());
  }

  Error pull_changed(Table &table, const tutti::rows::PullRequest &request,
                     tutti::rows::PulledRows &pulled) const {
    if (request.states())
      return Error::make(TUTTI_BAD_DATA, "rows with states cannot be asked for ahead");
    std::vector<int64_t> positions;
    std::vector<char> rows;
    if (Error error = pull_prefetched_packed(table, request.worker(), request.step(), run.seconds,
                                             positions, rows))
      return error;
    pulled.set_rows(rows.data(), rows.size());
    pulled.set_positions(positions.data(), positions.size() * sizeof(int64_t));
    return Error::success();
  }

  Error prefetch(const tutti::rows::PullRequest &request, tutti::rows::PullReply &reply) const {
    if (request.states())
      return Error::make(TUTTI_BAD_DATA, "rows with states cannot be asked for ahead");
    Error error = check_parts(request);
    for (int number = 0; number < request.parts_size() && !error; ++number) {
      const tutti::rows::PullPart &part = request.parts(number);
      Table &table = *tables[part.table()];
      std::vector<int64_t> indices = indices_of(part.indices());
      std::string &rows = *reply.add_parts()->mutable_rows();
      rows.resize(indices.size() * packed_bytes(table, /*states=*/false));
      error = prefetch_packed(table, request.worker(), request.step(), indices, rows.data());
    }
    if (error)
      reply.clear_parts();
    return error;
  }

  Error push(const tutti::rows::PushRequest &request) const {
    Error error = check_parts(request);
    for (int number = 0; number < request.parts_size() && !error; ++number) {
      const tutti::rows::PushPart &part = request.parts(number);
      error = push_packed(*tables[part.table()], request.worker(), request.step(),
                          indices_of(part.indices()), part.gradients().data(), part.scalars(),
                          run.seconds);
    }
    return error;
  }

  RunOfServers run;
  int64_t number;
  std::string address;
  std::vector<Table *> tables;
  Attendances attendances;
  DescribedRuns described;
};

class Server final : public RowServer {
public:
  Server(const RunOfServers &run, int64_t number, std::vector<Table *> tables, PartKeeper *keeper)
      : run(run), tables(tables), service(run, number, std::move(tables)) {
    if (keeper)
      parts.emplace(*keeper, run.security);
  }

  ~Server() override {
    // Calls that wait end now, not after their time.
    for (Table *table : tables)
      table->abandon(Error::make(TUTTI_PEER_FAILED, "the server ends"));
    if (server)
      server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  }

  Error listen(const std::string &wanted) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.SetMaxReceiveMessageSize(most_bytes());
    builder.AddListeningPort(wanted, run.security.of_server(), &port);
    // Another server on the same port would share its calls.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000);
    service.hear_at(wanted);
    builder.RegisterService(&service);
    if (parts)
      builder.RegisterService(&*parts);
    server = builder.BuildAndStart();
    if (!server)
      return Error::make(TUTTI_SYSTEM_ERROR, "cannot listen at '", wanted, "'");
    size_t colon = wanted.rfind(':');
    bool is_path = wanted.rfind("unix:", 0) == 0;
    heard_at = is_path ? wanted : text(wanted.substr(0, colon), ":", port);
    if (heard_at != wanted) // any port: nobody knows it yet
      service.hear_at(heard_at);
    return Error::success();
  }

  std::string address() const override { return heard_at; }

  Error wait_for_workers(const std::function<Result<bool>(bool has_workers)> &check) override {
    return service.workers().wait_for_all(run.seconds, check);
  }

private:
  /// No message of a worker is larger than a push of all rows of all tables: -1 is what gRPC can.
  int most_bytes() const {
    constexpr double beside_rows = 1 << 20;
    double most = 0;
    for (const Table *table : tables)
      most += double(table->rows()) * double(sizeof(int64_t) + table->bytes_of(/*states=*/false)) +
              beside_rows;
    return most + beside_rows < double(INT_MAX) ? int(most + beside_rows) : -1;
  }

  RunOfServers run;
  std::vector<Table *> tables;
  Service service;
  std::optional<PartService> parts;
  std::unique_ptr<grpc::Server> server;
  std::string heard_at;
};

} // namespace

std::unique_ptr<grpc::Service> make_row_service(const RunOfServers &run, int64_t number,
                                                std::vector<Table *> tables) {
  return std::make_unique<Service>(run, number, std::move(tables));
}

Result<std::unique_ptr<RowServer>> RowServer::start(const RunOfServers &run, int64_t number,
                                                    std::vector<Table *> tables,
                                                    const std::string &address,
                                                    PartKeeper *keeper) {
  auto server = std::make_unique<Server>(run, number, std::move(tables), keeper);
  if (Error error = server->listen(address))
    return error;
  return std::unique_ptr<RowServer>(std::move(server));
}

} // namespace tutti::runtime::servers
