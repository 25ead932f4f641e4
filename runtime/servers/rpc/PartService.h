// The calls of Parts.proto at a server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H
#define TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H

#include "runtime/servers/rpc/PartKeeper.h"
#include "runtime/servers/rpc/Parts.grpc.pb.h"
#include "runtime/servers/rpc/Security.h"

namespace tutti::runtime::servers {

/// Hands them to a keeper, which must outlive it.
class PartService final : public tutti::rows::Parts::Service {
public:
  PartService(PartKeeper &keeper, const Security &security) : keeper(keeper), security(security) {}

  grpc::Status Hold(grpc::ServerContext *context, const tutti::rows::HoldRequest *,
                    tutti::rows::HoldReply *reply) override {
    return fill(*context, *reply->mutable_answer(), [&] {
      Result<std::vector<int64_t>> held = keeper.hold();
      if (held)
        reply->mutable_workers()->Assign(held->begin(), held->end());
      return held.error();
    });
  }
  grpc::Status Begin(grpc::ServerContext *context, const tutti::rows::SaveRequest *request,
                     tutti::rows::Answer *answer) override {
    return fill(*context, *answer, [&] {
      return keeper.begin_save(request->step(), request->launch(),
                               {request->workers().begin(), request->workers().end()});
    });
  }
  grpc::Status Finish(grpc::ServerContext *context, const tutti::rows::SaveRequest *request,
                      tutti::rows::FinishReply *reply) override {
    constexpr double seconds = 0.5;
    return fill(*context, *reply->mutable_answer(), [&] {
      Result<SaveProgress> progress = keeper.follow_save(request->step(), seconds);
      reply->set_is_done(progress && progress->is_done);
      reply->set_rows(progress ? progress->rows : 0);
      return progress.error();
    });
  }
  grpc::Status Load(grpc::ServerContext *context, const tutti::rows::LoadRequest *request,
                    tutti::rows::Answer *answer) override {
    return fill(*context, *answer, [&] { return keeper.load(request->step()); });
  }

private:
  template <typename Do>
  grpc::Status fill(const grpc::ServerContext &context, tutti::rows::Answer &answer, Do act) const {
    if (!security.is_signed(context))
      return refuse_stranger();
    Error error = act();
    answer.set_status(error.status);
    answer.set_message(error.message);
    return grpc::Status::OK;
  }

  PartKeeper &keeper;
  Security security;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H
