// Roles, for compilers whose programs have none: written before distribution, taken away after it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_ROLES_H
#define TUTTI_LIB_PROGRAM_ROLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tutti::program {

/// What a training step takes and returns, by name:
///   @initialize() -> (variables, states)
///   @step(variables, states, inputs, hyperparameters) -> (variables, states, metrics)
struct StepRoles {
  llvm::SmallVector<llvm::StringRef> variables; ///< trained
  llvm::SmallVector<llvm::StringRef> inputs;    ///< of the batch, along dimension 0
  llvm::SmallVector<std::pair<llvm::StringRef, double>> hyperparameters = {}; ///< and their values
  int64_t globalBatch = 0; ///< samples a step of one device; 0 if that is not known
  llvm::SmallVector<llvm::StringRef> states = {}; ///< kept from step to step, and not trained
  llvm::SmallVector<llvm::StringRef> metrics = {};
};

/// Makes `module` a training program: writes the roles on @initialize and @step, and declares the
/// dataset of the inputs, @data. Loads the train dialect. The error says what does not fit; the
/// module is as it was then.
mlir::LogicalResult annotateStep(mlir::ModuleOp module, const StepRoles &roles);

/// Takes roles away from the arguments and results of `function`.
void eraseRoles(mlir::func::FuncOp function);

/// Makes `module` an ordinary program again: without roles, datasets, and groups that are not used.
void eraseRoles(mlir::ModuleOp module);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_ROLES_H
