// Servers and workers over gRPC, and through row queues: what several of each compute is what one
// server and one worker with all samples do, and what goes wrong is named.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteRows.h"
#include "runtime/servers/Placement.h"
#include "runtime/servers/shm/RowQueueServer.h"
#include "test/lib/execution/Secrets.h"
#include "test/lib/execution/ServedProgram.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace tutti::test;
using namespace tutti::runtime::servers;
using tutti::test::LoadedProgram;
namespace worker = tutti::runtime::worker;
using testing::HasSubstr;

namespace {

using Wire = tutti::distribution::TableWire;

/// How rows travel.
enum class Way { network, memory };

std::string name_of(Way way) { return way == Way::network ? "network" : "memory"; }

/// Servers of one run, in this process, at ports of the loopback device.
class Servers {
public:
  Servers(Compiler &compiler, const std::string &text, int64_t workers, int64_t servers, Way way,
          Wire wire = Wire::None, bool is_supervised = true) {
    run = {"fingerprint", workers, servers, /*seconds=*/20};
    run.is_supervised = is_supervised;
    for (int64_t number = 0; number < servers; ++number) {
      tables.push_back(std::make_unique<Served>(compiler, text, /*lazy=*/false, workers,
                                                /*staleness=*/std::nullopt, wire));
      auto server = RowServer::start(run, number, {tables.back()->table.get()}, "127.0.0.1:0");
      EXPECT_TRUE(server) << server.error().message;
      if (way == Way::memory)
        start_queues(workers);
      running.push_back(std::move(*server));
      addresses.push_back(running.back()->address());
    }
  }

  tutti::runtime::Result<std::unique_ptr<RemoteRows>> connect(int64_t number) {
    return RemoteRows::connect(run, number, tables[0]->manifest.tables, addresses, queues());
  }

  /// Servers end.
  void end() {
    running.clear();
    in_memory.clear();
  }

