// What of a program decides what it communicates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_ORDER_DECIDING_H
#define TUTTI_LIB_ANALYSIS_ORDER_DECIDING_H

#include "lib/analysis/order/Communicating.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tutti {

/// Whether a rank may know values of the type while it is followed: numbers, and constants small
/// enough to compute with again and again.
bool isWorthKnowing(mlir::Type type);

/// What a rank has to execute for its communication to be known: operations that communicate, and
/// what the control of these, the peers of messages and the members of groups are computed from. A
/// training step may have a hundred thousand operations of which ten decide, and it is followed for
/// each of thousands of ranks.
class Deciding {
public:
  explicit Deciding(const Communicating &communicating);

  /// The operations of `block` but its terminator that are to be executed, in order. Thus the
  /// object, which remembers them, serves one thread.
  llvm::ArrayRef<mlir::Operation *> getOps(mlir::Block &block);

private:
  void need(mlir::Value value);
  void execute(mlir::Operation *op);
  void needControl(mlir::Operation *op);
  void needBranches(mlir::Region &region);
  void connectCall(mlir::CallOpInterface call);
  void needOperands(mlir::Value value);

  const Communicating &communicating;
  llvm::DenseSet<mlir::Operation *> executed;
  llvm::DenseSet<mlir::Value> needed;
  llvm::SmallVector<mlir::Value> open;
  /// What is handed to block arguments, and to results of operations with regions and calls.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> handed;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<mlir::Operation *>> ofBlocks;
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_ORDER_DECIDING_H
