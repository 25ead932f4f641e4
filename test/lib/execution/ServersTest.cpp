// Tables on servers: what workers and servers compute together is what one device computes, bit for
// bit; rows and pushes come as they come.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteRows.h"
#include "test/lib/execution/ServedProgram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace tutti::execution;
using namespace tutti::test;
namespace servers = tutti::runtime::servers;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class ServedTraining : public testing::TestWithParam<Optimizer> {};

} // namespace

/// One worker and a server against one device, ten steps, in blocks of 4 rows.
TEST_P(ServedTraining, GivesTheBitsOfOneDevice) {
  Compiler compiler;
  std::string text = programWith(GetParam().update, GetParam().states, GetParam().stateType);
  std::unique_ptr<LoadedProgram> alone = compiler.run(text);
  ASSERT_TRUE(alone);
  Served served(compiler, text, /*lazy=*/false);
  auto loaded = LoadedProgram::load(served.forWorkers->path(), /*seed=*/7);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  EXPECT_EQ((*loaded)->variableCount(), 0u); // no part of it is a variable of the worker
  llvm::cantFail((*loaded)->initialize());
  servers::RunOfServers run = {"fingerprint", /*workers=*/1, /*servers=*/1, /*seconds=*/20};
  auto server = servers::RowServer::start(run, /*number=*/0, {served.table.get()}, "127.0.0.1:0");
  ASSERT_TRUE(server) << server.error().message;
  auto rows = servers::RemoteRows::connect(run, /*worker=*/0, served.manifest.tables,
                                           {(*server)->address()});
  ASSERT_TRUE(rows) << rows.error().message;
  tutti_context_set_rows((*loaded)->context(), (*rows)->service());
  for (unsigned step = 0; step < 10; ++step) {
    Batch one(step), other(step);
    one.run(*alone);
    other.run(**loaded);
    EXPECT_EQ(one.loss[0], other.loss[0]) << step;
  }
  const float *w = static_cast<float *>(alone->variable(0));
  for (int64_t row = 0; row < kRows; ++row)
    EXPECT_EQ(served.row(10, row), std::vector<float>(w + row * kWidth, w + (row + 1) * kWidth));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, ServedTraining, testing::ValuesIn(kOptimizers),
                         [](const auto &info) { return info.param.name; });

/// Gradients of a row are added in the order of the workers, whoever comes first.
TEST(Servers, TheOrderOfPushesDoesNotMatter) {
  Compiler compiler;
  std::string text = programWith(kOptimizers[0].update, {});
  std::vector<std::vector<float>> results;
  for (std::vector<int64_t> order : {std::vector<int64_t>{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}) {
    Served served(compiler, text, /*lazy=*/false, /*workers=*/3);
    double scalars[] = {0, 0};
    float rate = 1;
    std::memcpy(&scalars[0], &rate, sizeof rate);
    std::memcpy(&scalars[1], &rate, sizeof rate);
    for (int64_t who : order) {
      int64_t rows[] = {3, 299};
      std::vector<float> gradients = numbers(2 * kWidth, unsigned(who) + 1);
      for (float &gradient : gradients)
        gradient *= who == 1 ? 1e6f : 1e-3f; // so that the order of a sum shows
      auto error = served.table->push(who, 0, rows, 2, reinterpret_cast<char *>(gradients.data()),
                                      {reinterpret_cast<char *>(scalars), sizeof scalars});
      ASSERT_FALSE(bool(error)) << error.message;
    }
    EXPECT_EQ(served.table->steps(), 1);
    results.push_back(served.row(1, 3));
    EXPECT_EQ(served.row(1, 4), std::vector<float>(kWidth, 0.25f));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Servers, APullWaitsForTheStepBefore) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false, /*workers=*/2);
  int64_t row = 5;
  std::vector<float> values(kWidth);
  char *out = reinterpret_cast<char *>(values.data());
  double scalars[2] = {};
  std::string_view packed(reinterpret_cast<char *>(scalars), sizeof scalars);
  ASSERT_FALSE(bool(served.table->push(0, 0, nullptr, 0, nullptr, packed)));
  EXPECT_THAT(served.table->pull(1, &row, 1, out, 0.05).message,
              HasSubstr("was not updated for 0.05 seconds: its rows in step 1 wait for the push of "
                        "worker 1 in step 0"));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(bool(served.table->push(1, 0, nullptr, 0, nullptr, packed)));
  });
  EXPECT_FALSE(bool(served.table->pull(1, &row, 1, out, 10)));
  later.join();
}

