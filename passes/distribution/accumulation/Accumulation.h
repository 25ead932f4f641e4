// What a step carries from one micro-batch to the next, and why some steps cannot.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_ACCUMULATION_H
#define TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_ACCUMULATION_H

#include "lib/analysis/Uniformity.h"
#include "lib/program/BatchWork.h"
#include "lib/program/Program.h"
#include "passes/distribution/accumulation/ServedRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tutti::distribution {

/// One value that the loop carries.
struct CarriedValue {
  enum class Kind {
    Sum,      ///< float, of static shape: added up, from zero
    Mean,     ///< the same, each micro-batch's divided by their number before it is added
    Rows,     ///< one row for each sample: put together again
    MeanRows, ///< the same, each micro-batch's divided by their number
    Variable, ///< a variable that each micro-batch updates
  };
  Kind kind;
  mlir::Value value;               ///< what one micro-batch computes
  mlir::OpOperand *next = nullptr; ///< of a variable: what takes its value after the batch
  train::VariableAttr role = {};   ///< of a variable
  mlir::Value like = {};           ///< of rows: what has as many; null for one for each sample

  bool isMean() const { return kind == Kind::Mean || kind == Kind::MeanRows; }
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

/// The accumulation of the gradients of one step.
struct Accumulation {
  /// Marked ones, others that optimizers take, and those that are pushed to servers.
  llvm::SmallVector<mlir::Value> gradients;
  program::BatchWork work;                 ///< what is done for each micro-batch
  llvm::SmallVector<CarriedValue> carried; ///< one for each value that leaves the work

  /// Fails, with an error, where `step` accumulates already.
  static mlir::LogicalResult checkNone(mlir::func::FuncOp step);

  /// Gradients begin with ones in the shape of the loss. Where a gradient has no more of the batch
  /// than these, as that of a penalty of a variable, makes a constant of them in `step`: such a
  /// gradient is computed once, and not for each micro-batch. To be called before `find`, and
  /// before the analysis that it takes.
  static void separateConstants(mlir::func::FuncOp step, const ServedRows &served);

  /// Finds what is to be carried; gradients become sums or, with `isMean`, means over
  /// micro-batches, and lists of rows that `served` has are put together. Fails, with an error,
  /// where the step has no gradient or no batch that can be divided, or where
  /// a value has no mean or is reduced over the ranks already.
  static mlir::FailureOr<Accumulation> find(program::Program program,
                                            const UniformityAnalysis &uniformity,
                                            const ServedRows &served, bool isMean);

  /// Whether `gradient` depends on the batch, and so is accumulated.
  bool accumulates(mlir::Value gradient) const {
    return gradient.getDefiningOp() && work.contains(gradient.getDefiningOp());
  }
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_ACCUMULATION_H
