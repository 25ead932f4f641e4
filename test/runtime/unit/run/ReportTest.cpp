// The summary of a run as a person reads it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/Report.h"

#include "runtime/host/run/ReportText.h"

#include <cmath>
#include <csignal>
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
  rank.compute_seconds = seconds / 4;
  rank.data_seconds = seconds / 10;
  rank.first_step_seconds = 0.4 * seconds;
  rank.median_step_seconds = 0.02;
  rank.p95_step_seconds = 0.03;
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

TEST(Report, adds_up) {
  std::string text = summary_text(manifest_of(64), {summary_of(1, 100), summary_of(2, 2048)});
  EXPECT_THAT(text,
              HasSubstr("trained model for 10 steps on 2 ranks: loss 2.500000 -> 0.250000\n"));
  EXPECT_THAT(text, HasSubstr("  effective batch  64 samples a step\n"));
  EXPECT_THAT(text, HasSubstr("  time             1.500 s: 0.600 s the first step, 0.900 s the "
                              "others: median 20.00 ms, 95 % below 30.00 ms, 640 samples/s\n"));
  EXPECT_THAT(text, HasSubstr("    computation    0.375 s\n"));
  EXPECT_THAT(text, HasSubstr("    communication  0.750 s, 0.250 s of it for slower ranks; 2.0 KiB "
                              "a rank in 3 collectives\n"));
  EXPECT_THAT(text, HasSubstr("    data           0.150 s\n"));
  EXPECT_THAT(text, HasSubstr("    other          0.225 s\n"));
  EXPECT_THAT(text, HasSubstr("  memory           2.0 KiB peak of a rank, 0 B of it planned\n"));
  EXPECT_THAT(text, Not(HasSubstr("evaluation")));
  EXPECT_THAT(text, Not(HasSubstr("checkpoint")));
}

TEST(Report, rounds_so_that_the_steps_make_up_the_whole) {
  RankSummary rank = summary_of(1, 1);
  rank.run_seconds = 0.3712;
  rank.first_step_seconds = 0.1796; // the rest is 0.1916
  EXPECT_THAT(
      summary_text(manifest_of(64), {rank}),
      HasSubstr("  time             0.371 s: 0.180 s the first step, 0.191 s the others: "));
}

TEST(Report, has_no_other_steps_after_one) {
  RankSummary rank = summary_of(1, 1);
  rank.steps = 1;
  EXPECT_THAT(summary_text(manifest_of(64), {rank}), HasSubstr("  time             1.000 s\n"));
}

TEST(Report, says_what_was_interrupted_and_saved) {
  RankSummary rank = summary_of(1, 1);
  rank.interrupted_by = SIGINT;
  rank.steps_wanted = 1000;
  rank.is_saved = rank.is_exported = 1;
  std::string text = summary_text(manifest_of(64), {rank}, "w.safetensors", "trained.onnx");
  EXPECT_THAT(text, HasSubstr("trained model for 10 of 1000 steps on 1 rank, then interrupted: "));
  EXPECT_THAT(text, HasSubstr("  checkpoint       w.safetensors\n"
                              "  model            trained.onnx\n"));
  rank.interrupted_by = SIGTERM;
  rank.is_saved = rank.is_exported = rank.steps = 0;
  text = summary_text(manifest_of(64), {rank}, "w.safetensors", "trained.onnx");
  EXPECT_THAT(text, HasSubstr("trained model for 0 of 1000 steps on 1 rank, then terminated\n"));
  EXPECT_THAT(text, HasSubstr("  checkpoint       none: no step was finished\n"
                              "  model            none: no step was finished\n"));
}

TEST(Report, says_which_cores_ranks_have_if_that_is_known) {
  EXPECT_THAT(summary_text(manifest_of(64), {summary_of(1, 1)}, "", "", "processors 0-3 | 4-7"),
              HasSubstr("  cores            processors 0-3 | 4-7\n  memory "));
  EXPECT_THAT(summary_text(manifest_of(64), {summary_of(1, 1)}), Not(HasSubstr("cores")));
}

