// Calls end and channels connect in time, whatever gRPC's timers do. In processes of their own:
// gRPC does not work in children of a process that has used it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/CallWatch.h"
#include "runtime/support/Error.h"
#include "runtime/support/Stopwatch.h"
#include "test/runtime/Fork.h"
#include "test/runtime/TemporaryFolder.h"

#include <cstring>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::servers;

namespace {

/// A socket at which nobody answers.
class Silence {
public:
  explicit Silence(const std::string &path) : descriptor(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    is_there = bind(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 &&
               listen(descriptor, 1) == 0;
  }
  ~Silence() { close(descriptor); }

  bool is_there;

private:
  int descriptor;
};

/// What a call ends with that `prepare` has seen.
template <typename Prepare>
grpc::Status call(const std::shared_ptr<grpc::Channel> &channel, Prepare prepare) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  auto limit = prepare(context);
  grpc::ByteBuffer message, reply;
  grpc::Status status;
  auto reader = stub.PrepareUnaryCall(&context, "/none/None", message, &queue);
  reader->StartCall();
  reader->Finish(&reply, &status, &status);
  void *tag;
  bool is_whole;
  queue.Next(&tag, &is_whole);
  return limit->outcome(status);
}

} // namespace

TEST(CallWatch, ends_calls_that_grpc_does_not) {
  Fork own = start_fork([]() -> std::string {
    TemporaryFolder folder;
    Silence silence(folder.path("silent"));
    if (!silence.is_there)
      return "no socket";
    auto watch = std::make_shared<CallWatch>();
    auto channel =
        grpc::CreateChannel("unix:" + folder.path("silent"), grpc::InsecureChannelCredentials());
    Stopwatch since;
    grpc::Status status = call(channel, [&](grpc::ClientContext &context) {
      auto limit = std::make_unique<CallLimit>(watch, context, 0.1);
      context.set_deadline(span_of(60)); // as after a clock was set back
      return limit;
    });
    bool is_late = status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    return is_late && since.seconds() < 30 ? std::string()
                                           : text("it ends with ", status.error_message());
  });
  EXPECT_EQ(finish_fork(own), "");
}

TEST(CallWatch, connects_again_before_grpc_does) {
  Fork own = start_fork([]() -> std::string {
    TemporaryFolder folder;
    std::string address = "unix:" + folder.path("server");
    auto watch = std::make_shared<CallWatch>();
    grpc::ChannelArguments rarely;
    rarely.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 60000);
    rarely.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 60000);
    auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), rarely);
    channel->GetState(/*try_to_connect=*/true);
    while (channel->GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE)
      usleep(1000);
    watch->keep_connecting(channel);
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    grpc::AsyncGenericService none;
    builder.RegisterAsyncGenericService(&none);
    auto queue = builder.AddCompletionQueue();
    auto server = builder.BuildAndStart();
    bool has_connected = server && channel->WaitForConnected(span_of(30));
    server->Shutdown();
    queue->Shutdown();
    void *tag;
    for (bool is_whole; queue->Next(&tag, &is_whole);) {
    }
    return has_connected ? "" : "it has not connected";
  });
  EXPECT_EQ(finish_fork(own), "");
}
