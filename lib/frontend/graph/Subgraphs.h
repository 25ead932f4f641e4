// What importers of nodes with subgraphs share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_SUBGRAPHS_H
#define TUTTI_LIB_FRONTEND_GRAPH_SUBGRAPHS_H

#include "lib/frontend/model/ModelFile.h"

namespace tutti::frontend {

/// What an error adds where a size that varies decides what runs.
inline constexpr llvm::StringLiteral orFixSizes =
    ", or, if the model names its size, give it with --size, e.g. --size time=128";

/// More iterations would make a program that nobody waits for.
constexpr int64_t mostIterations = 4096;

/// The graph that is the node's attribute `name`; null if there is none.
const proto::GraphProto *findSubgraph(const proto::NodeProto &node, llvm::StringRef name);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_SUBGRAPHS_H
