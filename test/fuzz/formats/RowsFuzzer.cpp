// Bytes as what workers ask of a server of two tables. The first byte says what: a handshake, a
// pull, a pull ahead, a push, statistics, where a worker stands, or who waits; as a capital letter
// of a server of asynchronous tables, which warm up. Steps near 0 count from the first table's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RowAnswers.h"
#include "runtime/servers/rpc/Rows.pb.h"
#include "test/fuzz/formats/Input.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <google/protobuf/stubs/logging.h>
#include <map>
#include <optional>

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

worker::ServedTable described(const char *name, bool is_asynchronous) {
  worker::ServedTable table;
  table.name = name;
  table.type = TUTTI_F32;
  table.shape = {row_count, 2};
  table.states = {{"sum", 0.5}};
  table.initial.distribution = worker::ServedTable::Distribution::uniform;
  table.initial.second = 1;
  table.is_asynchronous = is_asynchronous;
  table.warm_up = is_asynchronous ? 3 : 0;
  return table;
}

std::unique_ptr<Table> make_table(const char *name, bool is_asynchronous) {
  worker::ServedTable table = described(name, is_asynchronous);
  auto first = FirstRows::make(table, /*seed=*/7, /*given=*/"");
  auto store = RowStore::make(table, std::move(*first));
  auto update = RowUpdate::load(ADD_GRADIENTS, table);
  require(bool(store) && bool(update), store ? update.error().message : store.error().message);
  return std::make_unique<Table>(table, workers, std::move(*store), std::move(*update));
}

/// A server without a socket.
class Host {
public:
  explicit Host(bool is_asynchronous)
      : tables{make_table("t", is_asynchronous), make_table("u", is_asynchronous)} {
    RunOfServers run = {"run", workers, /*servers=*/1, /*seconds=*/0};
    run.is_supervised = true; // else a handshake from elsewhere ends a run that has not begun
    std::vector<Table *> both = {tables[0].get(), tables[1].get()};
    membership.emplace(workers, both, run.is_supervised);
    answers.emplace(run, /*number=*/0, both, *membership);
  }

  void handshake(const rows::HandshakeRequest &request) {
    rows::Answer answer;
    answers->handshake(request, answer);
    check(answer);
    bool fits = request.run() == "run" && request.workers() == workers && request.servers() == 1 &&
                request.server() == 0;
    require(fits || answer.status() != TUTTI_OK, "a worker of another run is welcome");
  }

  void pull(rows::PullRequest request, bool is_ahead) {
    request.set_step(near(request.step()));
    rows::PullReply reply;
    is_ahead ? answers->prefetch(request, reply) : answers->pull(request, reply);
    check(reply.answer());
    // Of what is asked for ahead parts before the one that was refused may have been taken.
    for (int number = 0; is_ahead && number < request.parts_size(); ++number) {
      size_t &most = asked[{request.worker(), request.parts(number).table()}];
      size_t count = request.parts(number).indices().size() / 8;
      most = reply.answer().status() == TUTTI_OK ? count : std::max(most, count);
    }
    if (reply.answer().status() != TUTTI_OK)
      return require(reply.parts_size() == 0, "a pull that is refused gives rows");
    require(reply.parts_size() == request.parts_size() && reply.parts_size() <= 2,
            "a pull gives another number of parts");
    for (int number = 0; number < reply.parts_size(); ++number)
      check(request, request.parts(number), reply.parts(number), is_ahead);
  }

  void push(rows::PushRequest request) {
    request.set_step(near(request.step()));
    rows::Answer answer;
    answers->push(request, answer);
    check(answer);
    for (const rows::PushPart &part : request.parts()) {
      if (answer.status() != TUTTI_OK)
        break;
      int64_t &next = pushes[{request.worker(), part.table()}];
      require(request.step() >= 0 && request.step() <= next,
              text("a push of step ", request.step(), " is kept, after ", next));
      next += request.step() == next;
    }
    if (answer.status() != TUTTI_OK) // parts before the one that was refused may have been taken
      for (int64_t worker = 0; worker < workers; ++worker)
        for (int64_t number = 0; number < 2; ++number)
          catch_up(worker, number, request);
    // Whatever came, the workers can go on.
    for (const std::unique_ptr<Table> &table : tables) {
      int64_t row = 3;
      char out[row_bytes];
      Error error = table->pull(table->steps(), &row, 1, out, /*seconds=*/0);
      require(!error, error.message);
    }
  }