/// A worker that pulls nothing here is not held back, and may push before others have.
TEST(Servers, AWorkerMayBeAhead) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false, /*workers=*/2);
  float rate = 1;
  double scalars[2] = {};
  std::memcpy(&scalars[0], &rate, sizeof rate);
  std::memcpy(&scalars[1], &rate, sizeof rate);
  std::string_view packed(reinterpret_cast<char *>(scalars), sizeof scalars);
  int64_t row = 5;
  std::vector<float> gradients(kWidth);
  auto push = [&](int64_t worker, int64_t step) {
    std::fill(gradients.begin(), gradients.end(), float(step + 1));
    return served.table
        ->push(worker, step, &row, 1, reinterpret_cast<char *>(gradients.data()), packed)
        .message;
  };
  for (int64_t step = 0; step < 256; ++step)
    ASSERT_EQ(push(0, step), "");
  EXPECT_THAT(push(0, 256), HasSubstr("in step 257, but not all have pushed in step 1"));
  EXPECT_EQ(served.table->steps(), 0);
  std::vector<float> before = served.row(0, row);
  for (int64_t step = 0; step < 3; ++step)
    ASSERT_EQ(push(1, step), "");
  EXPECT_EQ(served.table->steps(), 3);
  Served other(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false, /*workers=*/1);
  for (int64_t step = 0; step < 3; ++step) {
    std::fill(gradients.begin(), gradients.end(), float(step + 1));
    ASSERT_FALSE(bool(
        other.table->push(0, step, &row, 1, reinterpret_cast<char *>(gradients.data()), packed)));
  }
  EXPECT_EQ(served.row(3, row), other.row(3, row)); // the mean of two that are equal
}

TEST(Servers, AMistakeOfAWorkerIsNamed) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false, /*workers=*/2);
  double scalars[2] = {}, others[2] = {1, 1};
  std::string_view packed(reinterpret_cast<char *>(scalars), sizeof scalars);
  std::string_view different(reinterpret_cast<char *>(others), sizeof others);
  int64_t row = kRows;
  EXPECT_THAT(served.table->pull(0, &row, 1, nullptr, 1).message,
              HasSubstr("table 'w' has 300 rows, but row 300 is asked for"));
  EXPECT_THAT(served.table->push(2, 0, nullptr, 0, nullptr, packed).message,
              HasSubstr("there is no worker 2 of 2"));
  ASSERT_FALSE(bool(served.table->push(0, 0, nullptr, 0, nullptr, packed)));
  EXPECT_THAT(served.table->push(1, 0, nullptr, 0, nullptr, different).message,
              HasSubstr("workers 0 and 1 push other rates or counters to table 'w' in step 1"));
  EXPECT_THAT(
      served.table->push(1, 1, nullptr, 0, nullptr, packed).message,
      HasSubstr("worker 1 pushes to table 'w' in step 2, but has pushed in 0 steps before"));
  // What came before comes again after a lost answer, and counts once.
  ASSERT_FALSE(bool(served.table->push(0, 0, nullptr, 0, nullptr, packed)));
  ASSERT_FALSE(bool(served.table->push(1, 0, nullptr, 0, nullptr, packed)));
  ASSERT_FALSE(bool(served.table->push(1, 0, nullptr, 0, nullptr, packed)));
  EXPECT_EQ(served.table->steps(), 1);
}

/// Each push updates at once, by its whole gradient, and once.
TEST(Servers, AsynchronousPushesDoNotWait) {
  Asynchronous table;
  ASSERT_EQ(table.pull(0), "");
  float before = table.values[0];
  for (int64_t step : {0, 1, 1, 2}) // the second one comes again
    EXPECT_EQ(table.push(/*worker=*/1, step), "");
  EXPECT_EQ(table.pull(3), "");
  float once = table.values[0] - before;
  Asynchronous other;
  EXPECT_EQ(other.push(0, 0), "");
  EXPECT_EQ(other.pull(0), "");
  EXPECT_NE(other.values[0], before);
  EXPECT_NEAR(once, 3 * (other.values[0] - before), 1e-5);
  EXPECT_THAT(other.push(0, 7), HasSubstr("worker 0 pushes to table 'w' in step 8, but has pushed "
                                          "in 1 steps before"));
}

/// The first steps are common ones: rows see the mean of all workers, and workers wait for it.
TEST(Servers, AnAsynchronousTableWarmsUpInStep) {
  Asynchronous table(/*staleness=*/-1, /*warmUp=*/2);
  ASSERT_EQ(table.pull(0), "");
  float before = table.values[0];
  ASSERT_EQ(table.push(0, 0), "");
  EXPECT_THAT(table.pull(1), HasSubstr("its rows in step 1 wait for the push of worker 1 in step "
                                       "0"));
  ASSERT_EQ(table.push(1, 0), "");
  ASSERT_EQ(table.pull(1), "");
  float once = table.values[0] - before;
  EXPECT_NE(once, 0);
  ASSERT_EQ(table.push(1, 1), "");
  EXPECT_THAT(table.pull(7), HasSubstr("wait for the push of worker 0 in step 1"));
  ASSERT_EQ(table.push(0, 1), "");
  for (int64_t step : {2, 3})
    ASSERT_EQ(table.push(0, step), "") << "which waits for nobody any more";
  ASSERT_EQ(table.pull(4), "");
  EXPECT_NEAR(table.values[0] - before, 4 * once, 1e-5) << "two means, and two pushes";
}

