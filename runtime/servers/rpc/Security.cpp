// Tokens and certificates of servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/Security.h"

#include <fstream>
#include <grpcpp/grpcpp.h>
#include <iterator>

namespace tutti::runtime::servers {
namespace {

constexpr const char *token_field = "tutti-token";

Error read_file(const char *what, const std::string &path, std::string &out) {
  if (path.empty())
    return Error::success();
  std::ifstream file(path, std::ios::binary);
  out.assign(std::istreambuf_iterator<char>(file), {});
  if (!file.good() && !file.eof())
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot read ", what, " '", path, "'");
  if (out.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT, what, " '", path, "' is empty");
  return Error::success();
}

} // namespace

Result<Security> Security::read(const SecurityFiles &files) {
  Security read;
  if (files.certificate.empty() != files.key.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT,
                       "a certificate of servers and its key go together, one is missing");
  if (!files.certificate.empty() && files.authority.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT, "a certificate of servers is checked against an "
                                               "authority, which is missing");
  if (Error error = read_file("the token", files.token, read.token))
    return error;
  read.token.erase(std::min(read.token.find_first_of("\r\n"), read.token.size()));
  if (!files.token.empty() && read.token.size() < 16)
    return Error::make(TUTTI_INVALID_ARGUMENT, "the token in '", files.token, "' has ",
                       read.token.size(), " letters; 16 are the least that cannot be guessed");
  if (Error error = read_file("the certificate", files.certificate, read.certificate))
    return error;
  if (Error error = read_file("the key", files.key, read.key))
    return error;
  if (Error error = read_file("the authority", files.authority, read.authority))
    return error;
  return read;
}

std::shared_ptr<grpc::ServerCredentials> Security::of_server() const {
  if (certificate.empty())
    return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({key, certificate});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> Security::of_client() const {
  if (authority.empty())
    return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = authority;
  return grpc::SslCredentials(options);
}

void Security::sign(grpc::ClientContext &call) const {
  if (!token.empty())
    call.AddMetadata(token_field, token);
}

bool Security::is_signed(const grpc::ServerContextBase &call) const {
  if (token.empty())
    return true;
  auto shown = call.client_metadata().find(token_field);
  if (shown == call.client_metadata().end() || shown->second.size() != token.size())
    return false;
  unsigned differs = 0;
  for (size_t i = 0; i < token.size(); ++i)
    differs |= unsigned(token[i] ^ shown->second.data()[i]);
  return differs == 0;
}

grpc::Status refuse_stranger() {
  return {grpc::StatusCode::UNAUTHENTICATED, "the token is not that of the server"};
}

int32_t status_of(const grpc::Status &status) {
  switch (status.error_code()) {
  case grpc::StatusCode::DEADLINE_EXCEEDED:
    return TUTTI_STALLED;
  case grpc::StatusCode::UNAUTHENTICATED:
    return TUTTI_INVALID_ARGUMENT;
  default:
    return TUTTI_RANK_DIED;
  }
}

bool is_local(std::string_view address) {
  auto begins = [&](std::string_view with) { return address.substr(0, with.size()) == with; };
  return begins("unix:") || begins("127.") || begins("localhost:") || begins("[::1]:");
}

} // namespace tutti::runtime::servers