TEST(Report, shows_predictions_beside_measurements) {
  Manifest manifest = manifest_of(64);
  PlanEntry entry;
  entry.function = "step";
  entry.predicted_seconds = 0.002;
  manifest.plan = {entry, entry};
  EXPECT_THAT(summary_text(manifest, {summary_of(1, 1)}),
              HasSubstr("; a step 50.00 ms, predicted 4.00 ms\n"));
  manifest.plan[1].predicted_seconds.reset();
  EXPECT_THAT(summary_text(manifest, {summary_of(1, 1)}), Not(HasSubstr("predicted 4")));
}

TEST(Report, tells_loading_beside_the_steps_from_waiting_for_data) {
  RankSummary first = summary_of(1, 100), second = summary_of(1, 100);
  first.data_seconds_beside = 0.5, second.data_seconds_beside = 0.25;
  EXPECT_THAT(summary_text(manifest_of(64), {first, second}),
              HasSubstr("    data           0.100 s; 0.375 s of loading beside the steps\n"));
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
  manifest.evaluation->means.emplace_back();
  std::string text = summary_text(manifest, {rank});
  EXPECT_THAT(text, HasSubstr("on 1 rank: "));
  EXPECT_THAT(text,
              HasSubstr("64 samples a step (global batch 62, policy pad), 2 of them repeated; "
                        "5 samples of each epoch dropped\n"));
  EXPECT_THAT(text, HasSubstr("evaluation: accuracy 0.5000 (9 samples)\n"));
}

TEST(Report, of_an_evaluation_alone_has_no_steps) {
  Manifest manifest;
  manifest.program = "net";
  RankSummary rank = {};
  rank.evaluated_samples = 3;
  rank.evaluation_metrics = 1;
  rank.evaluation[0] = 0.5;
  manifest.evaluation.emplace();
  manifest.evaluation->metrics.emplace_back().name = "loss";
  manifest.evaluation->means.emplace_back();
  std::string text = summary_text(manifest, {rank, rank}, "");
  EXPECT_THAT(text, HasSubstr("evaluated net on 2 ranks\n"));
  EXPECT_THAT(text, HasSubstr("evaluation: loss 0.5000 (3 samples)\n"));
  EXPECT_THAT(text, Not(HasSubstr("trained")));
  EXPECT_THAT(text, Not(HasSubstr("time")));
  rank.steps_wanted = 4;
  EXPECT_THAT(summary_text(manifest, {rank}, ""), HasSubstr("trained net for"));
}

TEST(Report, weights_of_metrics_are_not_reported) {
  Manifest manifest;
  RankSummary rank = {};
  rank.evaluated_samples = 3;
  rank.evaluation_metrics = 3;
  rank.evaluation[0] = 0.5, rank.evaluation[1] = 7, rank.evaluation[2] = 2;
  manifest.evaluation.emplace();
  manifest.evaluation->metrics.resize(3);
  manifest.evaluation->means.resize(3);
  for (int i = 0; i < 3; ++i)
    manifest.evaluation->metrics[i].name = std::vector<std::string>{"loss", "weight", "ppl"}[i];
  manifest.evaluation->means[1].is_weight = true;
  EXPECT_THAT(summary_text(manifest, {rank}, ""),
              HasSubstr("evaluation: loss 0.5000 ppl 2.0000 (3 samples)\n"));
}

TEST(Report, says_how_much_of_the_variables_a_rank_holds) {
  Manifest manifest = manifest_of(64);
  Variable weight, moment, count;
  weight.name = "w", weight.type = TUTTI_F32, weight.shape = {64, 10}, weight.kind = "trainable";
  moment.name = "w.m", moment.type = TUTTI_F32, moment.shape = {160}, moment.kind = "state";
  moment.placement = Placement::shard, moment.whole = {64, 10};
  count.name = "t", count.type = TUTTI_I64, count.kind = "other";
  manifest.variables = {weight, moment, count};
  EXPECT_THAT(
      summary_text(manifest, {summary_of(1, 1)}),
      HasSubstr("    variables      2.5 KiB trainable, 640 B state of 2.5 KiB, 8 B other\n"));
}

TEST(ReportText, has_a_nan_without_a_sign) {
  EXPECT_EQ(number_text(std::copysign(std::nan(""), -1.0), 6), "nan");
  EXPECT_EQ(number_text(-0.25, 2), "-0.25");
}
