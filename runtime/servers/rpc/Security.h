// Who may talk to a server, and who may listen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_SECURITY_H
#define TUTTI_RUNTIME_SERVERS_RPC_SECURITY_H

#include "runtime/support/Error.h"

#include <memory>
#include <string>
#include <string_view>

namespace grpc {
class ChannelCredentials;
class ClientContext;
class ServerContextBase;
class ServerCredentials;
class Status;
} // namespace grpc

namespace tutti::runtime::servers {

/// Files, all of which may be absent. With `authority` connections use TLS (gRPC's), and then a
/// server needs a certificate and its key. Who shows another token than the server's is refused.
struct SecurityFiles {
  std::string token;       ///< a secret that servers and workers share: the first line
  std::string certificate; ///< of a server, PEM
  std::string key;         ///< of the certificate, PEM
  std::string authority;   ///< whose certificates are trusted, PEM
};

/// The same, read. Pure from then on.
class Security {
public:
  /// What is wrong with the files, if anything.
  static Result<Security> read(const SecurityFiles &files);

  std::shared_ptr<grpc::ServerCredentials> of_server() const;
  std::shared_ptr<grpc::ChannelCredentials> of_client() const;

  /// Shows the token with a call.
  void sign(grpc::ClientContext &call) const;
  /// Whether the call shows it. Takes as long whatever is shown.
  bool is_signed(const grpc::ServerContextBase &call) const;

private:
  std::string token, certificate, key, authority;
};

/// In the metadata with which a server begins to answer a worker that it has let in.
constexpr const char *welcome_field = "tutti-welcome";

/// What a call gets that is not signed.
grpc::Status refuse_stranger();

/// What went wrong with a call that has no answer: TUTTI_STALLED if nobody answered in time,
/// TUTTI_INVALID_ARGUMENT for a stranger, TUTTI_RANK_DIED if there is no server.
int32_t status_of(const grpc::Status &status);

/// Whether "host:port" or "unix:path" can be reached from this machine alone.
bool is_local(std::string_view address);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_SECURITY_H
