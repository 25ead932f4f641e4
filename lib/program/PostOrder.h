// Graphs, what is led to first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_PROGRAM_POSTORDER_H
#define TUTTI_LIB_PROGRAM_POSTORDER_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace tutti::program {

/// `root` and whatever is reached from it, each node once and after all that it leads to itself,
/// which come in the order in which the node gives them.
/// `next(node)` gives what a node leads to. Nodes in `known` are left out, with what only they lead
/// to; all others come to it, so that several walks with one set visit each node once. Chains may
/// be as long as the program: nothing recurses.
template <typename Node, typename Next>
llvm::SmallVector<Node> findPostOrder(Node root, llvm::DenseSet<Node> &known, Next next) {
  struct Station {
    Node node;
    llvm::SmallVector<Node> open; ///< the next one last
  };
  llvm::SmallVector<Node> order;
  llvm::SmallVector<Station> way;
  auto enter = [&](Node node) {
    if (!known.insert(node).second)
      return;
    llvm::SmallVector<Node> open = next(node);
    std::reverse(open.begin(), open.end());
    way.push_back({node, std::move(open)});
  };
  enter(root);
  while (!way.empty()) {
    if (!way.back().open.empty()) {
      enter(way.back().open.pop_back_val());
      continue;
    }
    order.push_back(way.back().node);
    way.pop_back();
  }
  return order;
}

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_POSTORDER_H
