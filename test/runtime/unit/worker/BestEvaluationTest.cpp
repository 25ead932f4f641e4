// Which evaluation is the best, and when it is not worth waiting for a better one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/evaluation/BestEvaluation.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

/// A program that evaluates a weight, "loss", "accuracy" and "score".
Manifest evaluated() {
  Manifest manifest;
  manifest.evaluation.emplace();
  for (const char *name : {"weight", "loss", "accuracy", "score"}) {
    manifest.evaluation->metrics.push_back({name, TUTTI_F32, {}});
    manifest.evaluation->means.emplace_back();
  }
  manifest.evaluation->means[0].is_weight = true;
  return manifest;
}

RunConfig asked_for(const char *best, int64_t early_stop = 0) {
  RunConfig config;
  config.best = best;
  config.early_stop = early_stop;
  return config;
}

BestEvaluation best_of(const char *best, int64_t early_stop = 0) {
  return **BestEvaluation::create(asked_for(best, early_stop), evaluated());
}

std::string refusal_of(const char *best) {
  return BestEvaluation::create(asked_for(best), evaluated()).error().message;
}

bool see(BestEvaluation &best, int64_t step, double loss, double accuracy) {
  double values[] = {1, loss, accuracy, 0};
  return best.see(step, values);
}

} // namespace

TEST(BestEvaluation, is_none_that_nobody_asked_for) {
  EXPECT_FALSE(BestEvaluation::create(RunConfig(), evaluated())->has_value());
}

TEST(BestEvaluation, is_the_least_loss_or_the_greatest_accuracy) {
  BestEvaluation loss = best_of("loss"), accuracy = best_of("accuracy");
  EXPECT_TRUE(see(loss, 5, 0.5, 0.25) && see(accuracy, 5, 0.5, 0.25));
  EXPECT_FALSE(see(loss, 10, 0.75, 0.5));
  EXPECT_TRUE(see(accuracy, 10, 0.75, 0.5));
  EXPECT_FALSE(see(accuracy, 15, 0.75, 0.5)) << "equal is no better";
  EXPECT_EQ(loss.state().step, 5);
  EXPECT_EQ(accuracy.state().step, 10);
  EXPECT_EQ(accuracy.state().value, 0.5);
}

TEST(BestEvaluation, is_never_one_that_is_no_number) {
  BestEvaluation best = best_of("loss:max", 2);
  EXPECT_FALSE(see(best, 1, NAN, 0));
  EXPECT_EQ(best.state().step, -1);
  EXPECT_TRUE(see(best, 2, -1, 0));
  EXPECT_FALSE(see(best, 3, NAN, 0));
  EXPECT_FALSE(best.is_over());
  EXPECT_FALSE(see(best, 4, -2, 0));
  EXPECT_TRUE(best.is_over());
}

TEST(BestEvaluation, goes_on_from_a_checkpoint_of_the_same_metric) {
  BestEvaluation first = best_of("loss", 3);
  see(first, 5, 0.5, 0);
  see(first, 10, 0.75, 0);
  BestEvaluation same = best_of("loss", 3), other = best_of("accuracy", 3);
  same.resume(first.state());
  other.resume(first.state());
  EXPECT_EQ(same.state().step, 5);
  EXPECT_EQ(same.state().later_evaluations, 1);
  EXPECT_FALSE(see(same, 15, 0.5, 0));
  EXPECT_EQ(other.state().step, -1);
}

TEST(BestEvaluation, says_what_can_be_compared) {
  EXPECT_EQ(refusal_of("auc"),
            "--best auc: the evaluation has no 'auc'; it has loss, accuracy, score");
  EXPECT_THAT(refusal_of("weight:min"), HasSubstr("has no 'weight'"));
  EXPECT_THAT(refusal_of("score"),
              HasSubstr("say whether little or much is good: score:min or score:max"));
  EXPECT_EQ(refusal_of("score:min"), "");
  EXPECT_THAT(refusal_of(":max"), HasSubstr("has no ':max'"));
}
