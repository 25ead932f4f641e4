// What a model that was exported says of its program beyond ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_TRAINING_PROGRAMROLES_H
#define TUTTI_LIB_FRONTEND_TRAINING_PROGRAMROLES_H

#include "lib/frontend/model/ModelFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

namespace tutti::frontend {

/// Datasets, groups and roles, from the model's metadata; none of them if it has none.
class ProgramRoles {
public:
  /// Failure after a diagnostic if the entry is no frame of a program.
  static mlir::FailureOr<ProgramRoles> read(const ModelFile &file);

  explicit operator bool() const { return static_cast<bool>(frame); }

  /// Adds attributes, datasets and groups to `module`, which has none yet.
  void fill(mlir::ModuleOp module);

  /// Whether an initializer of this name is a hyperparameter.
  bool isHyperparameter(llvm::StringRef name) const { return hyperparameters.contains(name); }

  /// Gives variables and inputs in `module` the roles that they had.
  void apply(mlir::ModuleOp module);

private:
  mlir::LogicalResult survey(const ModelFile &file);

  mlir::OwningOpRef<mlir::ModuleOp> frame;
  llvm::StringSet<> hyperparameters;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_TRAINING_PROGRAMROLES_H