  /// The table as the servers have it after `steps`.
  std::vector<float> whole(int64_t steps) {
    const worker::ServedTable &table = tables[0]->manifest.tables[0];
    Placement placement(tables[0]->manifest.tables, 0, tables.size());
    std::vector<float> all;
    for (int64_t row = 0; row < table.rows(); ++row) {
      std::vector<float> values = tables[placement.server_of(row)]->row(steps, row);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  RunOfServers run;
  std::vector<std::unique_ptr<Served>> tables;
  std::vector<RowQueueFile> files;
  std::vector<std::unique_ptr<RowQueueServer>> in_memory;
  std::vector<std::unique_ptr<RowServer>> running;
  std::vector<std::string> addresses;

private:
  void start_queues(int64_t workers) {
    auto file = RowQueueFile::create(tables.back()->manifest.tables, workers);
    ASSERT_TRUE(file) << file.error().message;
    files.push_back(std::move(*file));
    auto server =
        RowQueueServer::start(files.back().descriptor(), {tables.back()->table.get()}, run.seconds);
    ASSERT_TRUE(server) << server.error().message;
    in_memory.push_back(std::move(*server));
  }

  std::vector<int> queues() const {
    std::vector<int> descriptors;
    for (const RowQueueFile &file : files)
      descriptors.push_back(file.descriptor());
    return descriptors;
  }
};

enum class Ahead { nothing, next_step };

/// As @prefetch of the program does it.
void ask_ahead(const tutti_row_service &service, Batch &next, int64_t step) {
  auto rows_of = [](Buffer<int64_t> &indices) {
    std::vector<int64_t> rows;
    for (size_t k = 0; k < indices.size(); ++k)
      rows.push_back(indices[k] < 0 ? indices[k] + kRows : indices[k]);
    return rows;
  };
  std::vector<int64_t> i = rows_of(next.i), j = rows_of(next.j);
  tutti_row_list lists[] = {{0, step, int64_t(i.size()), i.data()},
                            {0, step, int64_t(j.size()), j.data()}};
  char message[256] = "";
  EXPECT_EQ(service.prefetch(service.self, lists, 2, message, sizeof message), TUTTI_OK) << message;
}

/// Trains `steps` steps on each of `workers` workers, each with samples of its own, and gives the
/// table.
std::vector<float> train(const Optimizer &optimizer, int64_t workers, int64_t servers, Way way,
                         unsigned steps, Wire wire = Wire::None, Ahead ahead = Ahead::nothing,
                         bool repeats = false) {
  Compiler compiler;
  Servers cluster(compiler, programWith(optimizer.update, optimizer.states, optimizer.stateType),
                  workers, servers, way, wire);
  std::vector<std::thread> threads;
  for (int64_t number = 0; number < workers; ++number)
    threads.emplace_back([&, number] {
      auto rows = cluster.connect(number);
      ASSERT_TRUE(rows) << rows.error().message;
      auto program =
          llvm::cantFail(LoadedProgram::load(cluster.tables[0]->forWorkers->path(), /*seed=*/7));
      llvm::cantFail(program->initialize());
      tutti_context_set_rows(program->context(), (*rows)->service());
      for (unsigned step = 0; step < steps; ++step) {
        auto batch_of = [&](unsigned at) {
          return Batch(unsigned(100 * number + (repeats ? 0 : at)));
        };
        Batch batch = batch_of(step), next = batch_of(step + 1);
        if (ahead != Ahead::nothing && step + 1 < steps)
          ask_ahead(*(*rows)->service(), next, step + 1);
        batch.run(*program);
      }
      auto error = (*rows)->finish();
      EXPECT_FALSE(error) << error.message;
    });
  for (std::thread &thread : threads)
    thread.join();
  return cluster.whole(steps);
}

} // namespace

class Clusters : public testing::TestWithParam<Optimizer> {};

/// Bits depend neither on how many servers there are, nor on how rows travel, nor on which worker
/// comes first.
TEST_P(Clusters, OfAnyNumberOfServersGiveTheSameBits) {
  for (int64_t workers : {1, 2, 4}) {
    std::vector<float> one = train(GetParam(), workers, 1, Way::network, 6);
    EXPECT_NE(one, std::vector<float>(one.size(), 0.25f));
    EXPECT_EQ(train(GetParam(), workers, 3, Way::network, 6), one) << workers;
    EXPECT_EQ(train(GetParam(), workers, 1, Way::memory, 6), one) << workers;
    EXPECT_EQ(train(GetParam(), workers, 2, Way::memory, 6), one) << workers;
  }
}

/// Rows that were asked for ahead are those of the step, however often they change in between: also
/// where each step touches the same rows, all of which change.
TEST_P(Clusters, ThatAskAheadGiveTheSameBits) {
  for (bool repeats : {false, true})
    for (int64_t workers : {1, 3})
      for (Way way : {Way::network, Way::memory})
        for (Wire wire : {Wire::None, Wire::BF16}) {
          auto trained = [&](Ahead ahead) {
            return train(GetParam(), workers, 2, way, 8, wire, ahead, repeats);
          };
          EXPECT_EQ(trained(Ahead::next_step), trained(Ahead::nothing))
              << workers << " workers, " << name_of(way) << (repeats ? ", one batch" : "");
        }
}

/// Numbers are rounded on their way, each for itself: a row is near what it is otherwise, and
/// servers keep more of it than travels.
TEST_P(Clusters, RoundOnTheWayAndNowhereElse) {
  constexpr int64_t workers = 2;
  std::vector<float> exact = train(GetParam(), workers, 1, Way::memory, 6);
  for (Wire wire : {Wire::BF16, Wire::F16}) {
    std::vector<float> one = train(GetParam(), workers, 1, Way::network, 6, wire);
    EXPECT_EQ(train(GetParam(), workers, 3, Way::network, 6, wire), one);
    EXPECT_EQ(train(GetParam(), workers, 2, Way::memory, 6, wire), one);
    EXPECT_NE(one, exact);
    float error = wire == Wire::BF16 ? 0.05f : 0.005f;
    int64_t finer = 0;
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_NEAR(one[i], exact[i], error);
      uint32_t bits;
      std::memcpy(&bits, &one[i], sizeof bits);
      finer += (bits & 0xffff) != 0;
    }
    EXPECT_GT(finer, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, Clusters, testing::ValuesIn(kOptimizers),
                         [](const auto &info) { return info.param.name; });

TEST(Placement, EveryRowHasOneServerAndRangesAreEven) {
  for (auto kind : {worker::ServedTable::Placement::range, worker::ServedTable::Placement::hash})
    for (int64_t rows : {1, 7, 1000, 1001})
      for (int64_t servers : {1, 2, 3, 8}) {
        worker::ServedTable table;
        table.shape = {rows, 4};
        table.placement = kind;
        Placement placement({table}, 0, servers);
        std::vector<int64_t> counts(servers);
        for (int64_t row = 0; row < rows; ++row) {
          int64_t server = placement.server_of(row);
          ASSERT_GE(server, 0);
          ASSERT_LT(server, servers);
          ++counts[server];
          if (kind == worker::ServedTable::Placement::range) {
            EXPECT_GE(row, server * rows / servers);
            EXPECT_LT(row, (server + 1) * rows / servers);
          }
        }
        for (int64_t count : counts) // also where it is by hash
          EXPECT_NEAR(count, double(rows) / servers, rows < 1000 ? rows : 0.35 * rows / servers);
      }
}

TEST(Placement, WholeVariablesAreSpreadByTheirBytes) {
  std::vector<worker::ServedTable> tables(5);
  std::vector<int64_t> elements = {10, 1000, 500, 400, 30};
  for (size_t i = 0; i < tables.size(); ++i) {
    tables[i].type = TUTTI_F32;
    tables[i].shape = {elements[i]};
    tables[i].is_whole = true;
  }
  std::vector<int64_t> homes;
  for (size_t i = 0; i < tables.size(); ++i)
    homes.push_back(Placement(tables, i, 2).server_of(0));
  EXPECT_EQ(homes, (std::vector<int64_t>{1, 0, 1, 1, 1}));
}

TEST(RemoteRows, AWorkerOfAnotherRunIsRefused) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/2, /*servers=*/1,
                  Way::network);
  cluster.run.fingerprint = "another";
  EXPECT_THAT(
      cluster.connect(0).error().message,
      HasSubstr("worker 0 and server 0 are no parts of one run: fingerprint of the program: "
                "worker 0 has 'another', server 0 has 'fingerprint'. Start all roles with "));
  cluster.run.fingerprint = "fingerprint";
  cluster.run.workers = 3;
  EXPECT_THAT(cluster.connect(2).error().message,
              HasSubstr("number of workers: worker 2 has 3, server 0 has 2"));
}

/// They would exchange other things, or in another order: both sides are shown, and both end.
TEST(RemoteRows, WhatIsExchangedIsComparedBeforeTheFirstStep) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false);
  RunOfServers run = {"fingerprint", /*workers=*/2, /*servers=*/1, /*seconds=*/20};
  run.exchanged = "table 0, a\ntable 1, b\n";
  auto check = [&](const std::string &exchanged, const std::string &told) {
    auto server = RowServer::start(run, 0, {served.table.get()}, "127.0.0.1:0");
    ASSERT_TRUE(server);
    RunOfServers other = run;
    other.exchanged = exchanged;
    auto rows = RemoteRows::connect(other, 1, served.manifest.tables, {(*server)->address()});
    EXPECT_EQ(rows.error().status, TUTTI_PLAN_MISMATCH);
    EXPECT_THAT(rows.error().message, HasSubstr(told));
    auto ended = (*server)->wait_for_workers();
    EXPECT_EQ(ended.status, TUTTI_PLAN_MISMATCH);
    EXPECT_THAT(ended.message, HasSubstr(told));
  };
  check("table 0, b\ntable 1, a\n",
        "line 0 of what they exchange: worker 1 has 'table 0, b', server 0 has 'table 0, a'");
  check("table 0, a\n",
        "line 1 of what they exchange: worker 1 has no such entry, server 0 has 'table 1, b'");
  check(
      "table 0, a\ntable 1, b\nplan entry 3, step pull_rows of a, f32 as f32\n",
      "line 2 of what they exchange: worker 1 has 'plan entry 3, step pull_rows of a, f32 as f32', "
      "server 0 has no such entry");
}

