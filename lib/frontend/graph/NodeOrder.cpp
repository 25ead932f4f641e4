// Topological order of nodes, without recursion: hostile files can make long chains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/NodeOrder.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <queue>

using namespace mlir;
using namespace tutti::frontend;

static bool namesTensors(const proto::AttributeProto &attribute) {
  return attribute.name() == "xs" || attribute.name() == "zs" || attribute.name() == "y";
}

/// Adds what `graph` uses and does not define. Protocol buffers nest a hundred levels at most.
static void addOuterNames(const proto::GraphProto &graph, SmallVector<StringRef> &names) {
  llvm::StringSet<> inside;
  for (const proto::TensorProto &tensor : graph.initializer())
    inside.insert(tensor.name());
  for (const proto::ValueInfoProto &input : graph.input())
    inside.insert(input.name());
  for (const proto::NodeProto &node : graph.node())
    inside.insert(node.output().begin(), node.output().end());
  auto add = [&](StringRef name) {
    if (!name.empty() && !inside.contains(name))
      names.push_back(name);
  };
  for (const proto::NodeProto &node : graph.node())
    for (StringRef name : dependenciesOf(node))
      add(name);
  for (const proto::ValueInfoProto &output : graph.output())
    add(output.name());
}

SmallVector<StringRef> tutti::frontend::dependenciesOf(const proto::NodeProto &node) {
  SmallVector<StringRef> names;
  for (const std::string &input : node.input())
    if (!input.empty())
      names.push_back(input);
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      addOuterNames(attribute.g(), names);
    for (const proto::GraphProto &graph : attribute.graphs())
      addOuterNames(graph, names);
  }
  if (node.op_type() != "Gradient" || canonicalDomain(node.domain()) != trainingDomain)
    return names;
  for (const auto &attribute : node.attribute()) {
    if (!namesTensors(attribute))
      continue;
    if (attribute.has_s())
      names.push_back(attribute.s());
    names.append(attribute.strings().begin(), attribute.strings().end());
  }
  return names;
}

namespace {

using Locate = llvm::function_ref<Location(const proto::NodeProto &)>;

class NodeSorter {
public:
  NodeSorter(const NodeList &nodes, const llvm::StringSet<> &given, Locate locate)
      : nodes(nodes), given(given), locate(locate), missing(nodes.size(), 0), users(nodes.size()) {}

  FailureOr<NodeList> sort() {
    if (failed(findProducers()) || failed(countDependencies()))
      return failure();
    NodeList sorted = takeReadyNodes();
    if (sorted.size() != nodes.size())
      return reportCycle();
    return sorted;
  }

private:
  InFlightDiagnostic errorAt(const proto::NodeProto &node) {
    return emitError(locate(node)) << describe(node) << ": ";
  }

  LogicalResult findProducers() {
    for (auto [index, node] : llvm::enumerate(nodes))
      for (const std::string &output : node->output()) {
        if (output.empty())
          continue;
        if (given.contains(output))
          return errorAt(*node) << "its output '" << output
                                << "' is already the name of an input or initializer";
        auto [entry, isNew] = producers.try_emplace(output, index);
        if (!isNew)
          return errorAt(*node) << "its output '" << output << "' is already made by "
                                << describe(*nodes[entry->second]);
      }
    return success();
  }

  LogicalResult countDependencies() {
    for (auto [index, node] : llvm::enumerate(nodes))
      for (StringRef name : dependenciesOf(*node)) {
        auto producer = producers.find(name);
        if (producer == producers.end()) {
          if (given.contains(name))
            continue;
          return errorAt(*node) << "it uses the tensor '" << name
                                << "', which no input, initializer or node defines";
        }
        users[producer->second].push_back(index);
        ++missing[index];
      }
    return success();
  }

  NodeList takeReadyNodes() {
    std::priority_queue<size_t, std::vector<size_t>, std::greater<size_t>> ready;
    for (size_t index = 0; index < nodes.size(); ++index)
      if (missing[index] == 0)
        ready.push(index);
    NodeList sorted;
    while (!ready.empty()) {
      size_t index = ready.top();
      ready.pop();
      sorted.push_back(nodes[index]);
      for (size_t user : users[index])
        if (--missing[user] == 0)
          ready.push(user);
    }
    return sorted;
  }

  /// Every node that is left waits for another one: walking backwards ends in a cycle.
  LogicalResult reportCycle() {
    size_t index =
        llvm::find_if(missing, [](size_t count) { return count != 0; }) - missing.begin();
    llvm::DenseSet<size_t> seen;
    StringRef tensor;
    while (seen.insert(index).second)
      for (StringRef name : dependenciesOf(*nodes[index])) {
        auto producer = producers.find(name);
        if (producer == producers.end() || missing[producer->second] == 0)
          continue;
        tensor = name;
        index = producer->second;
        break;
      }
    return errorAt(*nodes[index])
           << "it is part of a cycle: it needs its own output, through the tensor '" << tensor
           << "'";
  }

  const NodeList &nodes;
  const llvm::StringSet<> &given;
  Locate locate;
  llvm::StringMap<size_t> producers;
  std::vector<size_t> missing;            ///< by node: how many of its tensors are not made yet
  std::vector<SmallVector<size_t>> users; ///< by node: the nodes that wait for it
};

} // namespace

FailureOr<NodeList> tutti::frontend::sortNodes(const NodeList &nodes,
                                               const llvm::StringSet<> &given,
                                               const ModelFile &file) {
  return sortNodes(nodes, given, [&](const proto::NodeProto &node) { return file.location(node); });
}

FailureOr<NodeList>
tutti::frontend::sortNodes(const NodeList &nodes, const llvm::StringSet<> &given,
                           llvm::function_ref<Location(const proto::NodeProto &)> locate) {
  return NodeSorter(nodes, given, locate).sort();
}

NodeList tutti::frontend::keepNeeded(const NodeList &sorted, ArrayRef<StringRef> wanted) {
  llvm::StringSet<> needed;
  for (StringRef name : wanted)
    needed.insert(name);
  NodeList kept;
  for (const proto::NodeProto *node : llvm::reverse(sorted)) {
    if (llvm::none_of(node->output(),
                      [&](const std::string &output) { return needed.contains(output); }))
      continue;
    kept.push_back(node);
    for (StringRef name : dependenciesOf(*node))
      needed.insert(name);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}