/// Who pulls no rows here is ahead of the others only until the common steps end.
TEST(Servers, APushAfterTheCommonStepsWaitsForThem) {
  Asynchronous table(/*staleness=*/-1, /*warmUp=*/1);
  ASSERT_EQ(table.push(0, 0), "");
  EXPECT_THAT(table.push(0, 1), HasSubstr("wait for the push of worker 1 in step 0"));
  std::thread ahead([&] { EXPECT_EQ(table.push(0, 1, /*seconds=*/60), ""); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(*table.served.table->steps_of(0), 1);
  ASSERT_EQ(table.push(1, 0), "");
  ahead.join();
  EXPECT_EQ(*table.served.table->steps_of(0), 2);
}

/// A common step waits for nobody who is gone; whoever comes back late counts alone.
TEST(Servers, CommonStepsDoNotWaitForWorkersThatAreGone) {
  Asynchronous table(/*staleness=*/-1, /*warmUp=*/3, /*workers=*/3);
  ASSERT_EQ(table.pull(0), "");
  float before = table.values[0];
  ASSERT_EQ(table.push(0, 0), "");
  ASSERT_EQ(table.push(1, 0), "");
  table.served.table->leave(2);
  ASSERT_EQ(table.pull(1), "") << "of the two that are there";
  float once = table.values[0] - before;
  ASSERT_EQ(table.push(0, 1), "");
  table.served.table->come_back(2);
  ASSERT_EQ(table.push(2, 0), "");
  ASSERT_EQ(table.pull(0), "");
  EXPECT_NEAR(table.values[0] - before, 2 * once, 1e-5);
  ASSERT_EQ(table.push(2, 1), "");
  ASSERT_EQ(table.push(1, 1), "");
  ASSERT_EQ(table.pull(2), "");
  EXPECT_NEAR(table.values[0] - before, 3 * once, 1e-5);
}

/// A checkpoint comes after whole common steps, and what it begins goes on from there.
TEST(Servers, ATableThatWarmsUpGoesOnWhereItStood) {
  Asynchronous table(/*staleness=*/-1, /*warmUp=*/4);
  auto nothing = [](servers::RowStore &) { return tutti::runtime::Error::success(); };
  ASSERT_FALSE(table.served.table->restore(2, nothing, {2, 2}));
  ASSERT_EQ(table.push(0, 2), "");
  EXPECT_THAT(table.pull(3), HasSubstr("wait for the push of worker 1 in step 2"));
  ASSERT_FALSE(table.served.table->restore(4, nothing, {4, 5}));
  ASSERT_EQ(table.push(0, 4), "");
  EXPECT_EQ(table.pull(9), "");
}

/// With a bound, the fast worker waits for the slow one, unless that is gone.
TEST(Servers, StalenessIsBounded) {
  Asynchronous table(/*staleness=*/2);
  for (int64_t step = 0; step < 3; ++step)
    ASSERT_EQ(table.push(0, step), "");
  EXPECT_EQ(table.pull(2), "");
  EXPECT_THAT(table.pull(3), HasSubstr("was not updated for 0.05 seconds: its rows in step 3 wait "
                                       "for the push of worker 1 in step 0"));
  ASSERT_EQ(table.push(1, 0), "");
  EXPECT_EQ(table.pull(3), "");
  EXPECT_THAT(table.pull(3, servers::Table::Due::settled), HasSubstr("was not updated"));
  table.served.table->leave(1);
  EXPECT_EQ(table.pull(3, servers::Table::Due::settled), "");
}

TEST(Servers, ATableWithoutRowsYetWaitsForThem) {
  Asynchronous table;
  table.served.table->wait_for_rows(0.01);
  EXPECT_THAT(table.push(0, 0), HasSubstr("table 'w' has no rows yet"));
  auto nothing = [](servers::RowStore &) { return tutti::runtime::Error::success(); };
  EXPECT_FALSE(table.served.table->restore(4, nothing, {3, 5}));
  EXPECT_EQ(*table.served.table->steps_of(1), 5);
  EXPECT_EQ(table.push(1, 4), "") << "it came again";
  EXPECT_EQ(*table.served.table->steps_of(1), 5);
  EXPECT_FALSE(table.served.table->restore(4, nothing, {3, 5, 6})); // of other workers
  EXPECT_EQ(*table.served.table->steps_of(1), 4);
}

/// Between a pull and the push that follows it: how many updates of others came, and how far ahead
/// of the slowest the worker was.
TEST(Servers, StalenessIsCounted) {
  Asynchronous table;
  auto pull = [&](int64_t worker, int64_t step) {
    char *out = reinterpret_cast<char *>(table.values.data());
    EXPECT_FALSE(
        bool(table.served.table->pull(step, &table.row, 1, out, /*seconds=*/1,
                                      /*states=*/false, servers::Table::Due::in_turn, worker)));
  };
  pull(0, 0);
  pull(1, 0);
  ASSERT_EQ(table.push(0, 0), ""); // no other came between
  for (int64_t step = 1; step < 4; ++step) {
    pull(0, step); // ahead of worker 1 by `step`
    pull(0, step); // again: the first one counts
    ASSERT_EQ(table.push(0, step), "");
  }
  ASSERT_EQ(table.push(1, 0), ""); // four of worker 0
  ASSERT_EQ(table.push(1, 1), ""); // it pulled nothing for this step
  servers::StalenessStatistics all = table.served.table->statistics().staleness;
  EXPECT_EQ(all.pushes, 5);
  EXPECT_EQ(all.sum, 4);
  EXPECT_EQ(all.max, 4);
  EXPECT_THAT(all.histogram, testing::ElementsAre(4, 0, 0, 1, 0, 0));
  EXPECT_EQ(all.pulled_steps, 5);
  EXPECT_EQ(all.ahead_sum, 1 + 2 + 3);
  EXPECT_EQ(all.ahead_max, 3);
}

TEST(Servers, StalenessOfATableInStepIsNone) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false);
  served.row(0, 3);
  EXPECT_EQ(served.table->statistics().staleness.pulled_steps, 0);
}