/// Workers that meet nowhere else are compared by the server: by what the first of them said.
TEST(RemoteRows, AWorkerThatWouldComputeSomethingElseIsRefused) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/3, /*servers=*/1,
                  Way::network);
  cluster.run.described = "data: f32 [4] 1\nseed: 0\n";
  auto first = cluster.connect(1);
  ASSERT_TRUE(first) << first.error().message;
  cluster.run.described = "data: f32 [4] 1\nseed: 7\n";
  auto error = cluster.connect(0).error();
  EXPECT_EQ(error.status, TUTTI_PLAN_MISMATCH);
  EXPECT_THAT(error.message, HasSubstr("the workers would not compute the same run: worker 1 has "
                                       "'seed: 0', worker 0 has 'seed: 7'"));
}

/// All are there: somebody else's mistake is not theirs.
TEST(RemoteRows, AStrangeWorkerEndsNoRunThatHasBegun) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/1, /*servers=*/1,
                  Way::network, Wire::None, /*is_supervised=*/false);
  auto worker = cluster.connect(0);
  ASSERT_TRUE(worker) << worker.error().message;
  cluster.run.fingerprint = "another";
  EXPECT_EQ(cluster.connect(0).error().status, TUTTI_PLAN_MISMATCH);
  std::thread ends([&] { (*worker)->leave({}); });
  EXPECT_FALSE(bool(cluster.running[0]->wait_for_workers()));
  ends.join();
}

