// Gradients that a program names by the attribute train.gradient, and not by an operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_GRADIENTS_GRADIENTROLES_H
#define TUTTI_LIB_PROGRAM_GRADIENTS_GRADIENTROLES_H

#include "lib/program/Program.h"

namespace tutti::program {

/// A value of which a role says that it is a gradient.
struct NamedGradient {
  mlir::Value value;
  llvm::StringRef variable; ///< "" where it is not named; lives in the context
};

/// The values of `step` that are gradients by a role, each once: arguments, results of operations,
/// what is handed to a function that takes a gradient or comes from one that returns one, what
/// `step` returns as a gradient. Those that `train.mark_gradient` marks already are not among them,
/// nor those that servers add up.
llvm::SmallVector<NamedGradient> findNamedGradients(mlir::func::FuncOp step);

/// Puts `train.mark_gradient` before the uses of each of these values, with the role as its
/// attribute, and takes the roles away that stood where the values are made: they would still name
/// what is not reduced. Returns how many values these were. Fails, with an error, where a role
/// stands in a function that @step reaches through calls, or on a function that such a one calls.
mlir::FailureOr<unsigned> markNamedGradients(Program program);

/// What these marks said is said by attributes again, as in the program for one device.
void unmarkNamedGradients(Program program);

/// No operation of `step` names the gradient of one of `variables` any more.
void forgetNamedGradients(mlir::func::FuncOp step,
                          const llvm::DenseSet<mlir::Attribute> &variables);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GRADIENTS_GRADIENTROLES_H
