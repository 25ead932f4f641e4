// A trace that rank 0 gathers from ranks without a launcher of ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/RunTrace.h"
#include "test/runtime/RankForks.h"
#include "test/runtime/TemporaryFolder.h"
#include "tutti/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using nlohmann::json;
using testing::HasSubstr;

namespace {

class RunTraceTest : public testing::Test {
protected:
  /// Runs `steps` steps of one phase each on `ranks` ranks that are traced as `run` says. What they
  /// complain of.
  std::string run(int32_t ranks, int64_t steps) {
    config.ranks = ranks;
    RankForks forks;
    forks.ranks = ranks;
    return forks.run([&](tutti_context *context, int32_t rank) -> std::string {
      WorkerConfig own;
      own.run = config;
      own.rank = rank;
      RunTrace trace;
      if (Error error = trace.open(own))
        return error.message;
      Program program;
      program.manifest.program = "digits";
      trace.start(context, program);
      for (int64_t step = 0; step < steps; ++step) {
        trace::StepScope whole(trace.recorder(), step);
        trace::Scope phase(trace.recorder(), trace::Kind::phase, "load data");
      }
      Error error = trace.write(context);
      return error ? error.message : tutti_context_message(context);
    });
  }

  json written() const { return json::parse(TemporaryFolder::read(config.trace)); }

  /// How many events of `name` each rank has.
  static std::map<int64_t, int> counts(const json &trace, const std::string &name) {
    std::map<int64_t, int> found;
    for (const json &event : trace["traceEvents"])
      if (event["ph"] == "X" && event["name"] == name)
        ++found[event["pid"].get<int64_t>()];
    return found;
  }

  TemporaryFolder folder;
  RunConfig config;
};

using Counts = std::map<int64_t, int>;

} // namespace

TEST_F(RunTraceTest, has_the_events_of_every_rank) {
  config.trace = folder.path("t.json");
  EXPECT_EQ(run(3, 4), "");
  json trace = written();
  EXPECT_EQ(counts(trace, "load data"), (Counts{{0, 4}, {1, 4}, {2, 4}}));
  EXPECT_EQ(trace["otherData"]["program"], "digits");
  EXPECT_EQ(trace["otherData"]["ranks"], 3);
  EXPECT_FALSE(trace["otherData"].contains("missing_ranks"));
}

TEST_F(RunTraceTest, has_the_steps_that_were_asked_for) {
  config.trace = folder.path("t.json");
  config.trace_first = 3;
  config.trace_count = 2;
  EXPECT_EQ(run(2, 9), "");
  EXPECT_EQ(counts(written(), "load data"), (Counts{{0, 2}, {1, 2}}));
}

TEST_F(RunTraceTest, carries_texts_of_several_pieces) {
  config.trace = folder.path("t.json");
  EXPECT_EQ(run(2, 12000), ""); // some megabytes
  EXPECT_GT(TemporaryFolder::read(config.trace).size(), size_t(4) << 20);
  EXPECT_EQ(counts(written(), "load data"), (Counts{{0, 12000}, {1, 12000}}));
}

TEST_F(RunTraceTest, is_nothing_unless_asked_for) {
  EXPECT_EQ(run(2, 1), "");
  EXPECT_EQ(folder.files(), 0u);
}

TEST_F(RunTraceTest, is_refused_by_rank_0_before_the_first_step) {
  config.trace = "/no/such/folder/t.json";
  std::string complaints = run(1, 1);
  EXPECT_THAT(complaints, HasSubstr("rank 0: the trace: cannot write '/no/such/folder/t.json'"));
}
