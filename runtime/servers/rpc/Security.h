// Who may talk to a server, and who may listen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_SECURITY_H
#define TUTTI_RUNTIME_SERVERS_RPC_SECURITY_H

#include "runtime/support/Error.h"

#include <memory>
#include <string>
#include <string_view>

namespace grpc {
class Channel;
class ChannelCredentials;
class ClientContext;
class ServerContext;
class ServerContextBase;
class ServerCredentials;
class Status;
} // namespace grpc

namespace tutti::rows {
class MeetRequest;
class MeetReply;
} // namespace tutti::rows

namespace tutti::runtime::servers {

class CallWatch;

/// Files, all of which may be absent. With `authority` connections use TLS (gRPC's), and then a
/// server needs a certificate and its key. The token is for its owner alone: a file that others may
/// read or write is refused.
struct SecurityFiles {
  std::string token;       ///< a secret that servers and workers share: the first line
  std::string certificate; ///< of a server, PEM
  std::string key;         ///< of the certificate, PEM
  std::string authority;   ///< whose certificates are trusted, PEM
};

/// The same, read. Server and worker prove to each other that they have the token, and it never
/// travels: a worker sends a challenge (`Meet` in Rows.proto), the server answers with one of its
/// own and a code of both and of its address, and each call of the worker carries a code of the
/// server's challenge. Codes are HMAC-SHA256 under the token (RFC 2104). Without a token nobody
/// proves anything. Copies share what servers have proved. Thread-safe.
class Security {
public:
  Security();
  /// What is wrong with the files, if anything.
  static Result<Security> read(const SecurityFiles &files);

  std::shared_ptr<grpc::ServerCredentials> of_server() const;
  /// The way to the server at `address`, for messages of up to 2 GiB. A server that is gone without
  /// a word ends its calls in less than a minute.
  std::shared_ptr<grpc::Channel> open(const std::string &address) const;
  /// Of those ways, and of the calls on them; never null.
  std::shared_ptr<CallWatch> watch() const { return calls; }

  /// The worker's side: what it asks of the server at `address`, and whether the answer is that of
  /// somebody who has the token. Only after that `sign` shows anything to this server.
  tutti::rows::MeetRequest challenge() const;
  static void show(grpc::ClientContext &call, const tutti::rows::MeetRequest &asked);
  static tutti::rows::MeetReply answer_to(const grpc::ClientContext &call);
  Error check(const std::string &address, const tutti::rows::MeetRequest &asked,
              const tutti::rows::MeetReply &answer) const;
  /// Both in one call, unless the server has proved itself; waits for it so long.
  Error meet(const std::shared_ptr<grpc::Channel> &channel, const std::string &address,
             double seconds) const;
  bool has_met(const std::string &address) const;
  /// Shows with a call to the server at `address` that we have the token.
  void sign(grpc::ClientContext &call, const std::string &address) const;

  /// The server's side, at the address that workers know.
  tutti::rows::MeetReply answer(const tutti::rows::MeetRequest &asked,
                                const std::string &address) const;
  /// The same of a call: asked and answered in its metadata.
  grpc::Status meet(grpc::ServerContext &call, const std::string &address) const;
  /// Whether the call shows that the worker has the token. Takes as long whatever is shown.
  bool is_signed(const grpc::ServerContextBase &call) const;

private:
  std::shared_ptr<grpc::ChannelCredentials> of_client() const;

  struct Met;
  std::string token, certificate, key, authority;
  std::string nonce; ///< of this process as a server
  std::shared_ptr<Met> met;
  std::shared_ptr<CallWatch> calls;
};

/// Of a call: more is refused before it is kept.
constexpr int most_metadata_bytes = 8192;

/// In the metadata with which a server begins to answer a worker that it has let in.
constexpr const char *welcome_field = "tutti-welcome";

/// What a call gets that is not signed.
grpc::Status refuse_stranger();

/// What went wrong with a call that has no answer: TUTTI_STALLED if nobody answered in time,
/// TUTTI_INVALID_ARGUMENT for a stranger, TUTTI_RANK_DIED if there is no server.
int32_t status_of(const grpc::Status &status);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_SECURITY_H
