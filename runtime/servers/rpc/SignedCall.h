// A call that is answered to whoever has the token.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_SIGNEDCALL_H
#define TUTTI_RUNTIME_SERVERS_RPC_SIGNEDCALL_H

#include "runtime/servers/rpc/Security.h"

#include <grpcpp/grpcpp.h>

namespace tutti::runtime::servers {

/// A call that the worker makes with one message. That stays in the network until it is read, for
/// the service is a streamed one.
template <typename Request, typename Reply>
using SignedCall = grpc::ServerUnaryStreamer<Request, Reply>;

/// `answer` fills the reply to the request. The token is looked at first: no message of a stranger
/// is read, or takes memory.
template <typename Request, typename Reply, typename Answer>
grpc::Status answer_signed(const Security &security, const grpc::ServerContextBase &context,
                           SignedCall<Request, Reply> &call, Answer answer) {
  if (!security.is_signed(context))
    return refuse_stranger();
  Request request;
  if (!call.Read(&request))
    return {grpc::StatusCode::INVALID_ARGUMENT, "the message is none, or cannot be read"};
  Reply reply;
  answer(request, reply);
  call.Write(reply, grpc::WriteOptions().set_last_message());
  return grpc::Status::OK;
}

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_SIGNEDCALL_H