/// Whoever waits is told of, with all that it waits for, and no longer than that.
TEST(Servers, WaitsAreTold) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false, /*workers=*/3);
  double scalars[2] = {};
  std::string_view packed(reinterpret_cast<char *>(scalars), sizeof scalars);
  for (int64_t step : {0, 1})
    ASSERT_FALSE(bool(served.table->push(0, step, nullptr, 0, nullptr, packed)));
  ASSERT_FALSE(bool(served.table->push(1, 0, nullptr, 0, nullptr, packed)));
  EXPECT_TRUE(served.table->waits().empty());
  int64_t row = 5;
  std::vector<float> values(kWidth);
  std::thread waits([&] {
    (void)served.table->pull(2, &row, 1, reinterpret_cast<char *>(values.data()), /*seconds=*/10,
                             /*states=*/false, servers::Table::Due::in_turn, /*worker=*/0);
  });
  while (served.table->waits().empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT(
      served.table->waits(),
      testing::ElementsAre("worker 0 waits in step 2 for rows of table 'w', and they for the "
                           "push of worker 1 in step 1, the pushes of worker 2 in steps 0 "
                           "to 1"));
  served.table->leave(1);
  served.table->leave(2);
  waits.join();
  EXPECT_TRUE(served.table->waits().empty());
}

/// What cannot be a part of the next update is refused at once: it is not kept, and others go on.
TEST(Servers, APushThatDoesNotFitIsNotKept) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false);
  double scalars[2] = {};
  std::string_view packed(reinterpret_cast<char *>(scalars), sizeof scalars);
  EXPECT_THAT(served.table->push(0, 1000000000000000000, nullptr, 0, nullptr, packed).message,
              HasSubstr("worker 0 pushes to table 'w' in step 1000000000000000001, but has pushed "
                        "in 0 steps before"));
  EXPECT_THAT(served.table->push(0, 0, nullptr, 0, nullptr, packed.substr(1)).message,
              HasSubstr("a push brings 15 bytes of scalars, the update of table 'w' takes 16"));
  ASSERT_FALSE(bool(served.table->push(0, 0, nullptr, 0, nullptr, packed)));
  EXPECT_EQ(served.table->steps(), 1);
}

TEST(Servers, WithoutARowServiceTheStepFails) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false);
  auto loaded = llvm::cantFail(LoadedProgram::load(served.forWorkers->path()));
  llvm::cantFail(loaded->initialize());
  Batch batch(1);
  llvm::Error error = loaded->step(
      {batch.i.data(), batch.j.data(), batch.y.data(), batch.rate.data()}, {batch.loss.data()});
  EXPECT_THAT(llvm::toString(std::move(error)), HasSubstr("gave the context no row service"));
}
