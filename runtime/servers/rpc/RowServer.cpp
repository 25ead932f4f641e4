// The service of a server over gRPC.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RowServer.h"

#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Membership.h"
#include "runtime/servers/rpc/PartService.h"
#include "runtime/servers/rpc/RowAnswers.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"
#include "runtime/servers/rpc/SignedCall.h"

#include <algorithm>
#include <climits>
#include <grpcpp/grpcpp.h>

namespace tutti::runtime::servers {
namespace {

class Service final : public tutti::rows::Rows::StreamedUnaryService {
public:
  Service(const RunOfServers &run, int64_t number, std::vector<Table *> tables)
      : security(run.security),
        membership(run.workers, tables, run.is_supervised, run.names, run.own_name),
        answers(run, number, std::move(tables), membership) {}

  /// As workers know this server. Before any call.
  void hear_at(std::string at) { address = std::move(at); }

  Membership &workers() { return membership; }

  /// Nobody signs this one, and no message of it is read.
  grpc::Status
  Meet(grpc::ServerContext *context,
       grpc::ServerReaderWriter<tutti::rows::Nothing, tutti::rows::Nothing> *) override {
    return security.meet(*context, address);
  }

  grpc::Status Join(grpc::ServerContext *context,
                    grpc::ServerReader<tutti::rows::Membership> *messages,
                    tutti::rows::Answer *answer) override {
    if (!security.is_signed(*context))
      return refuse_stranger();
    tutti::rows::Membership first, last;
    if (!messages->Read(&first))
      return grpc::Status::OK;
    Error error = membership.join(first.worker());
    answer->set_status(error.status);
    answer->set_message(error.message);
    if (error)
      return grpc::Status::OK;
    context->AddInitialMetadata(welcome_field, "1");
    messages->SendInitialMetadata();
    bool has_last = messages->Read(&last);
    membership.leave(first.worker(), has_last && last.is_done(), last.failure());
    return grpc::Status::OK;
  }

  grpc::Status
  StreamedHandshake(grpc::ServerContext *context,
                    SignedCall<tutti::rows::HandshakeRequest, tutti::rows::Answer> *call) override {
    return answer_signed(security, *context, *call,
                         [this](auto &request, auto &reply) { answers.handshake(request, reply); });
  }
  grpc::Status
  StreamedPull(grpc::ServerContext *context,
               SignedCall<tutti::rows::PullRequest, tutti::rows::PullReply> *call) override {
    return answer_signed(security, *context, *call,
                         [this](auto &request, auto &reply) { answers.pull(request, reply); });
  }
  grpc::Status
  StreamedPrefetch(grpc::ServerContext *context,
                   SignedCall<tutti::rows::PullRequest, tutti::rows::PullReply> *call) override {
    return answer_signed(security, *context, *call,
                         [this](auto &request, auto &reply) { answers.prefetch(request, reply); });
  }
  grpc::Status
  StreamedPush(grpc::ServerContext *context,
               SignedCall<tutti::rows::PushRequest, tutti::rows::Answer> *call) override {
    return answer_signed(security, *context, *call,
                         [this](auto &request, auto &reply) { answers.push(request, reply); });
  }
  grpc::Status StreamedPosition(
      grpc::ServerContext *context,
      SignedCall<tutti::rows::PositionRequest, tutti::rows::PositionReply> *call) override {
    return answer_signed(security, *context, *call,
                         [this](auto &request, auto &reply) { answers.position(request, reply); });
  }
  grpc::Status StreamedStatistics(
      grpc::ServerContext *context,
      SignedCall<tutti::rows::StatisticsRequest, tutti::rows::StatisticsReply> *call) override {
    return answer_signed(security, *context, *call, [this](auto &request, auto &reply) {
      answers.statistics(request, reply);
    });
  }
  grpc::Status
  StreamedWaits(grpc::ServerContext *context,
                SignedCall<tutti::rows::WaitsRequest, tutti::rows::WaitsReply> *call) override {
    return answer_signed(security, *context, *call,
                         [this](auto &request, auto &reply) { answers.waits(request, reply); });
  }

private:
  Security security;
  std::string address;
  Membership membership;
  RowAnswers answers;
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
      server->Shutdown(span_of(1));
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
    limit_strangers(builder);
    service.hear_at(wanted);
    builder.RegisterService(&service);
    if (parts)
      builder.RegisterService(&*parts);
    server = builder.BuildAndStart();
    if (!server)
      return Error::make(TUTTI_SYSTEM_ERROR, "cannot listen at '", wanted,
                         "': check that this is an address of this machine, and that no other "
                         "process has the port");
    size_t colon = wanted.rfind(':');
    bool is_path = wanted.rfind("unix:", 0) == 0;
    heard_at = is_path ? wanted : text(wanted.substr(0, colon), ":", port);
    if (heard_at != wanted) // any port: nobody knows it yet
      service.hear_at(heard_at);
    return Error::success();
  }

  std::string address() const override { return heard_at; }

  Error wait_for_workers(const std::function<Result<bool>(bool has_workers)> &check) override {
    return service.workers().wait_for_all(run.seconds, check, run.warn_after);
  }

private:
  /// What somebody can hold here who has no token: of a message that nobody reads up to 64 KiB,
  /// however fast it comes; more is asked for when it is read. A worker has up to 64 pushes under
  /// way.
  static void limit_strangers(grpc::ServerBuilder &builder) {
    builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 256);
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, most_metadata_bytes);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 20000);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 300000);
  }

  /// No message of a worker is larger than a push of all rows of all tables, or than what protocol
  /// buffers take.
  int most_bytes() const {
    constexpr double beside_rows = 1 << 20;
    double most = 0;
    for (const Table *table : tables)
      most += double(table->description().rows()) *
                  double(sizeof(int64_t) + table->description().row_bytes()) +
              beside_rows;
    return int(std::min(most + beside_rows, double(INT_MAX)));
  }

  RunOfServers run;
  std::vector<Table *> tables;
  Service service;
  std::optional<PartService> parts;
  std::unique_ptr<grpc::Server> server;
  std::string heard_at;
};

} // namespace

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
