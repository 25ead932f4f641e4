// Who has no token makes a server read nothing, whatever he calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/servers/rpc/Parts.pb.h"
#include "runtime/servers/rpc/RowServer.h"
#include "runtime/servers/rpc/Rows.pb.h"
#include "test/runtime/Fork.h"
#include "test/runtime/TemporaryFolder.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::servers;

namespace {

constexpr int64_t mebibyte = 1 << 20, message_bytes = 64 * mebibyte;

/// Nothing to save.
class NoParts final : public PartKeeper {
public:
  Result<std::vector<int64_t>> hold() override { return std::vector<int64_t>(); }
  Error begin_save(int64_t, const std::string &, const std::vector<int64_t> &) override {
    return Error::success();
  }
  Result<SaveProgress> follow_save(int64_t, double) override { return SaveProgress(); }
  Error load(int64_t) override { return Error::success(); }
};

/// Of a table whose pushes may be larger than the message.
std::string serve(const RunOfServers &run, const std::string &address) {
  worker::ServedTable described;
  described.name = "t";
  described.type = TUTTI_F32;
  described.shape = {16 * mebibyte, 2};
  described.states = {{"sum", 0.5}};
  described.initial.distribution = worker::ServedTable::Distribution::uniform;
  described.initial.second = 1;
  auto first = FirstRows::make(described, /*seed=*/7, /*given=*/"");
  if (!first)
    return first.error().message;
  auto store = RowStore::make(described, std::move(*first));
  auto update = RowUpdate::load(ADD_GRADIENTS, described);
  if (!store || !update)
    return store ? update.error().message : store.error().message;
  Table table(described, /*workers=*/1, std::move(*store), std::move(*update));
  NoParts parts;
  auto server = RowServer::start(run, /*number=*/0, {&table}, address, &parts);
  while (server)
    pause();
  return server.error().message;
}

/// The most memory that the process has had, in bytes.
int64_t peak_bytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;)
    if (int64_t kibibytes = 0; word == "VmHWM:" && status >> kibibytes)
      return kibibytes * 1024;
  return -1;
}

/// A call of any method with one message.
grpc::Status call(const std::shared_ptr<grpc::Channel> &channel, const std::string &method,
                  const std::string &message,
                  const std::function<void(grpc::ClientContext &)> &prepare) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(span_of(60));
  prepare(context);
  grpc::Slice slice(message);
  auto reader = stub.PrepareUnaryCall(&context, method, grpc::ByteBuffer(&slice, 1), &queue);
  reader->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  reader->Finish(&reply, &status, &status);
  void *tag;
  bool is_whole;
  queue.Next(&tag, &is_whole);
  return status;
}

/// Of all services, as gRPC names them.
std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const google::protobuf::FileDescriptor *file :
       {tutti::rows::PullRequest::descriptor()->file(),
        tutti::rows::SaveRequest::descriptor()->file()})
    for (int s = 0; s < file->service_count(); ++s)
      for (int m = 0; m < file->service(s)->method_count(); ++m)
        names.push_back("/" + file->service(s)->full_name() + "/" +
                        file->service(s)->method(m)->name());
  return names;
}

} // namespace

TEST(Stranger, makes_a_server_read_no_message) {
  TemporaryFolder files;
  std::string token = files.write("token", "a secret of many letters\n");
  std::filesystem::permissions(token, std::filesystem::perms(0600));
  auto security = Security::read({token, "", "", ""});
  ASSERT_TRUE(security) << security.error().message;
  RunOfServers run = {"run", /*workers=*/1, /*servers=*/1, /*seconds=*/30};
  run.security = *security;
  std::string address = "unix:" + files.path("server");
  Fork server = start_fork([&] { return serve(run, address); });
  ASSERT_GT(server.pid, 0);
  auto channel = run.security.open(address);
  Error unmet = run.security.meet(channel, address, /*seconds=*/60);
  if (unmet)
    kill(server.pid, SIGKILL); // unless it has ended
  ASSERT_FALSE(unmet) << unmet.message << "; " << finish_fork(server);

  std::string large(message_bytes, 'x');
  int64_t before = peak_bytes(server.pid);
  std::vector<std::string> methods = all_methods();
  EXPECT_GE(methods.size(), 13u);
  for (const std::string &method : methods)
    for (const char *shown : {"", "0123456789abcdef0123456789abcdef"}) {
      grpc::Status status = call(channel, method, large, [&](grpc::ClientContext &context) {
        if (*shown)
          context.AddMetadata("tutti-token", shown);
      });
      bool is_meeting = method == "/tutti.rows.Rows/Meet"; // asks in metadata
      EXPECT_EQ(status.error_code(),
                is_meeting ? grpc::StatusCode::INVALID_ARGUMENT : grpc::StatusCode::UNAUTHENTICATED)
          << method << ": " << status.error_message();
    }
  EXPECT_GT(before, 0);
  EXPECT_LT(peak_bytes(server.pid) - before, message_bytes / 4);

  // Of a worker with the token it is read: fields that nobody knows, and no row.
  grpc::Status status = call(channel, "/tutti.rows.Rows/Push", large,
                             [&](auto &context) { run.security.sign(context, address); });
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_GT(peak_bytes(server.pid) - before, message_bytes);
  kill(server.pid, SIGKILL);
  EXPECT_EQ(finish_fork(server), "ended by signal 9");
}
