// TF_CONFIG, as TensorFlow's documents have it, and as people get it wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/ClusterSpec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string message_of(const char *json) { return ClusterSpec::parse(json).error().message; }

constexpr char cluster[] = R"("cluster": {"chief": ["c:1"], "worker": ["w0:1", "w1:1"],
                                           "ps": ["p0:1", "p1:1"], "evaluator": ["e:1"]})";

Result<ClusterSpec> task(const std::string &task) {
  return ClusterSpec::parse(text("{", cluster, ", \"task\": ", task, "}"));
}

} // namespace

TEST(ClusterSpec, TheChiefIsTheFirstRank) {
  Result<ClusterSpec> spec = task(R"({"type": "worker", "index": 1})");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_THAT(spec->servers, ElementsAre("p0:1", "p1:1"));
  EXPECT_EQ(spec->ranks(), 3);
  EXPECT_EQ(spec->rank(), 2);
  EXPECT_EQ(task(R"({"type": "chief", "index": 0})")->rank(), 0);
  EXPECT_EQ(task(R"({"type": "chief"})")->rank(), 0);
  EXPECT_FALSE(task(R"({"type": "ps", "index": "1"})")->is_rank());
  EXPECT_EQ(task(R"({"type": "ps", "index": "1"})")->index, 1);
}

TEST(ClusterSpec, WithoutAChiefWorkersCountFromZero) {
  auto spec = ClusterSpec::parse(
      R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}, "environment": "cloud"})");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->rank(), 1);
  LaunchEnvironment launched = environment_of(*spec, "TF_CONFIG");
  EXPECT_EQ(launched.rank, 1);
  EXPECT_EQ(launched.ranks, 2);
}

/// TensorFlow 1 calls the chief so.
TEST(ClusterSpec, AMasterIsAChief) {
  auto spec = ClusterSpec::parse(
      R"({"cluster": {"master": ["a:1"], "worker": ["b:1"]}, "task": {"type": "master", "index": 0}})");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->role, ClusterSpec::Role::chief);
  EXPECT_EQ(spec->ranks(), 2);
}

TEST(ClusterSpec, AnEvaluatorNeedNotBeListed) {
  auto spec = ClusterSpec::parse(
      R"({"cluster": {"worker": ["b:1"]}, "task": {"type": "evaluator", "index": 0}})");
  EXPECT_TRUE(spec) << spec.error().message;
}

TEST(ClusterSpec, SaysWhatIsWrong) {
  EXPECT_THAT(message_of("no JSON"), HasSubstr("TF_CONFIG: it is not a JSON object"));
  EXPECT_THAT(message_of("{}"), HasSubstr("there is no object 'cluster'"));
  EXPECT_THAT(message_of(R"({"cluster": {"worker": "a:1"}})"),
              HasSubstr("'cluster.worker' is not a list"));
  EXPECT_THAT(message_of(R"({"cluster": {"worker": [3]}})"), HasSubstr("has 3, which is not"));
  EXPECT_THAT(message_of(R"({"cluster": {"wrkr": ["a:1"]}})"),
              HasSubstr("'wrkr' is none of chief, worker, ps, evaluator"));
  EXPECT_THAT(message_of(R"({"cluster": {"worker": ["a:1"]}})"),
              HasSubstr("there is no object 'task'"));
  EXPECT_THAT(task(R"({"index": 0})").error().message, HasSubstr("'task' has no text 'type'"));
  EXPECT_THAT(task(R"({"type": "boss"})").error().message, HasSubstr("'boss' is none of"));
  EXPECT_THAT(task(R"({"type": "worker", "index": 2})").error().message,
              HasSubstr("this is task 2 of role worker, of which the cluster has 2"));
  EXPECT_THAT(task(R"({"type": "worker", "index": -1})").error().message, HasSubstr("task -1"));
  EXPECT_THAT(task(R"({"type": "worker", "index": [1]})").error().message,
              HasSubstr("'task.index' is [1]"));
  EXPECT_THAT(message_of(R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps"}})"),
              HasSubstr("neither a chief nor workers"));
  EXPECT_THAT(message_of(R"({"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief"}})"),
              HasSubstr("has 2 addresses of role chief, of which there is one"));
  EXPECT_THAT(message_of(R"({"cluster": {"worker": ["a:1", "a:1"]}, "task": {"type": "worker"}})"),
              HasSubstr("'a:1' is there twice"));
  for (const char *address : {"a", "a:", ":1", "a:0", "a:70000", "a:x"})
    EXPECT_THAT(message_of(text(R"({"cluster": {"worker": [")", address,
                                R"("]}, "task": {"type": "worker"}})")
                               .c_str()),
                HasSubstr(text("'", address, "' is no address")));
}
