// Bytes as what workers ask of a server of tables. The first byte says what: a greeting, a pull, a
// push, or statistics. Steps near 0 count from the table's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RowServer.h"
#include "runtime/servers/rpc/Rows.grpc.pb.h"
#include "test/fuzz/formats/Input.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <google/protobuf/stubs/logging.h>
#include <map>

using namespace tutti::runtime;
using namespace tutti::runtime::servers;
namespace rows = tutti::rows;

namespace {

void require(bool condition, const std::string &what) {
  if (condition)
    return;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::abort();
}

constexpr int64_t row_count = 64, row_bytes = 8, workers = 2;

worker::ServedTable described() {
  worker::ServedTable table;
  table.name = "t";
  table.type = TUTTI_F32;
  table.shape = {row_count, 2};
  table.states = {{"sum", 0.5}};
  table.initial = worker::ServedTable::Initial::uniform;
  table.second = 1;
  return table;
}

std::unique_ptr<Table> make_table() {
  worker::ServedTable table = described();
  auto first = FirstRows::make(table, /*seed=*/7, /*given=*/"");
  auto store = RowStore::make(table, std::move(*first));
  auto update = RowUpdate::load(ADD_GRADIENTS, table);
  require(bool(store) && bool(update), store ? update.error().message : store.error().message);
  return std::make_unique<Table>(table, workers, std::move(*store), std::move(*update));
}

/// A server without a socket.
class Host {
public:
  Host() : table(make_table()) {
    RunOfServers run = {"run", workers, /*servers=*/1, /*seconds=*/0};
    run.is_supervised = true; // else a greeting from elsewhere ends a run that has not begun
    made = make_row_service(run, /*number=*/0, {table.get()});
    service = static_cast<rows::Rows::Service *>(made.get());
  }

  void greet(const rows::GreetRequest &request) {
    rows::Answer answer;
    service->Greet(&context, &request, &answer);
    check(answer);
    bool fits = request.run() == "run" && request.workers() == workers && request.servers() == 1 &&
                request.server() == 0;
    require(fits || answer.status() != TUTTI_OK, "a worker of another run is welcome");
  }

  void pull(rows::PullRequest request) {
    request.set_step(near(request.step()));
    rows::PullReply reply;
    service->Pull(&context, &request, &reply);
    check(reply.answer());
    int64_t most = std::min(int64_t(request.indices().size() / 8), row_count) * 2 * row_bytes;
    require(int64_t(reply.rows().capacity()) <= std::max<int64_t>(most, 64),
            text("a pull of ", request.indices().size(), " bytes takes ", reply.rows().capacity()));
    if (reply.answer().status() != TUTTI_OK)
      return;
    int64_t bytes = request.states() ? 2 * row_bytes : row_bytes;
    require(reply.rows().size() == request.indices().size() / 8 * size_t(bytes),
            "a pull gives another number of rows");
  }

  void push(rows::PushRequest request) {
    request.set_step(near(request.step()));
    rows::Answer answer;
    service->Push(&context, &request, &answer);
    check(answer);
    if (answer.status() == TUTTI_OK) {
      int64_t &next = pushes[request.worker()];
      require(request.step() >= 0 && request.step() <= next,
              text("a push of step ", request.step(), " is kept, after ", next));
      next += request.step() == next;
    }
    // Whatever came, the workers can go on.
    int64_t row = 3;
    char out[row_bytes];
    Error error = table->pull(table->steps(), &row, 1, out, /*seconds=*/0);
    require(!error, error.message);
  }

  void tell(const rows::StatisticsRequest &request) {
    rows::StatisticsReply reply;
    service->Statistics(&context, &request, &reply);
    check(reply.answer());
  }

private:
  int64_t near(int64_t step) const {
    return step >= -4 && step <= 4 ? table->steps() + step : step;
  }

  static void check(const rows::Answer &answer) {
    require((answer.status() == TUTTI_OK) == answer.message().empty(), "an answer without reason");
    require(answer.message().size() < 4096 + 100, "a long answer");
  }

  std::unique_ptr<Table> table;
  std::map<int64_t, int64_t> pushes; ///< of each worker, as many as were taken
  std::unique_ptr<grpc::Service> made;
  rows::Rows::Service *service;
  grpc::ServerContext context; ///< of a run without a token
};

template <typename Request> Request parsed(std::string_view bytes) {
  Request request;
  request.ParseFromArray(bytes.data(), int(bytes.size())); // also as far as it is one
  return request;
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Host host;
  static auto quiet = google::protobuf::SetLogHandler(nullptr); // it logs each text that is none
  (void)quiet;
  std::string_view bytes = tutti::fuzz::textOf(data, size);
  if (bytes.empty())
    return 0;
  char kind = bytes[0];
  bytes.remove_prefix(1);
  switch (kind) {
  case 'g':
    host.greet(parsed<rows::GreetRequest>(bytes));
    break;
  case 'p':
    host.pull(parsed<rows::PullRequest>(bytes));
    break;
  case 'u':
    host.push(parsed<rows::PushRequest>(bytes));
    break;
  case 's':
    host.tell(parsed<rows::StatisticsRequest>(bytes));
    break;
  default: // a mutated first byte
    break;
  }
  return 0;
}
