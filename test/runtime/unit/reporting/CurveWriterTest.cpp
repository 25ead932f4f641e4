// A curve stays small, keeps what is extreme, and goes on after a checkpoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/CurveWriter.h"
#include "test/runtime/TemporaryFolder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tutti::runtime::worker;
using nlohmann::json;

static json curve_at(const std::string &path) { return json::parse(TemporaryFolder::read(path)); }

TEST(CurveWriter, keeps_each_step_of_a_short_run) {
  TemporaryFolder folder;
  CurveWriter writer(folder.path("curve.json"), {"loss"});
  writer.record({1, 1, {0.5}, 100});
  writer.record({2, 1, {0.25}, 50, {{"accuracy", 0.75}}});
  writer.flush();
  json curve = curve_at(folder.path("curve.json"));
  EXPECT_EQ(curve["names"], json({"loss"}));
  EXPECT_EQ(curve["points"],
            json::parse("[[1,1,[0.5,100.0],[0.5,100.0],[0.5,100.0]],[2,2,[0.25,50.0],[0.25,50.0],"
                        "[0.25,50.0]]]"));
  EXPECT_EQ(curve["evaluations"], json::parse(R"([{"step":2,"values":{"accuracy":0.75}}])"));
}

TEST(CurveWriter, joins_steps_of_a_long_run_and_keeps_the_extremes) {
  TemporaryFolder folder;
  CurveWriter writer(folder.path("curve.json"), {"loss"});
  constexpr int64_t steps = 100'000;
  for (int64_t step = 1; step <= steps; ++step)
    writer.record({step, 1, {step == 77'777 ? 1000.0 : double(step % 2)}, 100});
  writer.flush();
  json curve = curve_at(folder.path("curve.json"));
  ASSERT_LE(curve["points"].size(), CurveWriter::most_points);
  ASSERT_GT(curve["points"].size(), CurveWriter::most_points / 2 - 1);
  int64_t next = 1;
  double largest = 0, sum = 0;
  for (const json &point : curve["points"]) {
    EXPECT_EQ(point[0], next);
    next = point[1].get<int64_t>() + 1;
    sum += point[2][0].get<double>() * double(next - point[0].get<int64_t>());
    largest = std::max(largest, point[4][0].get<double>());
  }
  EXPECT_EQ(next, steps + 1);
  EXPECT_EQ(largest, 1000);
  EXPECT_NEAR(sum, 50'000 + 999, 1e-6);
}

TEST(CurveWriter, goes_on_after_a_checkpoint) {
  TemporaryFolder folder;
  CurveWriter first(folder.path("curve.json"), {"loss"});
  for (int64_t step = 1; step <= 10; ++step)
    first.record({step, 1, {double(step)}, 100, {{"loss", double(step)}}});
  first.flush();
  CurveWriter second(folder.path("curve.json"), {"loss"});
  second.go_on_after(6);
  second.record({7, 1, {-7}, 100});
  second.flush();
  json curve = curve_at(folder.path("curve.json"));
  ASSERT_EQ(curve["points"].size(), 7u);
  EXPECT_EQ(curve["points"][5][2][0], 6.0);
  EXPECT_EQ(curve["points"][6][2][0], -7.0);
  EXPECT_EQ(curve["evaluations"].size(), 6u);

  CurveWriter other(folder.path("curve.json"), {"another"}); // has nothing to go on with
  other.go_on_after(6);
  other.record({7, 1, {1}, 100});
  other.flush();
  EXPECT_EQ(curve_at(folder.path("curve.json"))["points"].size(), 1u);
}

TEST(CurveWriter, says_null_of_what_is_no_number_and_survives_damage) {
  TemporaryFolder folder;
  folder.write("curve.json",
               R"({"names": ["loss"], "points": [[1, 2], 7, null], "evaluations": 3})");
  CurveWriter writer(folder.path("curve.json"), {"loss"});
  writer.go_on_after(5);
  writer.record({6, 1, {std::numeric_limits<double>::infinity()}, 100});
  writer.flush();
  EXPECT_TRUE(curve_at(folder.path("curve.json"))["points"][0][2][0].is_null());
}
