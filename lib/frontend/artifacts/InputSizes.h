// Sizes of inputs that the weights they are multiplied with leave no choice for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_ARTIFACTS_INPUTSIZES_H
#define TUTTI_LIB_FRONTEND_ARTIFACTS_INPUTSIZES_H

#include "lib/frontend/graph/NodeOrder.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tutti::frontend {

/// The type of a weight, by name; null if there is none of this name.
using WeightType = llvm::function_ref<mlir::RankedTensorType(llvm::StringRef)>;

/// Exporters may give every dimension of an input a name, where only the batch varies. Declares
/// those sizes of `input` that a Gemm, MatMul or Conv among `nodes` demands.
void declareSizes(proto::ValueInfoProto &input, const NodeList &nodes, WeightType weightType);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_ARTIFACTS_INPUTSIZES_H
