// The values that verdicts are about, and what messages call them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_VERIFICATION_SUBJECTS_H
#define TUTTI_PASSES_DISTRIBUTION_VERIFICATION_SUBJECTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tutti::distribution {

/// A value that must be right, and what it is to the reader.
struct Subject {
  mlir::Value value;
  std::string name;      ///< "the gradient of variable \"w\""
  mlir::Operation *user; ///< what takes it; of what a role names, and of results, what makes it
  /// Whether each rank may have its own.
  bool isRanksOwn = false;
  /// A mark or a role says that it is a gradient, whatever becomes of it.
  bool isMarked = false;
  /// Whether a sum over ranks may be what is meant.
  bool maybeSum = false;
};

/// The gradients of `step` in program order: those that optimizers take, that are marked, and that
/// are pushed to servers; after them those that a role names.
llvm::SmallVector<Subject> findGradientSubjects(mlir::func::FuncOp step);

/// What `function` returns as operand `result` of its terminator, under `name`.
Subject subjectOfResult(mlir::OpOperand &result, std::string name);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_VERIFICATION_SUBJECTS_H