  void tell(const rows::StatisticsRequest &request) {
    rows::StatisticsReply reply;
    answers->statistics(request, reply);
    check(reply.answer());
  }

  void ask_position(const rows::PositionRequest &request) {
    rows::PositionReply reply;
    answers->position(request, reply);
    check(reply.answer());
    bool is_known = request.worker() >= 0 && request.worker() < workers;
    require(is_known == (reply.answer().status() == TUTTI_OK), "a worker that is none has a place");
  }

  void ask_waits(const rows::WaitsRequest &request) {
    rows::WaitsReply reply;
    answers->waits(request, reply);
  }

private:
  int64_t near(int64_t step) const {
    return step >= -4 && step <= 4 ? tables[0]->steps() + step : step;
  }

  /// Of a part that may have been taken the next push tells how far the table is: a push of the
  /// step that was asked for is the last that can have been.
  void catch_up(int64_t worker, int64_t number, const rows::PushRequest &request) {
    int64_t &next = pushes[{worker, number}];
    if (worker == request.worker() && request.step() == next)
      ++next;
  }

  void check(const rows::PullRequest &request, const rows::PullPart &part,
             const rows::PulledRows &pulled, bool is_ahead) const {
    int64_t bytes = request.states() ? 2 * row_bytes : row_bytes;
    size_t given = pulled.rows().size(), positions = pulled.positions().size() / 8;
    require(pulled.rows().capacity() <= std::max<size_t>(row_count * bytes, 64),
            text("a pull of ", part.indices().size(), " bytes takes ", pulled.rows().capacity()));
    if (is_ahead || !part.is_prefetched())
      return require(given == part.indices().size() / 8 * size_t(bytes) && positions == 0,
                     "a pull gives another number of rows");
    auto found = asked.find({request.worker(), part.table()});
    require(found != asked.end(), "rows have changed that nobody asked for ahead");
    require(given == positions * size_t(bytes), "there are other rows than positions");
    for (size_t i = 0; i < positions; ++i) {
      int64_t position;
      std::memcpy(&position, pulled.positions().data() + 8 * i, sizeof position);
      require(position >= 0 && position < int64_t(found->second), "a position that is none");
    }
  }

  static void check(const rows::Answer &answer) {
    require((answer.status() == TUTTI_OK) == answer.message().empty(), "an answer without reason");
    require(answer.message().size() < 4096 + 100, "a long answer");
  }

  using WorkerAndTable = std::pair<int64_t, int64_t>;

  std::unique_ptr<Table> tables[2];
  std::map<WorkerAndTable, int64_t> pushes; ///< at least as many as were taken
  std::map<WorkerAndTable, size_t> asked;   ///< rows, ahead; the most that may be
  std::optional<Membership> membership;
  std::optional<RowAnswers> answers;
};

template <typename Request> Request parsed(std::string_view bytes) {
  Request request;
  request.ParseFromArray(bytes.data(), int(bytes.size())); // also as far as it is one
  return request;
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Host in_step(/*is_asynchronous=*/false), apart(/*is_asynchronous=*/true);
  static auto quiet = google::protobuf::SetLogHandler(nullptr); // it logs each text that is none
  (void)quiet;
  std::string_view bytes = tutti::fuzz::textOf(data, size);
  if (bytes.empty())
    return 0;
  char kind = bytes[0];
  bytes.remove_prefix(1);
  Host &host = std::isupper(static_cast<unsigned char>(kind)) ? apart : in_step;
  switch (std::tolower(static_cast<unsigned char>(kind))) {
  case 'g':
    host.handshake(parsed<rows::HandshakeRequest>(bytes));
    break;
  case 'p':
    host.pull(parsed<rows::PullRequest>(bytes), /*is_ahead=*/false);
    break;
  case 'a':
    host.pull(parsed<rows::PullRequest>(bytes), /*is_ahead=*/true);
    break;
  case 'u':
    host.push(parsed<rows::PushRequest>(bytes));
    break;
  case 's':
    host.tell(parsed<rows::StatisticsRequest>(bytes));
    break;
  case 'o':
    host.ask_position(parsed<rows::PositionRequest>(bytes));
    break;
  case 'w':
    host.ask_waits(parsed<rows::WaitsRequest>(bytes));
    break;
  default: // a mutated first byte
    break;
  }
  return 0;
}
