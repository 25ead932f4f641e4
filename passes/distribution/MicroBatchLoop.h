// The loop over the micro-batches of a step, and what it carries from one to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_MICROBATCHLOOP_H
#define TUTTI_PASSES_DISTRIBUTION_MICROBATCHLOOP_H

#include "lib/program/BatchWork.h"
#include "lib/program/Program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tutti::distribution {

/// One value that the loop carries.
struct CarriedValue {
  enum class Kind {
    Sum,      ///< float, of static shape: added up, from zero
    Mean,     ///< the same, each micro-batch's divided by their number before it is added
    Rows,     ///< one row for each sample: put together again
    Variable, ///< a variable that each micro-batch updates
  };
  Kind kind;
  mlir::Value value;                   ///< what one micro-batch computes
  mlir::OpOperand *returned = nullptr; ///< of a variable: where @step returns it
};

/// Moves the work of a step into a loop that runs it on one micro-batch after the other.
class MicroBatchLoop {
public:
  MicroBatchLoop(mlir::func::FuncOp step, const program::BatchWork &work, int64_t parts)
      : step(step), work(work), parts(parts), places(step), builder(work.ops.back()) {}

  /// Builds the loop where the last operation of the work stood; what used the values uses its
  /// results. Every leaving value is carried.
  void build(llvm::ArrayRef<CarriedValue> carried);

private:
  mlir::Value initialOf(const CarriedValue &value);
  mlir::BlockArgument variableOf(const CarriedValue &value);
  mlir::Value factorOf(mlir::Type elementType);
  mlir::Value nextOf(const CarriedValue &value, mlir::Value last, mlir::Value index);
  void takeParts(mlir::scf::ForOp loop);
  void carry(mlir::scf::ForOp loop, llvm::ArrayRef<CarriedValue> carried);
  void handOn(mlir::scf::ForOp loop, llvm::ArrayRef<CarriedValue> carried);

  mlir::func::FuncOp step;
  const program::BatchWork &work;
  int64_t parts;
  program::VariablePlaces places;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Type, mlir::Value> factors; ///< 1 / parts
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_MICROBATCHLOOP_H
