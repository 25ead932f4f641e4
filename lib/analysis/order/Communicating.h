// Which operations of a module may communicate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_ORDER_COMMUNICATING_H
#define TUTTI_LIB_ANALYSIS_ORDER_COMMUNICATING_H

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tutti {

/// Whether the operation by itself, without regions and callees, communicates.
bool isCommunication(mlir::Operation *op);

/// Whether `is` holds of `op`, of an operation in its regions, or in functions that these call. If
/// not, `ofUnknown` says whether it may hold in functions whose bodies are not known.
bool holdsWithin(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> is,
                 bool ofUnknown);

/// Whether executing `op` may communicate: itself, in its regions, or in functions it calls. For
/// one question; Communicating answers many.
bool communicates(mlir::Operation *op);

/// The operations of a module that may communicate when they are executed: themselves, in their
/// regions, or in functions that they call. Found by one walk; describes the module as it was.
class Communicating {
public:
  explicit Communicating(mlir::Operation *module);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  const llvm::DenseSet<mlir::Operation *> &getOps() const { return ops; }
  /// Whether a call in the module names `function`.
  bool isCalled(mlir::Operation *function) const { return calls.contains(function); }

private:
  void add(mlir::Operation *op);

  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> calls; ///< by callee
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_ORDER_COMMUNICATING_H
