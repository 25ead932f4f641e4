// Evaluates the integer arithmetic that exporters write around Reshape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_SIZES_SHAPEARITHMETIC_H
#define TUTTI_LIB_FRONTEND_GRAPH_SIZES_SHAPEARITHMETIC_H

#include "lib/frontend/model/TensorScope.h"

namespace tutti::frontend {

/// Whether evaluateSizes evaluates operator `op` of ONNX where its operands are known.
bool canEvaluateSizes(llvm::StringRef op);

/// The result of `node` if it computes sizes: Shape or Size of a ranked tensor, or an operator that
/// canEvaluateSizes names, of small integer or bool tensors that are known. None if it is anything
/// else; then it is imported as an operation. `termOf` says which dimensions are equal.
std::optional<Sizes> evaluateSizes(const proto::NodeProto &node, TensorScope &scope, TermOf termOf,
                                   mlir::Location location);

/// The results of `node` if it is a Split of such a vector, one for each output; none if not.
std::optional<llvm::SmallVector<Sizes>> evaluateParts(const proto::NodeProto &node,
                                                      TensorScope &scope, mlir::Location location);

/// The integer that a ConstantOfShape repeats; none if it is no i64.
std::optional<int64_t> repeatedValue(const proto::NodeProto &node);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_SIZES_SHAPEARITHMETIC_H
