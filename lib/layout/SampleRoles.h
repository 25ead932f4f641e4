// What each value of a step for one device is to the samples of its batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_SAMPLEROLES_H
#define TUTTI_LIB_LAYOUT_SAMPLEROLES_H

#include "lib/layout/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::scf {
class ForOp;
} // namespace mlir::scf

namespace tutti {

namespace train {
class DatasetOp;
}

/// A value that `use` needs in another layout than it has.
struct LayoutChange {
  mlir::OpOperand *use;
  Layout from, to;
};

/// A forward analysis of one step, operation by operation: samples are an axis of open size, along
/// which the arrays of the batch are Shard. Where an operation needs a value in another layout, as
/// the square root needs a sum that is complete, a change is noted, and its results follow from
/// what the change makes. Gradients, metrics and variables that leave the step are uses, too.
///
/// What is computed from gradients that are reduced over ranks (optimizers and what stands before
/// them) is Replicate. Operations that have no rule, and those with regions, make Own of whatever
/// is not Replicate: of them nothing is known, as of each rank's own values.
///
/// Of a step for several ranks it follows collectives on all of them, too: there layouts are what
/// is, and nothing may be changed. Where an operation needs another layout, its results are Own.
///
/// The object describes the function as it was; rebuild it after a change. Linear in the uses, but
/// for loops, whose bodies are looked at up to three times.
class SampleRoles {
public:
  /// With `foldedRanks`, which is the number of ranks, a number that is 1 over it divides by it
  /// where a value is too large by that: what asked for the number of ranks is a number once that
  /// is known.
  explicit SampleRoles(mlir::func::FuncOp step, bool isDistributed = false,
                       int64_t foldedRanks = 0);

  /// Replicate for what nothing is known to be split in.
  Layout get(mlir::Value value) const;

  /// In the order of the program.
  llvm::ArrayRef<LayoutChange> getChanges() const { return changes; }

  /// The operand from which `value` has its layout, or null where it begins: an argument, or an
  /// operation that made something else of what it took.
  mlir::Value getOrigin(mlir::Value value) const { return origins.lookup(value); }

  /// The operations that gave `value` its role, from the input of the batch on: at most `most`,
  /// the last ones, each where the role changed.
  llvm::SmallVector<mlir::Operation *> getChain(mlir::Value value, unsigned most = 3) const;

private:
  void visit(mlir::Operation *op);
  void visitOne(mlir::Operation *op);
  bool visitPart(mlir::Operation *op);
  bool visitGradient(mlir::Operation *op);
  bool visitStatistics(mlir::Operation *op);
  bool visitUnknown(mlir::Operation *op);
  bool visitCommunication(mlir::Operation *op);
  bool visitStarted(mlir::Operation *op);
  bool visitWire(mlir::Operation *op);
  bool visitPartOfElements(mlir::Operation *op);
  bool visitRows(mlir::Operation *op);
  bool visitLoop(mlir::Operation *op);
  bool visitMicroBatch(mlir::Operation *op);
  bool visitNumberScale(mlir::Operation *op);
  bool visitReshape(mlir::Operation *op);
  void visitByRule(mlir::Operation *op);
  void visitReturn(mlir::Operation *op);
  void want(mlir::OpOperand &use, Layout layout);
  void set(mlir::Operation *op, mlir::Value result, Layout layout);
  mlir::Value findOrigin(mlir::Operation *op, Layout::Kind kind);

  mlir::func::FuncOp step;
  bool isDistributed;
  int64_t foldedRanks;
  unsigned depth = 0;            ///< loops around what is visited
  mlir::Region *turns = nullptr; ///< the body of the loop over micro-batches, while it is visited
  int64_t turnCount = 0;
  bool areUnequal = false;                     ///< ranks take unequal parts of a batch
  llvm::DenseMap<mlir::Value, Layout> layouts; ///< of what is not Replicate, or not its own scale
  llvm::DenseMap<mlir::Value, mlir::Value> origins;
  /// The operands of `op`, which is being visited, that are not the same on all parts: the first of
  /// each kind, and the last.
  struct {
    mlir::Operation *op = nullptr;
    llvm::SmallDenseMap<unsigned, mlir::Value, 4> firstOf;
    mlir::Value last;
  } origin;
  llvm::DenseSet<mlir::Value> named; ///< gradients, by an attribute
  llvm::SmallVector<LayoutChange> changes;
};

/// Whether ranks take unequal parts of the batches of `dataset`, as far as is known.
bool hasUnequalParts(train::DatasetOp dataset);

/// The number of micro-batches that the turns of `loop` take one after the other, or 0.
int64_t countMicroBatches(mlir::scf::ForOp loop);

/// How a metric or a gradient leaves a step: as a mean over parts where it can, or complete.
Layout getLeavingLayout(Layout layout, mlir::Type type);

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_SAMPLEROLES_H
