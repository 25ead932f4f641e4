// Sorting the nodes of graphs that no exporter wrote.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/NodeOrder.h"

#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct NodeOrderTest : ImportFixture {
  /// Adds a node "output = op(inputs)".
  void add(const std::string &output, std::vector<std::string> inputs,
           const std::string &op = "Sum") {
    proto::NodeProto &node = *graph.add_node();
    node.set_op_type(op);
    node.add_output(output);
    for (const std::string &input : inputs)
      node.add_input(input);
  }

  NodeList all() const {
    NodeList nodes;
    for (const proto::NodeProto &node : graph.node())
      nodes.push_back(&node);
    return nodes;
  }

  /// The first outputs of the sorted nodes; the error if they cannot be sorted.
  std::vector<std::string> sorted(std::vector<std::string> given = {"x"}) {
    proto::ModelProto model = parseGraph("g (float[N] x) => (float[N] y) { y = Relu(x) }");
    std::unique_ptr<ModelFile> file = open(model);
    llvm::StringSet<> names;
    for (const std::string &name : given)
      names.insert(name);
    llvm::FailureOr<NodeList> nodes = sortNodes(all(), names, *file);
    if (failed(nodes))
      return {firstError()};
    return outputsOf(*nodes);
  }

  static std::vector<std::string> outputsOf(const NodeList &nodes) {
    std::vector<std::string> outputs;
    for (const proto::NodeProto *node : nodes)
      outputs.push_back(node->output(0));
    return outputs;
  }

  proto::GraphProto graph;
};

TEST_F(NodeOrderTest, KeepsAnOrderThatIsOne) {
  add("a", {"x"});
  add("b", {"x"});
  add("c", {"a", "b"});
  EXPECT_THAT(sorted(), ElementsAre("a", "b", "c"));
}

TEST_F(NodeOrderTest, TurnsAReversedGraphAround) {
  add("c", {"b"});
  add("b", {"a"});
  add("a", {"x"});
  EXPECT_THAT(sorted(), ElementsAre("a", "b", "c"));
}

TEST_F(NodeOrderTest, AnEmptyInputIsNoDependency) {
  add("a", {"", "x", ""});
  EXPECT_THAT(sorted(), ElementsAre("a"));
}

TEST_F(NodeOrderTest, ATensorUsedTwiceIsWaitedForTwice) {
  add("b", {"a", "a"});
  add("a", {"x"});
  EXPECT_THAT(sorted(), ElementsAre("a", "b"));
}

TEST_F(NodeOrderTest, ANodeThatNeedsItself) {
  add("a", {"a"});
  EXPECT_THAT(sorted().front(),
              HasSubstr("part of a cycle: it needs its own output, through the tensor 'a'"));
}

TEST_F(NodeOrderTest, ACycleIsFoundFromANodeAfterIt) {
  add("d", {"c"});
  add("c", {"b"});
  add("b", {"a"});
  add("a", {"b", "x"});
  EXPECT_THAT(sorted().front(), HasSubstr("cycle"));
  EXPECT_THAT(places.front(), testing::AnyOf("a", "b")) << "the node is of the cycle, not after it";
}

TEST_F(NodeOrderTest, AMissingTensorNamesItsUser) {
  add("a", {"ghost"});
  EXPECT_THAT(sorted().front(), HasSubstr("it uses the tensor 'ghost', which no input"));
  EXPECT_EQ(places.front(), "a");
}

TEST_F(NodeOrderTest, TwoMakersOfATensorAreBothNamed) {
  add("a", {"x"});
  add("a", {"x"}, "Relu");
  EXPECT_THAT(sorted().front(), HasSubstr("is already made by unnamed node (Sum) that makes 'a'"));
}

TEST_F(NodeOrderTest, AnOutputMayNotHideAnInput) {
  add("x", {"w"});
  EXPECT_THAT(sorted({"x", "w"}).front(), HasSubstr("already the name of an input or initializer"));
}

TEST_F(NodeOrderTest, AChainOfTensOfThousandsNeedsNoStack) {
  constexpr int length = 50000;
  for (int index = length; index > 0; --index)
    add("t" + std::to_string(index), {index == 1 ? "x" : "t" + std::to_string(index - 1)});
  std::vector<std::string> order = sorted();
  ASSERT_EQ(order.size(), size_t(length));
  EXPECT_EQ(order.front(), "t1");
  EXPECT_EQ(order.back(), "t" + std::to_string(length));
}

TEST_F(NodeOrderTest, KeepsWhatIsWantedAndWhatThatNeeds) {
  add("a", {"x"});
  add("unused", {"a"});
  add("b", {"a"});
  EXPECT_THAT(outputsOf(keepNeeded(all(), {"b"})), ElementsAre("a", "b"));
  EXPECT_THAT(outputsOf(keepNeeded(all(), {"x"})), ElementsAre()) << "an input needs no node";
}

TEST_F(NodeOrderTest, GradientDependsOnTheTensorsThatItNames) {
  add("g", {"x"}, "Gradient");
  proto::NodeProto &node = *graph.mutable_node(0);
  node.set_domain("ai.onnx.preview.training");
  auto *xs = node.add_attribute();
  xs->set_name("xs");
  xs->add_strings("w");
  auto *y = node.add_attribute();
  y->set_name("y");
  y->set_s("loss");
  auto *other = node.add_attribute();
  other->set_name("doc");
  other->set_s("nothing");
  EXPECT_THAT(dependenciesOf(node), ElementsAre("x", "w", "loss"));
  node.set_domain("com.acme"); // somebody else's operator of that name
  EXPECT_THAT(dependenciesOf(node), ElementsAre("x"));
}

} // namespace
