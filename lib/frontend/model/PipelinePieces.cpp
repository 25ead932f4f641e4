// Send(signal, rank, values...) gives a signal; Recv(signal, rank) gives a signal and the values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/PipelinePieces.h"

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace tutti::frontend;

/// The first values of Send among its inputs, and of Recv among its results.
static constexpr int kFirstSent = 2, kFirstReceived = 1;

static bool isOf(const proto::NodeProto &node, llvm::StringRef operation) {
  return node.op_type() == operation && canonicalDomain(node.domain()) == "com.microsoft";
}

namespace {

class PipelinePiece {
public:
  explicit PipelinePiece(proto::GraphProto &graph) : graph(graph) {
    for (const auto *values : {&graph.value_info(), &graph.output(), &graph.input()})
      for (const proto::ValueInfoProto &value : *values)
        declared[value.name()] = value;
    for (const proto::ValueInfoProto &output : graph.output())
      outputs.insert(output.name());
  }

  std::string open() {
    auto exchanges = [](const proto::NodeProto &node) {
      return isOf(node, "Send") || isOf(node, "Recv");
    };
    if (llvm::none_of(graph.node(), exchanges))
      return "";
    proto::GraphProto rest;
    for (const proto::NodeProto &node : graph.node())
      if (isOf(node, "Send"))
        send(node);
      else if (isOf(node, "Recv"))
        receive(node);
      else
        *rest.add_node() = node;
    graph.mutable_node()->Swap(rest.mutable_node());
    auto isSignal = [&](const proto::ValueInfoProto &value) {
      return signals.contains(value.name());
    };
    auto *results = graph.mutable_output();
    results->erase(std::remove_if(results->begin(), results->end(), isSignal), results->end());
    return "the model is a piece of a pipeline: what it receives (" + listOf(received) +
           ") is an input here, and what it sends (" + listOf(sent) + ") an output";
  }

private:
  void send(const proto::NodeProto &node) {
    signals.insert(node.output().begin(), node.output().end());
    for (int index = kFirstSent; index < node.input_size(); ++index) {
      const std::string &name = node.input(index);
      sent.push_back(name);
      if (outputs.insert(name).second)
        *graph.add_output() = valueOf(name, node, index - kFirstSent);
    }
  }

  void receive(const proto::NodeProto &node) {
    if (node.output_size() > 0)
      signals.insert(node.output(0));
    for (int index = kFirstReceived; index < node.output_size(); ++index) {
      received.push_back(node.output(index));
      *graph.add_input() = valueOf(node.output(index), node, index - kFirstReceived);
    }
  }

  /// As declared; else of the element type that the node says for its value number `index`.
  proto::ValueInfoProto valueOf(const std::string &name, const proto::NodeProto &node, int index) {
    if (auto found = declared.find(name); found != declared.end())
      return found->second;
    proto::ValueInfoProto value;
    value.set_name(name);
    for (const proto::AttributeProto &attribute : node.attribute())
      if (attribute.name() == "element_types" && index < attribute.ints_size())
        value.mutable_type()->mutable_tensor_type()->set_elem_type(
            static_cast<int32_t>(attribute.ints(index)));
    return value;
  }

  static std::string listOf(const std::vector<std::string> &names) {
    return names.empty() ? "nothing" : "'" + llvm::join(names, "', '") + "'";
  }

  proto::GraphProto &graph;
  llvm::StringMap<proto::ValueInfoProto> declared;
  llvm::StringSet<> outputs, signals;
  std::vector<std::string> received, sent;
};

} // namespace

std::string tutti::frontend::openPiece(::onnx::GraphProto &graph) {
  return PipelinePiece(graph).open();
}
