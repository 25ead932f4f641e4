// Giving roles to many arguments and results at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_ROLEEDITS_H
#define TUTTI_LIB_PROGRAM_ROLEEDITS_H

#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::program {

/// Variables among the arguments and results of a function, to be changed by `apply`. Changed one
/// by one, each would copy the attributes of all, and the context would keep all copies.
class RoleEdits {
public:
  explicit RoleEdits(mlir::func::FuncOp function);

  /// The role as edited so far; null for what is no variable.
  train::VariableAttr getArgument(unsigned index) const { return getRole(arguments[index]); }
  train::VariableAttr getResult(unsigned index) const { return getRole(results[index]); }

  void setArgument(unsigned index, train::VariableAttr role) { setRole(arguments[index], role); }
  void setResult(unsigned index, train::VariableAttr role) { setRole(results[index], role); }

  void apply();

private:
  static train::VariableAttr getRole(mlir::DictionaryAttr attributes);
  static void setRole(mlir::DictionaryAttr &attributes, train::VariableAttr role);

  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::DictionaryAttr> arguments, results; ///< null where there are none
};

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_ROLEEDITS_H
