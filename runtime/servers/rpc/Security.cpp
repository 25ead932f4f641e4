// Tokens and certificates of servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/Security.h"

#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"
#include "runtime/support/system/Secret.h"

#include <climits>
#include <fstream>
#include <grpcpp/grpcpp.h>
#include <iterator>
#include <map>
#include <mutex>

namespace tutti::runtime::servers {
namespace {

constexpr const char *token_field = "tutti-token";
/// The messages of a meeting; gRPC writes what ends in "-bin" as text.
constexpr const char *asked_field = "tutti-asked-bin", *answered_field = "tutti-answered-bin";

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

std::string proof_of_server(const std::string &token, std::string_view asked,
                            std::string_view answered, std::string_view address) {
  return code_of(token, {"server", asked, answered, address});
}

std::string signature_of_worker(const std::string &token, std::string_view answered) {
  return code_of(token, {"worker", answered});
}

} // namespace

/// What to show to servers that have proved themselves, by address.
struct Security::Met {
  std::mutex mutex;
  std::map<std::string, std::string> signatures;
};

Security::Security() : calls(std::make_shared<CallWatch>()) {}

Result<Security> Security::read(const SecurityFiles &files) {
  Security read;
  read.met = std::make_shared<Met>();
  read.nonce = make_nonce();
  if (read.nonce.empty())
    return Error::make(TUTTI_SYSTEM_ERROR, "the system gives no random numbers for a secret");
  if (files.certificate.empty() != files.key.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT,
                       "a certificate of servers and its key go together, one is missing");
  if (!files.certificate.empty() && files.authority.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT, "a certificate of servers is checked against an "
                                               "authority, which is missing");
  if (!files.token.empty()) {
    Result<std::string> token = read_token(files.token);
    if (!token)
      return token.error();
    read.token = *token;
  }
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

std::shared_ptr<grpc::Channel> Security::open(const std::string &address) const {
  constexpr int keepalive_milliseconds = 20000;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(INT_MAX);
  arguments.SetInt(GRPC_ARG_MAX_METADATA_SIZE, most_metadata_bytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive_milliseconds);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive_milliseconds);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  std::shared_ptr<grpc::Channel> channel =
      grpc::CreateCustomChannel(address, of_client(), arguments);
  calls->keep_connecting(channel);
  return channel;
}

tutti::rows::MeetRequest Security::challenge() const {
  tutti::rows::MeetRequest request;
  request.set_challenge(make_nonce());
  return request;
}

Error Security::check(const std::string &address, const tutti::rows::MeetRequest &asked,
                      const tutti::rows::MeetReply &answer) const {
  std::string wanted = proof_of_server(token, asked.challenge(), answer.challenge(), address);
  if (asked.challenge().size() != nonce_bytes || !are_equal_secrets(wanted, answer.proof()))
    return Error::make(TUTTI_INVALID_ARGUMENT, "who answers at '", address,
                       "' does not prove that it is our server: the token is not that of the "
                       "server, or another program has its address");
  std::lock_guard lock(met->mutex);
  met->signatures[address] = signature_of_worker(token, answer.challenge());
  return Error::success();
}

bool Security::has_met(const std::string &address) const {
  if (token.empty())
    return true;
  std::lock_guard lock(met->mutex);
  return met->signatures.count(address) > 0;
}

Error Security::meet(const std::shared_ptr<grpc::Channel> &channel, const std::string &address,
                     double seconds) const {
  if (has_met(address))
    return Error::success();
  grpc::ClientContext context;
  CallLimit limit(calls, context, seconds);
  context.set_wait_for_ready(true);
  tutti::rows::MeetRequest request = challenge();
  show(context, request);
  auto stub = tutti::rows::Rows::NewStub(channel);
  grpc::Status status = limit.outcome(stub->Meet(&context)->Finish());
  if (!status.ok())
    return Error::make(status_of(status), "the server at '", address,
                       "' does not answer: ", status.error_message());
  return check(address, request, answer_to(context));
}

void Security::show(grpc::ClientContext &call, const tutti::rows::MeetRequest &asked) {
  call.AddMetadata(asked_field, asked.SerializeAsString());
}

tutti::rows::MeetReply Security::answer_to(const grpc::ClientContext &call) {
  tutti::rows::MeetReply reply;
  auto found = call.GetServerInitialMetadata().find(answered_field);
  if (found == call.GetServerInitialMetadata().end() ||
      !reply.ParseFromArray(found->second.data(), int(found->second.size())))
    reply.Clear(); // it proves nothing
  return reply;
}

void Security::sign(grpc::ClientContext &call, const std::string &address) const {
  if (token.empty())
    return;
  std::lock_guard lock(met->mutex);
  auto found = met->signatures.find(address);
  if (found != met->signatures.end())
    call.AddMetadata(token_field, found->second);
}

tutti::rows::MeetReply Security::answer(const tutti::rows::MeetRequest &asked,
                                        const std::string &address) const {
  tutti::rows::MeetReply reply;
  if (token.empty() || asked.challenge().size() != nonce_bytes)
    return reply; // it proves nothing
  reply.set_challenge(nonce);
  reply.set_proof(proof_of_server(token, asked.challenge(), nonce, address));
  return reply;
}

grpc::Status Security::meet(grpc::ServerContext &call, const std::string &address) const {
  tutti::rows::MeetRequest asked;
  auto found = call.client_metadata().find(asked_field);
  if (found == call.client_metadata().end() ||
      !asked.ParseFromArray(found->second.data(), int(found->second.size())))
    return {grpc::StatusCode::INVALID_ARGUMENT, "the call has no challenge"};
  call.AddInitialMetadata(answered_field, answer(asked, address).SerializeAsString());
  return grpc::Status::OK;
}

bool Security::is_signed(const grpc::ServerContextBase &call) const {
  if (token.empty())
    return true;
  auto shown = call.client_metadata().find(token_field);
  return shown != call.client_metadata().end() &&
         are_equal_secrets(signature_of_worker(token, nonce),
                           {shown->second.data(), shown->second.size()});
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

} // namespace tutti::runtime::servers