/// Without a launcher a server learns of the end of its workers from their connections.
TEST(RemoteRows, AServerEndsWithItsWorkers) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/2, /*servers=*/1,
                  Way::network, Wire::None, /*is_supervised=*/false);
  auto first = cluster.connect(0), second = cluster.connect(1);
  ASSERT_TRUE(first && second) << first.error().message << second.error().message;
  std::thread ends([&] {
    (*first)->leave({});
    (*second)->leave({});
  });
  EXPECT_FALSE(bool(cluster.running[0]->wait_for_workers()));
  ends.join();
}

TEST(RemoteRows, ADeadWorkerEndsARunInStep) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/2, /*servers=*/1,
                  Way::network, Wire::None, /*is_supervised=*/false);
  auto first = cluster.connect(0), second = cluster.connect(1);
  ASSERT_TRUE(first && second);
  second->reset(); // without a word
  int64_t row = 3;
  std::vector<float> values(kWidth);
  tutti_row_list list = {0, /*step=*/1, 1, &row};
  char message[256] = {};
  const tutti_row_service *service = (*first)->service();
  void *out = values.data();
  EXPECT_EQ(service->pull(service->self, &list, 1, &out, message, sizeof message), TUTTI_RANK_DIED);
  EXPECT_THAT(message, HasSubstr("server 0: worker 1 has died"));
  std::thread ends([&] { (*first)->leave(tutti::runtime::Error::make(TUTTI_STALLED, "other")); });
  EXPECT_THAT(cluster.running[0]->wait_for_workers().message, HasSubstr("worker 1 has died"));
  ends.join();
}

/// Whoever does not know the secret learns nothing, and changes nothing.
TEST(RemoteRows, AStrangerIsRefused) {
  Compiler compiler;
  std::string path = writeSecret("token", "a secret of many letters\n"),
              other = writeSecret("other", "a secret of other letter\n");
  RunOfServers run = {"fingerprint", /*workers=*/1, /*servers=*/1, /*seconds=*/2};
  run.security = *Security::read({path, "", "", ""});
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false);
  auto server = RowServer::start(run, 0, {served.table.get()}, "127.0.0.1:0");
  ASSERT_TRUE(server);
  auto connect = [&](const RunOfServers &as) {
    return RemoteRows::connect(as, 0, served.manifest.tables, {(*server)->address()});
  };
  RunOfServers stranger = run;
  for (const std::string &file : {other, std::string()}) {
    stranger.security = *Security::read({file, "", "", ""});
    EXPECT_THAT(connect(stranger).error().message,
                HasSubstr("the token is not that of the server"));
  }
  auto friendly = connect(run);
  EXPECT_TRUE(friendly) << friendly.error().message;
  (*friendly)->leave({});
  EXPECT_FALSE(bool((*server)->wait_for_workers()));
}

