// Servers and workers over gRPC: what several of each compute is what one server and one worker
// with all samples do, and what goes wrong is named.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteRows.h"
#include "runtime/servers/Placement.h"
#include "test/lib/execution/ServedProgram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace tutti::test;
using namespace tutti::runtime::servers;
using tutti::execution::LoadedProgram;
namespace worker = tutti::runtime::worker;
using testing::HasSubstr;

namespace {

/// Servers of one run, in this process, at ports of the loopback device.
class Servers {
public:
  Servers(Compiler &compiler, const std::string &text, int64_t workers, int64_t servers) {
    run = {"fingerprint", workers, servers, /*seconds=*/20};
    for (int64_t number = 0; number < servers; ++number) {
      tables.push_back(std::make_unique<Served>(compiler, text, /*lazy=*/false, workers));
      auto server = RowServer::start(run, number, {tables.back()->table.get()}, "127.0.0.1:0");
      EXPECT_TRUE(server) << server.error().message;
      running.push_back(std::move(*server));
      addresses.push_back(running.back()->address());
    }
  }

  tutti::runtime::Result<std::unique_ptr<RemoteRows>> connect(int64_t number) {
    return RemoteRows::connect(run, number, tables[0]->manifest.tables, addresses);
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
  std::vector<std::unique_ptr<RowServer>> running;
  std::vector<std::string> addresses;
};

/// Trains `steps` steps on each of `workers` workers, each with samples of its own, and gives the
/// table.
std::vector<float> train(const Optimizer &optimizer, int64_t workers, int64_t servers,
                         unsigned steps) {
  Compiler compiler;
  Servers cluster(compiler, programWith(optimizer.update, optimizer.states), workers, servers);
  std::vector<std::thread> threads;
  for (int64_t number = 0; number < workers; ++number)
    threads.emplace_back([&, number] {
      auto rows = cluster.connect(number);
      ASSERT_TRUE(rows) << rows.error().message;
      auto program =
          llvm::cantFail(LoadedProgram::load(cluster.tables[0]->forWorkers->path(), /*seed=*/7));
      llvm::cantFail(program->initialize());
      tutti_context_set_rows(program->context(), (*rows)->service());
      for (unsigned step = 0; step < steps; ++step)
        Batch(unsigned(100 * number + step)).run(*program);
    });
  for (std::thread &thread : threads)
    thread.join();
  return cluster.whole(steps);
}

} // namespace

class Clusters : public testing::TestWithParam<Optimizer> {};

/// Bits do not depend on how many servers there are, nor on which worker comes first.
TEST_P(Clusters, OfAnyNumberOfServersGiveTheSameBits) {
  for (int64_t workers : {1, 2, 4}) {
    std::vector<float> one = train(GetParam(), workers, 1, 6);
    EXPECT_NE(one, std::vector<float>(one.size(), 0.25f));
    EXPECT_EQ(train(GetParam(), workers, 2, 6), one) << workers;
    EXPECT_EQ(train(GetParam(), workers, 3, 6), one) << workers;
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
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/2, /*servers=*/1);
  cluster.run.fingerprint = "another";
  EXPECT_THAT(
      cluster.connect(0).error().message,
      HasSubstr("worker 0 runs another program than server 0: 'another' and 'fingerprint'"));
  cluster.run.fingerprint = "fingerprint";
  cluster.run.workers = 3;
  EXPECT_THAT(cluster.connect(2).error().message,
              HasSubstr("worker 2 of 3 asks for server 0 of 1, but this is server 0 of 1 for 2"));
}

TEST(RemoteRows, AServerThatIsNotThereIsNamed) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/1, /*servers=*/2);
  cluster.run.seconds = 0.3;
  cluster.addresses[1] = "unix:/nowhere/server";
  auto rows = cluster.connect(0);
  EXPECT_EQ(rows.error().status, TUTTI_STALLED);
  EXPECT_THAT(rows.error().message,
              HasSubstr("server 1 at 'unix:/nowhere/server' does not answer"));
}

TEST(RemoteRows, AServerThatEndsEndsItsWorkers) {
  Compiler compiler;
  Servers cluster(compiler, programWith(kOptimizers[0].update, {}), /*workers=*/2, /*servers=*/1);
  auto rows = cluster.connect(0);
  ASSERT_TRUE(rows) << rows.error().message;
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cluster.running.clear();
  });
  int64_t index = 3;
  tutti_row_list list = {0, /*step=*/1, 1, &index}; // of which worker 1 never pushes its part
  float row[kWidth];
  char message[512] = "";
  const tutti_row_service &service = *(*rows)->service();
  EXPECT_NE(service.pull(service.self, &list, row, message, sizeof message), TUTTI_OK);
  EXPECT_THAT(message, HasSubstr("server 0"));
  ends.join();
}
