// The numbers of a cluster file: fits of known lines, what is written, and a calibration of ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/calibration/Calibration.h"
#include "runtime/host/calibration/LinearFit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>

using namespace tutti::runtime::worker;
using nlohmann::json;
using testing::HasSubstr;

TEST(LinearFit, finds_the_line_that_samples_lie_on) {
  LinearFit fit = fit_line({{10, 2.5}, {100, 7}, {1000, 52}});
  EXPECT_NEAR(fit.fixed, 2, 1e-9);
  EXPECT_NEAR(fit.per_unit, 0.05, 1e-12);
}

TEST(LinearFit, costs_are_never_negative) {
  LinearFit falling = fit_line({{10, 2}, {1000, 1}});
  EXPECT_EQ(falling.per_unit, 0);
  EXPECT_GT(falling.fixed, 0);
  LinearFit through = fit_line({{10, 0.1}, {1000, 20}});
  EXPECT_EQ(through.fixed, 0);
  EXPECT_GT(through.per_unit, 0);
}

TEST(LinearFit, small_sizes_count_as_much_as_large_ones) {
  // A large sample that is 10 % off moves a small one by little.
  LinearFit fit = fit_line({{1, 1.1}, {2, 1.2}, {1000, 111}});
  EXPECT_NEAR(fit.fixed + fit.per_unit, 1.1, 0.05);
}

TEST(LinearFit, the_rest_of_a_time_goes_by_size) {
  EXPECT_NEAR(fit_rest({{10, 3, 2}, {100, 15, 5}, {1000, 107, 7}}), 0.1, 1e-9);
  // All is explained, and more.
  EXPECT_EQ(fit_rest({{10, 1, 2}, {100, 3, 5}}), 0);
}

TEST(Calibration, is_written_as_the_cost_model_reads_it) {
  Calibration calibration;
  calibration.nodes = 2;
  calibration.ranks_per_node = 4;
  MeasuredLevel node, network;
  node.shares_memory = true;
  node.backend = "shm";
  node.latency = 1e-6;
  node.far_bandwidth = 2e10;
  network.backend = "gloo";
  network.bandwidth = 1e8;
  network.message_overhead = 1e-5;
  calibration.node = node;
  calibration.network = network;
  calibration.compute.alone = {1e11, 8e9, 1e10, 1e9, 1e8};
  calibration.compute.together = {5e10, 2e9, 1e10, 2e9, 2.5e7};
  json root = json::parse(to_json(calibration));
  EXPECT_EQ(root["nodes"], 2);
  EXPECT_EQ(root["levels"]["node"]["transport"], "memory");
  EXPECT_EQ(root["levels"]["node"]["far_bandwidth"], 2e10);
  EXPECT_FALSE(root["levels"]["node"].contains("message_overhead"));
  EXPECT_FALSE(root["levels"]["network"].contains("far_bandwidth"));
  EXPECT_EQ(root["levels"]["network"]["transport"], "messages");
  EXPECT_EQ(root["levels"]["network"]["message_overhead"], 1e-5);
  EXPECT_EQ(root["compute"]["matmul"], 1e11);
  EXPECT_EQ(root["compute"]["matmul_memory"], 8e9);
  EXPECT_EQ(root["compute"]["sharing"]["matmul"], 2);
  EXPECT_EQ(root["compute"]["sharing"]["loop"], 1); // nothing gets faster in a crowd
  EXPECT_EQ(root["compute"]["sharing"]["memory"], 4);
  EXPECT_THAT(calibration_text(calibration), HasSubstr("2 node(s) of 4 rank(s)"));
  EXPECT_THAT(calibration_text(calibration), HasSubstr("gloo"));
}

TEST(Calibration, processors_are_those_that_any_rank_may_run_on) {
  auto place = [](const char *machine, std::initializer_list<int> processors) {
    RankPlace rank = {};
    std::strcpy(rank.machine, machine);
    for (int processor : processors)
      CPU_SET(processor, &rank.processors);
    return rank;
  };
  // A launcher binds each rank to a processor of its own.
  EXPECT_EQ(count_processors({place("a", {0}), place("a", {1}), place("a", {70})}), 3);
  // None is bound, on two machines.
  EXPECT_EQ(count_processors({place("a", {0, 1}), place("a", {0, 1}), place("b", {0, 1})}), 4);
}

TEST(Calibration, a_single_rank_has_no_network) {
  Calibration calibration;
  calibration.compute.alone = calibration.compute.together = {1e11, 1e10, 1e10, 1e9, 1e10};
  json root = json::parse(to_json(calibration));
  EXPECT_FALSE(root["levels"].contains("network"));
  EXPECT_EQ(root["levels"]["node"]["bandwidth"], 1e10); // of nobody: must only be a number
}

TEST(Calibration, says_where_it_cannot_write) {
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  options.backend = tutti_backend_self();
  options.size = 1;
  tutti_context *context = nullptr;
  ASSERT_EQ(tutti_context_create(&options, &context), TUTTI_OK);
  tutti::runtime::Error error = calibrate(context, "/no/such/folder/cluster.json");
  EXPECT_THAT(error.message, HasSubstr("cannot write '/no/such/folder/cluster.json'"));
  tutti_context_destroy(context);
}