TEST(RemoteRows, AServerThatIsNotThereIsNamed) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/1, /*servers=*/2,
                  Way::network);
  cluster.run.seconds = 0.3;
  cluster.addresses[1] = "unix:/nowhere/server";
  auto rows = cluster.connect(0);
  EXPECT_EQ(rows.error().status, TUTTI_STALLED);
  EXPECT_THAT(rows.error().message,
              HasSubstr("server 1 at 'unix:/nowhere/server' does not answer"));
}

class Ways : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(Rows, Ways, testing::Values(Way::network, Way::memory),
                         [](const auto &info) { return name_of(info.param); });

/// A pull of one row, as a kernel asks for it; what the service says.
std::string pull_one(RemoteRows &rows, int64_t step) {
  int64_t index = 3;
  tutti_row_list list = {0, step, 1, &index};
  float row[kWidth];
  char message[512] = "";
  const tutti_row_service &service = *rows.service();
  void *out = row;
  bool is_answered =
      service.pull(service.self, &list, 1, &out, message, sizeof message) == TUTTI_OK;
  return is_answered ? "answered" : message;
}

TEST_P(Ways, AServerThatEndsEndsItsWorkers) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/2, /*servers=*/1,
                  GetParam());
  cluster.run.seconds = 1;
  auto rows = cluster.connect(0);
  ASSERT_TRUE(rows) << rows.error().message;
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cluster.end();
  });
  // For which worker 1 never pushes its part.
  EXPECT_THAT(pull_one(**rows, /*step=*/1), HasSubstr("server 0: the server ends"));
  ends.join();
  EXPECT_THAT(pull_one(**rows, /*step=*/0), HasSubstr("server 0"));
}

/// Beside a pull that waits, from another thread.
TEST_P(Ways, WaitsAreToldByAllServers) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/2, /*servers=*/2,
                  GetParam());
  cluster.run.seconds = 3;
  auto rows = cluster.connect(1);
  ASSERT_TRUE(rows) << rows.error().message;
  const tutti_row_service &service = *(*rows)->service();
  auto told = [&] {
    char text[512] = "";
    service.tell_waits(service.teller, text, sizeof text);
    return std::string(text);
  };
  EXPECT_EQ(told(), "");
  std::string answer;
  std::thread pulls([&] { answer = pull_one(**rows, /*step=*/1); });
  std::string waits;
  for (int turn = 0; turn < 100 && waits.empty(); ++turn)
    waits = told();
  EXPECT_EQ(waits,
            "server 0: worker 1 waits in step 1 for rows of table 'w', and they for the push "
            "of worker 0 in step 0, the push of worker 1 in step 0");
  pulls.join();
  EXPECT_THAT(answer, HasSubstr("server 0")); // gives up before its server does
  cluster.end();
  EXPECT_EQ(told(), "server 0 does not answer; server 1 does not answer");
}

TEST_P(Ways, WhatAServerSaysToAPushComesWithTheNextPull) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/1, /*servers=*/1,
                  GetParam());
  auto rows = cluster.connect(0);
  ASSERT_TRUE(rows) << rows.error().message;
  const tutti_row_service &service = *(*rows)->service();
  tutti_row_list list = {0, /*step=*/0, 0, nullptr};
  char message[512] = "";
  EXPECT_EQ(service.push(service.self, &list, nullptr, "", 0, message, sizeof message), TUTTI_OK);
  EXPECT_THAT(pull_one(**rows, /*step=*/0),
              HasSubstr("server 0: a push brings 0 bytes of scalars"));
}
