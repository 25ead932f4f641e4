// Automatic mixed precision: which operators of a step run in 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_STEP_MIXEDPRECISION_H
#define TUTTI_PASSES_GRADIENT_STEP_MIXEDPRECISION_H

#include "lib/options/NameGlobs.h"
#include "passes/gradient/recipe/Recipe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::gradient {

/// What runs in 16 bits, and what stays in 32.
struct MixedPrecision {
  mlir::FloatType type;                           ///< bf16 or f16
  llvm::SmallVector<std::string> narrowOperators; ///< operators of ONNX that run in it
  options::NameGlobs wideNodes;                   ///< names of nodes that do not

  /// What `recipe` says about `step`. Complains about a narrow operator that is none of ONNX, and
  /// about a glob that matches no node of `step`. `recipe` must live as long as what is created.
  static mlir::FailureOr<MixedPrecision> create(const Recipe &recipe, mlir::func::FuncOp step,
                                                options::NameGlobs::Complain complain);
};

/// Lets `step` compute its narrow operators in 16 bits: their f32 operands are cast, and their
/// results cast back. What only moves elements, or picks among them, follows the type of what it
/// gets, so that no cast stands between two narrow operators. Variables stay in f32. To be called
/// before gradients are expanded, which then are of the casts too. A remark by `pass` names each
/// narrow operator. Returns how many there are.
unsigned computeNarrow(mlir::func::FuncOp step, const MixedPrecision &precision,
                       llvm::StringRef pass);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_STEP_MIXEDPRECISION_H
