// What neighbours have of each value of a local program, found by the rules of operations alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_PARTSVERDICT_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_PARTSVERDICT_H

#include "lib/program/MeshGroups.h"
#include "lib/program/Program.h"
#include "passes/distribution/tensor/RowShares.h"
#include "passes/distribution/tensor/TensorProgram.h"
#include "passes/distribution/tensor/Vocabulary.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

namespace tutti::distribution {

/// What one value is: how it lies on neighbours, and the type of the whole. A row is of elements of
/// the rank's block of it, flattened: of all of them, or of those that are the rank's.
struct Known {
  Layout layout;
  mlir::Type whole;
  bool isRow = false;
};

/// Visits the operations of `@step` in order. An error is emitted at the first that takes what it
/// must not.
///
/// A local reshape may be that of several whole ones: of 2 columns to 1 x 2, each of two neighbours
/// has a part of 4 as 1 x 4, and of 4 as 2 x 2. Each reading is right by itself; what comes after
/// it decides. So where an operation refuses its operands, those that made them are read otherwise,
/// the latest first.
class PartsVerdict {
public:
  explicit PartsVerdict(program::Program program)
      : program(program), parts(program::partsOf(program.module)),
        ranks(findWorldSize(program.module).value_or(parts)) {}

  mlir::LogicalResult verify();

private:
  const Known &get(mlir::Value value) { return known[value]; }
  void set(mlir::Value value, Layout layout, mlir::Type whole) { known[value] = {layout, whole}; }
  /// `value` lies as `other`, of elements of its own type.
  void setLike(mlir::Value value, Known other) {
    if (auto whole = mlir::dyn_cast<mlir::ShapedType>(other.whole))
      other.whole = whole.clone(mlir::getElementTypeOrSelf(value));
    known[value] = other;
  }
  /// Whether `value` is a row, or may be taken as one: what has one dimension is in its order.
  bool canBeRow(mlir::Value value) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    const Known &given = get(value);
    return given.isRow ||
           (given.layout.isShard() && given.layout.scale == 0 && type && type.getRank() == 1);
  }
  mlir::Type typeOf(mlir::Value value) { return known[value].whole; }

  mlir::LogicalResult verifyStep();
  mlir::LogicalResult visitFrom(mlir::Operation *first);
  mlir::Operation *findLatestReshape(llvm::ArrayRef<mlir::Value> values);
  mlir::Operation *findOtherReading();
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult visitStart(CommunicationStartOpInterface start);
  mlir::LogicalResult visitDone(CommunicationDoneOpInterface done);
  mlir::LogicalResult visitNested(mlir::Operation *op);
  mlir::LogicalResult visitNeighbours(mlir::Operation *op, const CommunicationForm &form);
  mlir::LogicalResult visitData(mlir::Operation *op, const CommunicationForm &form);
  bool isOwnBlock(mlir::Value index, mlir::Value count);
  mlir::LogicalResult visitPiece(train::PieceOp piece);
  bool correctsScale(train::ScaleOp scale);
  mlir::LogicalResult visitPush(ps::PushRowsOp push);
  mlir::LogicalResult verifyTables();
  void findBlockIndices();
  mlir::LogicalResult checkIndices(mlir::Operation *op, const BlockIndices &own);
  mlir::LogicalResult visitLookup(train::GatherRowsOp gather, const BlockIndices &own);
  mlir::LogicalResult visitScatter(train::ScatterRowsOp scatter, const BlockIndices &own);
  mlir::LogicalResult visitByRule(mlir::Operation *op);
  std::optional<Known> findRow(mlir::Operation *op);
  mlir::LogicalResult visitRow(mlir::Operation *op, const Known &row);
  mlir::LogicalResult setVariable(mlir::BlockArgument argument, train::VariableAttr role);
  Known getTaken(mlir::Value operand, mlir::Operation *op);
  llvm::SmallVector<mlir::Type> wholesTaken(mlir::Operation *op);
  bool fits(mlir::Operation *op, llvm::ArrayRef<mlir::Type> results, int64_t mostRanges);
  bool fitsSome(mlir::Operation *op, int64_t ranges);
  mlir::LogicalResult verifyEnd();
  mlir::InFlightDiagnostic refuse(mlir::Operation *op, mlir::Value value);

  program::Program program;
  int64_t parts, ranks;
  llvm::DenseMap<mlir::Value, Known> known;
  llvm::DenseMap<mlir::Value, BlockIndices> blockIndices;
  llvm::DenseMap<mlir::Operation *, RowShare> shares;   ///< of pushes
  llvm::DenseSet<mlir::Operation *> ofIndices;          ///< what both of these are computed by
  mlir::Operation *refused = nullptr;                   ///< the last that was
  llvm::DenseMap<mlir::Operation *, unsigned> readings; ///< how many are passed over; if any
  /// Of one that is read otherwise: the operands that were refused with its readings before.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> causes;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers; ///< in order; once any is refused
  int64_t visits = 0;                                  ///< of operations
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_PARTSVERDICT_H
