// An order of the nodes of a graph in which every tensor is made before it is used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_NODEORDER_H
#define TUTTI_LIB_FRONTEND_GRAPH_NODEORDER_H

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/StringSet.h"

namespace tutti::frontend {

using NodeList = llvm::SmallVector<const proto::NodeProto *>;

/// Names of the tensors that must exist before `node`: its inputs, for Gradient also the tensors
/// that its attributes name, and what its subgraphs use of the graph around them.
llvm::SmallVector<llvm::StringRef> dependenciesOf(const proto::NodeProto &node);

/// Sorts `nodes` topologically, keeping their order where it is one already. `given` are the names
/// that exist beforehand. Fails with a diagnostic at the node when a name is defined twice, is not
/// defined at all, or nodes need each other.
mlir::FailureOr<NodeList> sortNodes(const NodeList &nodes, const llvm::StringSet<> &given,
                                    const ModelFile &file);

/// The same for nodes that are not of the model's graph: `locate` says where a node is.
mlir::FailureOr<NodeList>
sortNodes(const NodeList &nodes, const llvm::StringSet<> &given,
          llvm::function_ref<mlir::Location(const proto::NodeProto &)> locate);

/// The nodes among `sorted` that `wanted` depends on, in the same order.
NodeList keepNeeded(const NodeList &sorted, llvm::ArrayRef<llvm::StringRef> wanted);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_NODEORDER_H
