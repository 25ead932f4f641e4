// Sums in lanes: how a reduction over neighbouring elements becomes vector arithmetic whose order
// of rounding is written in the program, so that no later optimisation chooses it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CODEGEN_LANES_H
#define TUTTI_PASSES_CODEGEN_LANES_H

#include "passes/codegen/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::codegen {

/// How many partial results an innermost reduction has: one AVX-512 register of f32. Part of the
/// numbers a program gives: another count is another order of rounding.
inline constexpr int64_t kLanes = 16;

/// The ops that combine each output of `op` with a new term, in order of outputs, if the innermost
/// loop of `nest` can be taken in lanes: it is long enough, its inputs lie one after the other or
/// stay, its body works on vectors as on scalars, and its combining ops have a neutral element.
/// Integers need no lanes, as any order gives the same. Empty otherwise.
llvm::SmallVector<mlir::Operation *> findLaneCombiners(mlir::linalg::LinalgOp op,
                                                       const LoopNest &nest);

/// Accumulators before the first iteration: the neutral elements of `combiners` in every lane.
llvm::SmallVector<mlir::Value> createNeutralLanes(mlir::ImplicitLocOpBuilder &builder,
                                                  llvm::ArrayRef<mlir::Operation *> combiners);

/// `scalar` in every lane; what has lanes already is returned.
mlir::Value spreadOverLanes(mlir::ImplicitLocOpBuilder &builder, mlir::Value scalar);

/// The kLanes elements of `array` from `position` on.
mlir::Value loadLanes(mlir::ImplicitLocOpBuilder &builder, mlir::Value array, mlir::Value position);

/// `induction` + 0, 1, 2, ... as a vector of index.
mlir::Value countLanes(mlir::ImplicitLocOpBuilder &builder, mlir::Value induction);

/// Clones the elementwise op `inner` to work on lanes; operands are mapped, then spread. Constants
/// stay scalars.
void cloneInLanes(mlir::ImplicitLocOpBuilder &builder, mlir::Operation &inner,
                  mlir::IRMapping &mapping);

/// Combines all lanes of `vector` with the scalar `start`: the upper half of the lanes with the
/// lower until one is left, then `start` with it.
mlir::Value joinLanes(mlir::ImplicitLocOpBuilder &builder, mlir::Operation *combiner,
                      mlir::Value start, mlir::Value vector);

} // namespace tutti::codegen

#endif // TUTTI_PASSES_CODEGEN_LANES_H
