// The calls of Parts.proto at a server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H
#define TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H

#include "runtime/servers/rpc/PartKeeper.h"
#include "runtime/servers/rpc/Parts.grpc.pb.h"
#include "runtime/servers/rpc/SignedCall.h"

namespace tutti::runtime::servers {

/// Hands them to a keeper, which must outlive it.
class PartService final : public tutti::rows::Parts::StreamedUnaryService {
public:
  PartService(PartKeeper &keeper, const Security &security) : keeper(keeper), security(security) {}

  grpc::Status
  StreamedHold(grpc::ServerContext *context,
               SignedCall<tutti::rows::HoldRequest, tutti::rows::HoldReply> *call) override {
    return answer_signed(security, *context, *call, [this](auto &, auto &reply) {
      Result<std::vector<int64_t>> held = keeper.hold();
      if (held)
        reply.mutable_workers()->Assign(held->begin(), held->end());
      fill(*reply.mutable_answer(), held.error());
    });
  }
  grpc::Status
  StreamedBegin(grpc::ServerContext *context,
                SignedCall<tutti::rows::SaveRequest, tutti::rows::Answer> *call) override {
    return answer_signed(security, *context, *call, [this](auto &request, auto &answer) {
      fill(answer, keeper.begin_save(request.step(), request.launch(),
                                     {request.workers().begin(), request.workers().end()}));
    });
  }
  grpc::Status
  StreamedFinish(grpc::ServerContext *context,
                 SignedCall<tutti::rows::SaveRequest, tutti::rows::FinishReply> *call) override {
    return answer_signed(security, *context, *call, [this](auto &request, auto &reply) {
      constexpr double seconds = 0.5;
      Result<SaveProgress> progress = keeper.follow_save(request.step(), seconds);
      reply.set_is_done(progress && progress->is_done);
      reply.set_rows(progress ? progress->rows : 0);
      fill(*reply.mutable_answer(), progress.error());
    });
  }
  grpc::Status
  StreamedLoad(grpc::ServerContext *context,
               SignedCall<tutti::rows::LoadRequest, tutti::rows::Answer> *call) override {
    return answer_signed(security, *context, *call, [this](auto &request, auto &answer) {
      fill(answer, keeper.load(request.step()));
    });
  }

private:
  static void fill(tutti::rows::Answer &answer, const Error &error) {
    answer.set_status(error.status);
    answer.set_message(error.message);
  }

  PartKeeper &keeper;
  Security security;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H
