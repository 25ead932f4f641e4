// A trace from the parts of ranks, of which some may be missing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/RunTrace.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using nlohmann::json;
using testing::HasSubstr;

namespace {

std::string event_of(int64_t rank) {
  return json({{"name", "step"}, {"ph", "X"}, {"pid", rank}}).dump();
}

class TracePartsTest : public testing::Test {
protected:
  /// The trace of `ranks`, after those in `writers` have left their parts.
  json merged(int64_t ranks, const std::vector<int64_t> &writers) {
    RunConfig config;
    config.trace = path;
    config.ranks = ranks;
    Result<TraceParts> parts = TraceParts::create(config);
    EXPECT_TRUE(parts) << parts.error().message;
    EXPECT_EQ(folder.files(), 1u) << "parts have no names, and the trace has none of its own yet";
    for (int64_t rank : writers)
      EXPECT_FALSE(trace::write_part(parts->descriptor(rank), event_of(rank)));
    Error error = parts->merge("digits");
    EXPECT_FALSE(error) << error.message;
    std::string content = TemporaryFolder::read(path);
    return content.empty() ? json() : json::parse(content);
  }

  static std::vector<int64_t> ranks_in(const json &trace) {
    std::vector<int64_t> ranks;
    for (const json &event : trace["traceEvents"])
      ranks.push_back(event["pid"]);
    return ranks;
  }

  TemporaryFolder folder;
  std::string path = folder.path("trace.json");
};

} // namespace

TEST_F(TracePartsTest, of_all_ranks_come_in_their_order) {
  json trace = merged(3, {2, 0, 1});
  EXPECT_EQ(ranks_in(trace), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_THAT(trace.dump(), HasSubstr(R"("program":"digits")"));
  EXPECT_THAT(trace.dump(), HasSubstr(R"("ranks":3)"));
  EXPECT_THAT(trace.dump(), testing::Not(HasSubstr("missing_ranks")));
}

TEST_F(TracePartsTest, that_are_missing_are_named) {
  json trace = merged(4, {3, 1});
  EXPECT_EQ(ranks_in(trace), (std::vector<int64_t>{1, 3}));
  EXPECT_THAT(trace.dump(), HasSubstr(R"("missing_ranks":[0,2])"));
}

TEST_F(TracePartsTest, of_nobody_are_no_trace) {
  EXPECT_TRUE(merged(2, {}).is_null());
  std::string before = R"({"traceEvents":[]})";
  folder.write("trace.json", before);
  RunConfig config;
  config.trace = path;
  ASSERT_FALSE(TraceParts::create(config)->merge("digits"));
  EXPECT_EQ(TemporaryFolder::read(path), before) << "an older trace stays";
  EXPECT_EQ(folder.files(), 1u);
}

TEST_F(TracePartsTest, that_end_early_count_as_missing) {
  RunConfig config;
  config.trace = path;
  config.ranks = 3;
  Result<TraceParts> parts = TraceParts::create(config);
  ASSERT_TRUE(parts);
  ASSERT_FALSE(trace::write_part(parts->descriptor(0), event_of(0)));
  ASSERT_FALSE(trace::write_part(parts->descriptor(1), event_of(1) + "," + event_of(1)));
  off_t whole = lseek(parts->descriptor(1), 0, SEEK_END);
  ASSERT_EQ(ftruncate(parts->descriptor(1), whole - 5), 0);
  // A rank that is killed has not said yet how much it left.
  std::string events = event_of(2);
  ASSERT_EQ(pwrite(parts->descriptor(2), events.data(), events.size(), sizeof(int64_t)),
            ssize_t(events.size()));
  ASSERT_FALSE(parts->merge("digits"));
  json trace = json::parse(TemporaryFolder::read(path));
  EXPECT_EQ(ranks_in(trace), std::vector<int64_t>{0});
  EXPECT_THAT(trace.dump(), HasSubstr(R"("missing_ranks":[1,2])"));
}

TEST(TraceParts, are_refused_before_any_rank_starts) {
  RunConfig config;
  config.trace = "/no/such/folder/trace.json";
  EXPECT_THAT(TraceParts::create(config).error().message, HasSubstr("there is no folder"));
}

TEST(AboutTrace, is_json_whatever_the_program_is_called) {
  json about = json::parse(about_trace("a \"b\"\n\xff", 2, {1}));
  EXPECT_EQ(about["ranks"], 2);
  EXPECT_EQ(about["missing_ranks"], json({1}));
}
