// Which pushes make an update, without a table: in step, asynchronously, and while one warms up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/steps/StepPolicy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::servers;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Of two workers, whose pushes bring no scalars.
struct Policy {
  explicit Policy(bool is_asynchronous, int64_t warm_up = 0) {
    worker::ServedTable table;
    table.name = "w";
    table.is_asynchronous = is_asynchronous;
    table.warm_up = warm_up;
    steps = StepPolicy::make(table, /*workers=*/2, /*scalar_bytes=*/0);
  }

  /// How many pushes each update has that this one makes.
  std::vector<int64_t> push(int64_t worker, int64_t step) {
    Error error = steps->add(worker, step, {{worker}, {}}, "");
    EXPECT_FALSE(error) << error.message;
    return update();
  }
  std::vector<int64_t> update() {
    std::vector<int64_t> updates;
    while (const StepGradients *next = steps->next()) {
      updates.push_back(next->arrived);
      steps->finish();
    }
    return updates;
  }

  std::unique_ptr<StepPolicy> steps;
};

} // namespace

TEST(StepPolicy, InStepAnUpdateHasThePushesOfAllWorkers) {
  Policy policy(/*is_asynchronous=*/false);
  EXPECT_THAT(policy.push(0, 0), ElementsAre());
  EXPECT_THAT(policy.push(0, 1), ElementsAre());
  EXPECT_FALSE(policy.steps->is_due(1, Due::in_turn));
  EXPECT_EQ(policy.steps->missing(1, Due::in_turn), "the push of worker 1 in step 0");
  EXPECT_THAT(policy.push(1, 0), ElementsAre(2));
  EXPECT_TRUE(policy.steps->is_due(1, Due::in_turn));
  EXPECT_EQ(policy.steps->age(), 1);
  policy.steps->workers.presence[1] = Presence::gone;
  EXPECT_THAT(policy.update(), ElementsAre()) << "a step does without nobody";
  EXPECT_THAT(policy.steps->add(0, 3, {}, "").message, HasSubstr("has pushed in 2 steps before"));
  EXPECT_FALSE(policy.steps->begin_save({}));
  EXPECT_TRUE(policy.steps->limits.are_reached());
}

TEST(StepPolicy, AsynchronouslyEachPushIsAnUpdate) {
  Policy policy(/*is_asynchronous=*/true);
  EXPECT_THAT(policy.push(0, 0), ElementsAre(1));
  EXPECT_THAT(policy.push(0, 1), ElementsAre(1));
  EXPECT_TRUE(policy.steps->is_due(7, Due::in_turn));
  EXPECT_EQ(policy.steps->missing(2, Due::settled), "the pushes of worker 1 in steps 0 to 1");
  EXPECT_EQ(policy.steps->age(), 1) << "two updates of two workers";
  EXPECT_THAT(policy.steps->begin_save({1, 1}).message, HasSubstr("that it has taken already"));
  ASSERT_FALSE(policy.steps->begin_save({2, 1}));
  EXPECT_FALSE(policy.steps->limits.allow(0));
  EXPECT_EQ(policy.steps->limits.missing(), "worker 1 has made 0 of 1 pushes");
  EXPECT_THAT(policy.push(1, 0), ElementsAre(1));
  EXPECT_TRUE(policy.steps->limits.are_reached());
}

TEST(StepPolicy, WhileItWarmsUpStepsAreCommonButForWorkersThatAreAway) {
  Policy policy(/*is_asynchronous=*/true, /*warm_up=*/2);
  EXPECT_THAT(policy.push(0, 0), ElementsAre());
  EXPECT_THAT(policy.push(0, 1), ElementsAre());
  EXPECT_TRUE(policy.steps->is_early(0, 2));
  EXPECT_THAT(policy.push(1, 0), ElementsAre(2));
  policy.steps->workers.presence[1] = Presence::away;
  EXPECT_THAT(policy.update(), ElementsAre(1));
  policy.steps->workers.presence[1] = Presence::here;
  EXPECT_THAT(policy.push(1, 1), ElementsAre(1)) << "late, and so alone";
  EXPECT_FALSE(policy.steps->is_early(0, 2));
  policy.steps->restore(0, {3, 1});
  EXPECT_EQ(policy.steps->age(), 2);
  EXPECT_TRUE(policy.steps->is_early(0, 3));
}
