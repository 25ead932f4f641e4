// Which node makes a tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_LOOPS_PRODUCERS_H
#define TUTTI_LIB_FRONTEND_GRAPH_LOOPS_PRODUCERS_H

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/StringMap.h"

namespace tutti::frontend {

/// The nodes of one graph, which must outlive it, by the names of their outputs.
class Producers {
public:
  using Node = const proto::NodeProto *;

  explicit Producers(const proto::GraphProto &graph) {
    for (const proto::NodeProto &node : graph.node())
      for (const std::string &output : node.output())
        byOutput[output] = &node;
  }
  /// The node of an output that is of `op` and has an input; null if there is none.
  Node find(llvm::StringRef name, llvm::StringRef op) const {
    Node node = findAny(name);
    return node && node->op_type() == op && node->input_size() > 0 ? node : nullptr;
  }
  /// The node of an output; null for what the graph is given.
  Node findAny(llvm::StringRef name) const { return byOutput.lookup(name); }
  bool contains(llvm::StringRef name) const { return byOutput.contains(name); }

private:
  llvm::StringMap<Node> byOutput;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_LOOPS_PRODUCERS_H
