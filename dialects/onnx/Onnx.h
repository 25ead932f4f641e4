// The onnx dialect: operators of ONNX as pure operations on ranked tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_ONNX_H
#define TUTTI_ONNX_ONNX_H

#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/interfaces/Differentiable.h"
#include "dialects/interfaces/Draws.h"
#include "dialects/interfaces/Expression.h"
#include "dialects/interfaces/ranks/Uniformity.h"
#include "dialects/interfaces/sharding/ShardingRule.h"
#include "dialects/onnx/Window.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>
#include <numeric>

namespace tutti::onnx {

/// The trait of operations with `compute`, one element of the result as a formula.
template <typename ConcreteOp>
class Formula : public mlir::OpTrait::TraitBase<ConcreteOp, Formula> {};

/// What a slice takes along one dimension: `size` entries, `start`, `start + step`, ...
struct SliceRange {
  int64_t start;
  int64_t step;
  int64_t size;
};

/// True when element types are equal and no two static dimensions differ, type by type.
bool areCompatible(mlir::TypeRange inferred, mlir::TypeRange actual);

} // namespace tutti::onnx

#include "dialects/onnx/OnnxDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/onnx/Onnx.h.inc"

namespace tutti::onnx {

/// Replaces a batch normalization in training by the operation that saves its statistics, at the
/// same place. The replaced operation stays, without uses.
BatchNormInternalOp saveStatistics(BatchNormalizationOp op);

/// True when a dropout with these operands certainly keeps everything: outside training, or with
/// ratio 0.
bool keepsEverything(mlir::Value ratio, mlir::Value trainingMode);

/// The error for an operator that cannot be compiled because Tutti has no definition of it. Always
/// fails.
mlir::LogicalResult rejectCustom(CustomOp op);
/// The same for an operator that is not in a program: `domain` as a CustomOp has it.
mlir::LogicalResult rejectCustom(mlir::Location location, llvm::StringRef domain,
                                 llvm::StringRef name);

} // namespace tutti::onnx

#endif // TUTTI_ONNX_ONNX_H
