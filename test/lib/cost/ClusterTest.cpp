// cluster.json: what is read, and that each wrong key is named with what was expected.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/Cluster.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tutti::cost;
using testing::HasSubstr;
namespace json = llvm::json;

namespace {

json::Value good() {
  return llvm::cantFail(json::parse(R"({
    "nodes": 2, "ranks_per_node": 4, "cores_per_node": 2,
    "levels": {
      "node": {"transport": "memory", "latency": 1e-6, "bandwidth": 1e10, "far_bandwidth": 5e9},
      "network": {"transport": "messages", "latency": 1e-3, "bandwidth": 1e8,
                  "message_overhead": 1e-5, "processor_per_byte": 1e-9}},
    "compute": {"matmul": 1e11, "convolution": 5e10, "loop": 1e9, "memory": 1e10, "kernel_overhead": 1e-6,
                "step_overhead": 1e-4, "matmul_memory": 4e9,
                "sharing": {"matmul": 1.5, "convolution": 1.25, "loop": 2, "memory": 3}}})"));
}

llvm::Expected<Cluster> parse(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return parseCluster(text, "c.json");
}

/// The complaint about a file whose `key` ("levels.node.latency") is `value`, or absent.
std::string complaint(llvm::StringRef key, std::optional<json::Value> value) {
  json::Value file = good();
  json::Object *object = file.getAsObject();
  llvm::SmallVector<llvm::StringRef> path;
  key.split(path, '.');
  for (llvm::StringRef step : llvm::ArrayRef(path).drop_back())
    object = object->getObject(step);
  object->erase(path.back());
  if (value)
    object->insert({path.back(), *value});
  auto cluster = parse(file);
  return cluster ? "no error" : llvm::toString(cluster.takeError());
}

TEST(Cluster, IsReadWhole) {
  auto cluster = parse(good());
  ASSERT_TRUE(bool(cluster)) << llvm::toString(cluster.takeError());
  EXPECT_EQ(cluster->ranks(), 8);
  EXPECT_EQ(cluster->nodesFor(9), 3);
  EXPECT_EQ(cluster->coresPerNode, 2);
  EXPECT_EQ(cluster->node.transport, Transport::Memory);
  EXPECT_EQ(cluster->node.bandwidth, 1e10);
  EXPECT_EQ(cluster->node.farBandwidth, 5e9);
  ASSERT_TRUE(cluster->network);
  EXPECT_EQ(cluster->network->overhead, 1e-5);
  EXPECT_EQ(cluster->network->processor, 1e-9);
  EXPECT_EQ(cluster->compute.convolution, 5e10);
  EXPECT_EQ(cluster->compute.step, 1e-4);
  EXPECT_EQ(cluster->compute.matmulMemory, 4e9);
  EXPECT_EQ(cluster->compute.sharing.matmul, 1.5);
  EXPECT_EQ(cluster->compute.sharing.convolution, 1.25);
  EXPECT_EQ(cluster->compute.sharing.loop, 2);
  EXPECT_EQ(cluster->compute.sharing.memory, 3);
}

TEST(Cluster, SomeKeysMayBeAbsent) {
  for (const char *key : {"cores_per_node", "levels.node.far_bandwidth",
                          "levels.network.message_overhead", "levels.network.processor_per_byte",
                          "compute.step_overhead", "compute.matmul_memory", "compute.sharing"})
    EXPECT_EQ(complaint(key, std::nullopt), "no error") << key;
}

TEST(Cluster, NamesWhatIsMissing) {
  for (const char *key :
       {"nodes", "ranks_per_node", "levels", "levels.node", "levels.node.transport",
        "levels.node.latency", "levels.node.bandwidth", "compute", "compute.matmul",
        "compute.convolution", "compute.loop", "compute.memory", "compute.kernel_overhead"})
    EXPECT_THAT(
        complaint(key, std::nullopt),
        testing::AllOf(HasSubstr("cluster file 'c.json': key '" + std::string(key) + "': expected"),
                       HasSubstr("found nothing")));
}

TEST(Cluster, NamesWhatIsWrong) {
  EXPECT_THAT(complaint("nodes", 0), HasSubstr("expected an integer of at least 1, found 0"));
  EXPECT_THAT(complaint("levels.node.latency", "fast"),
              HasSubstr("expected a number of seconds, 0 or more, found \"fast\""));
  EXPECT_THAT(complaint("levels.network.bandwidth", 0),
              HasSubstr("expected a number of bytes a second, above 0, found 0"));
  EXPECT_THAT(complaint("levels.node.transport", "pigeons"),
              HasSubstr("expected \"memory\" or \"messages\", found \"pigeons\""));
  EXPECT_THAT(complaint("compute", 3), HasSubstr("key 'compute': expected an object, found 3"));
  EXPECT_THAT(complaint("levels.network.far_bandwidth", 1e9),
              HasSubstr("key 'levels.network.far_bandwidth' is unknown"));
  EXPECT_THAT(complaint("levels.node.latnecy", 3),
              HasSubstr("key 'levels.node.latnecy' is unknown"));
}

TEST(Cluster, NodesNeedANetworkOfMessages) {
  EXPECT_THAT(complaint("levels.network", std::nullopt),
              HasSubstr("key 'levels.network': expected an object, since there are 2 nodes"));
  EXPECT_THAT(complaint("levels.network.transport", "memory"), HasSubstr("nodes share no memory"));
}

TEST(Cluster, NamesTheFileThatIsNoJson) {
  auto broken = parseCluster("{", "c.json");
  ASSERT_FALSE(bool(broken));
  EXPECT_THAT(llvm::toString(broken.takeError()), HasSubstr("cluster file 'c.json': "));
  auto list = parseCluster("[]", "c.json");
  ASSERT_FALSE(bool(list));
  EXPECT_THAT(llvm::toString(list.takeError()), HasSubstr("expected a JSON object"));
  auto absent = readCluster("/no/such/cluster.json");
  ASSERT_FALSE(bool(absent));
  EXPECT_THAT(llvm::toString(absent.takeError()), HasSubstr("/no/such/cluster.json"));
}

TEST(Cluster, RefusesWhatWouldExhaustTheParser) {
  auto refusal = [](const std::string &text) {
    return llvm::toString(parseCluster(text, "c.json").takeError());
  };
  EXPECT_THAT(refusal("{\"nodes\": " + std::string(1000000, '[') + "}"),
              HasSubstr("stand too deep in others"));
  EXPECT_THAT(refusal("{\"" + std::string(100, '[') + "\": 1}"), HasSubstr("expected"));
}

TEST(Cluster, RefusesFilesThatDoNotEnd) {
  auto refusal = [](const char *path) {
    return llvm::toString(tutti::cost::readCluster(path).takeError());
  };
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("it is not a regular file"));
  EXPECT_THAT(refusal("/nowhere/cluster.json"), HasSubstr("No such file"));
}

} // namespace
