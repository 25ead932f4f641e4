// The summary of a run as a person reads it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/Report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime::worker;
using testing::HasSubstr;
using testing::Not;

namespace {

RankSummary summary_of(double seconds, int64_t bytes) {
  RankSummary rank = {};
  rank.steps = 10;
  rank.samples_per_step = 64;
  rank.run_seconds = seconds;
  rank.communication_seconds = seconds / 2;
  rank.bytes_moved = rank.peak_bytes = bytes;
  rank.collectives = 3;
  rank.first_loss = 2.5;
  rank.last_loss = 0.25;
  return rank;
}

Manifest manifest_of(int64_t batch) {
  Manifest manifest;
  manifest.program = "model";
  manifest.global_batch = batch;
  manifest.batch_policy = "pad";
  return manifest;
}

} // namespace

TEST(Report, takes_the_slowest_rank) {
  std::string text = summary_text(manifest_of(64), {summary_of(1, 100), summary_of(2, 2048)});
  EXPECT_THAT(text,
              HasSubstr("trained model for 10 steps on 2 ranks: loss 2.500000 -> 0.250000\n"));
  EXPECT_THAT(text, HasSubstr("  effective batch  64 samples a step\n"));
  EXPECT_THAT(text, HasSubstr("  time             2.000 s, 320 samples/s\n"));
  EXPECT_THAT(text, HasSubstr("    communication  1.000 s, 2.0 KiB a rank in 3 collectives\n"));
  EXPECT_THAT(text, HasSubstr("  memory           2.0 KiB peak of a rank, 0 B of it planned\n"));
  EXPECT_THAT(text, Not(HasSubstr("evaluation")));
}

TEST(Report, says_what_was_staged) {
  RankSummary rank = summary_of(1, 4096);
  rank.staged_bytes = 1024;
  EXPECT_THAT(summary_text(manifest_of(64), {rank}),
              HasSubstr("4.0 KiB a rank in 3 collectives, 1.0 KiB of it staged\n"));
}

TEST(Report, says_what_was_dropped_repeated_and_evaluated) {
  RankSummary rank = summary_of(1, 1);
  rank.dropped_per_epoch = 5;
  rank.repeated_per_step = 2;
  rank.evaluation_metrics = 1;
  rank.evaluation[0] = 0.5;
  rank.evaluated_samples = 9;
  Manifest manifest = manifest_of(62);
  manifest.evaluation.emplace();
  manifest.evaluation->metrics.emplace_back();
  manifest.evaluation->metrics[0].name = "accuracy";
  std::string text = summary_text(manifest, {rank});
  EXPECT_THAT(text, HasSubstr("on 1 rank: "));
  EXPECT_THAT(text,
              HasSubstr("64 samples a step (global batch 62, policy pad), 2 of them repeated; "
                        "5 samples of each epoch dropped\n"));
  EXPECT_THAT(text, HasSubstr("evaluation: accuracy 0.5000 (9 samples)\n"));
}

TEST(Report, says_how_much_of_the_variables_a_rank_holds) {
  Manifest manifest = manifest_of(64);
  Variable weight, moment, count;
  weight.name = "w", weight.type = TUTTI_F32, weight.shape = {64, 10}, weight.kind = "trainable";
  moment.name = "w.m", moment.type = TUTTI_F32, moment.shape = {160}, moment.kind = "state";
  moment.placement = Placement::sharded, moment.whole = {64, 10};
  count.name = "t", count.type = TUTTI_I64, count.kind = "other";
  manifest.variables = {weight, moment, count};
  EXPECT_THAT(
      summary_text(manifest, {summary_of(1, 1)}),
      HasSubstr("    variables      2.5 KiB trainable, 640 B state of 2.5 KiB, 8 B other\n"));
}
