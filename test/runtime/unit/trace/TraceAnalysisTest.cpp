// Who was late and what a step waited for, of traces that are small enough to know it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/trace/analysis/CriticalPath.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tutti::runtime::trace::analysis;
using nlohmann::json;
using testing::ElementsAre;

namespace {

std::string span(int rank, const char *kind, const char *name, double begin, double length,
                 int step = 1) {
  json event = {{"pid", rank},
                {"tid", 0},
                {"ts", begin},
                {"dur", length},
                {"cat", kind},
                {"name", name},
                {"args", {{"plan_entry", 0}, {"group", "world"}}}};
  if (step > 0)
    event["args"]["step"] = step;
  return R"({"ph":"X",)" + event.dump().substr(1);
}

/// Rank 1 computes longer: rank 0 waits from 20 to 60 for it.
const std::vector<std::string> late = {span(0, "start", "compile", -90, 50, 0),
                                       span(0, "phase", "initialize", -30, 10, 0),
                                       span(0, "step", "step 1", 0, 80),
                                       span(0, "kernel", "matmul of a", 5, 10),
                                       span(0, "collective", "all_reduce of w", 20, 50),
                                       span(0, "phase", "save", 100, 10, 0),
                                       span(1, "step", "step 1", 0, 80),
                                       span(1, "kernel", "matmul of a", 5, 55),
                                       span(1, "collective", "all_reduce of w", 60, 10)};

Trace read(const std::vector<std::string> &lines, size_t piece, size_t most = 1000) {
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "" : ",\n") + line;
  Reader reader(most);
  for (size_t at = 0; at < text.size(); at += piece)
    reader.add(text.data() + at, std::min(piece, text.size() - at));
  return reader.finish();
}

} // namespace

TEST(TraceAnalysis, reads_pieces_of_any_length) {
  for (size_t piece : {size_t(1), size_t(7), size_t(100000)}) {
    Trace trace = read(late, piece);
    EXPECT_EQ(trace.spans.size(), 6u);
    EXPECT_EQ(trace.ranks, 2);
    ASSERT_EQ(trace.start.size(), 2u) << "what comes after the first step is no start";
    EXPECT_EQ(trace.start[0].name, "compile");
    EXPECT_EQ(trace.start[1].name, "initialize");
    EXPECT_FALSE(trace.is_cut);
  }
  EXPECT_TRUE(read(late, 100, 2).is_cut);
}

TEST(TraceAnalysis, says_what_a_late_rank_costs) {
  json lateness = describe_lateness(read(late, 50));
  EXPECT_EQ(lateness["collectives"], 1);
  EXPECT_EQ(lateness["ranks"][1]["last"], 1);
  EXPECT_EQ(lateness["ranks"][1]["cost"], 40.0);
  EXPECT_EQ(spell_lateness(lateness),
            "rank 1 was last in 1 of 1 collectives; the others waited 0.04 ms for it");
}

TEST(TraceAnalysis, counts_the_lowest_of_ranks_that_come_at_once) {
  json lateness = describe_lateness(read({span(1, "collective", "all_reduce of w", 60, 10),
                                          span(0, "collective", "all_reduce of w", 60, 10)},
                                         50));
  EXPECT_EQ(lateness["ranks"][0]["last"], 1);
  EXPECT_EQ(lateness["ranks"][1]["last"], 0);
  EXPECT_EQ(lateness["ranks"][0]["cost"], 0.0);
}

TEST(TraceAnalysis, has_the_path_as_events) {
  json events = json::parse("[" + events_of_path(read(late, 50)) + "]");
  std::vector<std::string> path, lateness;
  for (const json &event : events)
    if (event.value("cat", "") == "path")
      path.push_back(event["name"]);
    else if (event.value("cat", "") == "late")
      lateness.push_back(event["name"]);
  // Rank 0 alone computes after the collective as rank 1 does; either may be the last.
  EXPECT_THAT(path, ElementsAre("rank 1: matmul of a", "rank 1: all_reduce of w",
                                testing::EndsWith(": fused loops")));
  EXPECT_THAT(lateness, ElementsAre("rank 1 was last to all_reduce of w"));
}

TEST(TraceAnalysis, has_no_path_of_a_step_that_a_rank_has_not) {
  EXPECT_EQ(events_of_path(
                read({span(0, "step", "step 1", 0, 80), span(1, "step", "step 2", 0, 80, 2)}, 50)),
            "");
  EXPECT_EQ(events_of_path(read({}, 1)), "");
}
