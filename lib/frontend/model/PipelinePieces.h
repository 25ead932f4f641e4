// Pieces of a model that ONNX Runtime's pipeline cut in several.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_PIPELINEPIECES_H
#define TUTTI_LIB_FRONTEND_MODEL_PIPELINEPIECES_H

#include "onnx/onnx_pb.h"

#include <string>

namespace tutti::frontend {

/// Makes a model of its own of a piece that exchanges values with the others by Send and Recv of
/// com.microsoft: what it receives becomes inputs of the graph, with the type that the graph
/// declares, and what it sends becomes outputs. The signals that order the exchange go. Returns
/// what was changed, in words for a warning; empty if the graph has no such node.
std::string openPiece(::onnx::GraphProto &graph);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_PIPELINEPIECES_H
