// The calls of Parts.proto at a server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H
#define TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H

#include "runtime/servers/rpc/PartKeeper.h"
#include "runtime/servers/rpc/Parts.grpc.pb.h"

namespace tutti::runtime::servers {

/// Hands them to a keeper, which must outlive it.
class PartService final : public tutti::rows::Parts::Service {
public:
  explicit PartService(PartKeeper &keeper) : keeper(keeper) {}

  grpc::Status Begin(grpc::ServerContext *, const tutti::rows::SaveRequest *request,
                     tutti::rows::Answer *answer) override {
    return fill(*answer, keeper.begin_save(request->step(), request->launch()));
  }
  grpc::Status Finish(grpc::ServerContext *, const tutti::rows::SaveRequest *request,
                      tutti::rows::Answer *answer) override {
    return fill(*answer, keeper.finish_save(request->step()));
  }
  grpc::Status Load(grpc::ServerContext *, const tutti::rows::LoadRequest *request,
                    tutti::rows::Answer *answer) override {
    return fill(*answer, keeper.load(request->step()));
  }

private:
  static grpc::Status fill(tutti::rows::Answer &answer, const Error &error) {
    answer.set_status(error.status);
    answer.set_message(error.message);
    return grpc::Status::OK;
  }

  PartKeeper &keeper;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_PARTSERVICE_H
