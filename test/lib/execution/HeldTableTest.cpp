// Asynchronous tables that a checkpoint holds until they stand where it should.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/TableSave.h"
#include "test/lib/execution/ServedProgram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace tutti::test;
using testing::ElementsAre;
using testing::HasSubstr;
namespace servers = tutti::runtime::servers;

static servers::Aside plenty;

/// A table that is held takes no push until it is watched, and then those up to where it is to
/// stand.
TEST(HeldTable, AHeldTableComesToStandWhereItShould) {
  Asynchronous table;
  ASSERT_EQ(table.push(0, 0), "");
  EXPECT_THAT(table.served.table->hold(10), ElementsAre(1, 0));
  std::thread first([&] { EXPECT_EQ(table.push(0, 1), ""); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(*table.served.table->steps_of(0), 1);
  servers::TableSave save(*table.served.table, /*step=*/1, plenty, {1, 2});
  EXPECT_THAT(save.wait(0.01).message, HasSubstr("stands after step -1"));
  EXPECT_EQ(table.push(1, 0), "");
  EXPECT_EQ(table.push(1, 1), "");
  EXPECT_FALSE(save.wait(10));
  first.join();
  EXPECT_EQ(*table.served.table->steps_of(0), 2);
}

/// Whoever holds a table and does not come back is not waited for longer than he said; then it is
/// too late for him.
TEST(HeldTable, AHeldTableGoesOnAfterItsTime) {
  Asynchronous table;
  (void)table.served.table->hold(0.01);
  EXPECT_EQ(table.push(0, 0), "");
  servers::TableSave late(*table.served.table, 0, plenty, {0, 0});
  EXPECT_THAT(late.wait(1).message,
              HasSubstr("table 'w' is to be saved before a push of worker 0"));
}

namespace {

using Presence = servers::Table::Presence;

/// Worker 0 has pushed twice; worker 1 has pushed once to other tables, but died before it came
/// here.
struct HalfPushed : Asynchronous {
  HalfPushed() {
    EXPECT_EQ(push(0, 0), "");
    EXPECT_EQ(push(0, 1), "");
    (void)served.table->hold(10);
  }
  servers::Table &table() { return *served.table; }
};

} // namespace

/// A push that has come to other servers comes here again when its worker does: a checkpoint that
/// counts it waits for it.
TEST(HeldTable, ASaveWaitsForAWorkerThatComesBack) {
  HalfPushed half;
  half.table().leave(1, Presence::away);
  servers::TableSave save(half.table(), /*step=*/2, plenty, {2, 1});
  EXPECT_THAT(save.wait(0.01).message, HasSubstr("stands after step -1"));
  half.table().come_back(1);
  EXPECT_THAT(save.wait(0.01).message, HasSubstr("stands after step -1"));
  EXPECT_EQ(half.push(1, 0), "");
  EXPECT_FALSE(save.wait(10));
}

TEST(HeldTable, ASaveWaitsForNobodyWhoIsGone) {
  HalfPushed half;
  half.table().leave(1, Presence::away);
  servers::TableSave save(half.table(), /*step=*/2, plenty, {2, 1});
  testing::internal::CaptureStderr();
  half.table().leave(1);
  EXPECT_FALSE(save.wait(10));
  half.table().leave(1, Presence::away); // who is gone stays so
  EXPECT_EQ(half.pull(2, servers::Table::Due::settled), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "dist-run: warning: table 'w' is saved without the pushes of worker 1 in steps 0 to 0: "
            "it did not come back\n");
}

/// Rather no checkpoint than one without a push that it counts.
TEST(HeldTable, ASaveThatMissesAPushIsGivenUp) {
  HalfPushed half;
  half.table().leave(1, Presence::away);
  (void)half.table().hold(0.01);
  servers::TableSave save(half.table(), /*step=*/2, plenty, {2, 1});
  EXPECT_EQ(half.push(0, 2), "") << "the time of hold() is over";
  EXPECT_THAT(save.wait(10).message,
              HasSubstr("table 'w' does not come to stand where it is to be saved: worker 1 has "
                        "made 0 of 1 pushes"));
}

/// Who holds a table again, as a first worker that was started again does, saves something else.
TEST(HeldTable, ASaveIsGivenUpForTheNext) {
  HalfPushed half;
  servers::TableSave save(half.table(), /*step=*/2, plenty, {2, 1});
  EXPECT_THAT(half.table().hold(10), ElementsAre(2, 0));
  EXPECT_THAT(save.wait(10).message, HasSubstr("worker 1 has made 0 of 1 pushes"));
}

/// What ends a run has the pushes of a worker that comes back; its peers do not wait in between.
TEST(HeldTable, OnlyWhatIsSettledWaitsForAWorkerThatComesBack) {
  Asynchronous table(/*staleness=*/1);
  ASSERT_EQ(table.push(0, 0), "");
  ASSERT_EQ(table.push(0, 1), "");
  table.served.table->leave(1, Presence::away);
  EXPECT_EQ(table.pull(2), "");
  EXPECT_THAT(table.pull(2, servers::Table::Due::settled),
              HasSubstr("wait for the pushes of worker 1 in steps 0 to 1"));
  table.served.table->leave(1);
  EXPECT_EQ(table.pull(2, servers::Table::Due::settled), "");
}
