// Runs functions of training programs on tensors, in a prime field instead of floats, on N ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_INTERPRETER_INTERPRETER_H
#define TUTTI_LIB_INTERPRETER_INTERPRETER_H

#include "lib/interpreter/Ranks.h"
#include "lib/interpreter/ScalarOps.h"
#include "lib/interpreter/Tables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace tutti::interpreter {

/// Where a rank stands, and what it draws its random numbers from.
struct RankPlace {
  int64_t rank = 0, ranks = 1;
  int64_t ranksPerNode = 0;     ///< 0: all are on one
  std::vector<int64_t> samples; ///< the places of its samples in the global batch
  uint64_t seed = 0;            ///< of the run and the step
};

/// What is found out once about the operations of a module, for all ranks that run it.
class PreparedModule {
public:
  explicit PreparedModule(mlir::ModuleOp module);

  /// The loop body of `op`; null after an error.
  const ScalarBody *bodyOf(mlir::Operation *op, mlir::Block &block);
  /// The tensor of a constant; null if it cannot be read.
  TensorRef constantOf(mlir::Operation *op, mlir::ElementsAttr value);
  /// Values that nothing after `op` uses.
  llvm::ArrayRef<mlir::Value> lastUsedAt(mlir::Operation *op) const;

  mlir::ModuleOp module;

private:
  void findLastUses(mlir::Block &block);

  llvm::DenseMap<mlir::Operation *, std::unique_ptr<ScalarBody>> bodies;
  llvm::DenseMap<mlir::Operation *, TensorRef> constants;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> lastUses;
};

/// An operation of a function's own block, and what it gave.
struct TraceEntry {
  mlir::Operation *op;
  std::vector<TensorRef> results;
};

/// One rank, which runs functions of its module: what the tensor half of lowering leaves of them
/// (loops over elements, kernel calls, collectives, control flow).
class Machine {
public:
  Machine(PreparedModule &program, Ranks &ranks, RankPlace place)
      : program(program), ranks(ranks), place(std::move(place)) {}

  /// What `function` returns for these arguments; fails with an error that names the operation.
  mlir::FailureOr<std::vector<TensorRef>> call(mlir::func::FuncOp function,
                                               llvm::ArrayRef<TensorRef> arguments);

  // For the operations of the table.

  TensorRef get(mlir::Value value) const { return values.lookup(value); }
  int64_t getIndex(mlir::Value value) const { return int64_t(get(value)->elements.front()); }
  void set(mlir::Value value, TensorRef tensor) { values[value] = std::move(tensor); }
  void set(mlir::Value value, Tensor tensor) { set(value, makeTensor(std::move(tensor))); }
  /// Runs a block of a region; what its terminator gives.
  mlir::FailureOr<std::vector<TensorRef>> runBlock(mlir::Block &block,
                                                   llvm::ArrayRef<TensorRef> arguments);
  mlir::LogicalResult run(mlir::Operation &op);
  /// The world ranks of this rank's set of a group, in order; empty if it is in none.
  mlir::FailureOr<std::vector<int64_t>> setOf(mlir::Operation *op, mlir::StringAttr group);

  PreparedModule &program;
  Ranks &ranks;
  RankPlace place;
  llvm::StringMap<std::vector<int64_t>> madeGroups; ///< those that the program makes itself
  std::vector<TraceEntry> *trace = nullptr;         ///< gets what happens, if there is one
  Tables *tables = nullptr;                         ///< those of all ranks, if there are any

private:
  std::vector<TensorRef> resultsOf(mlir::Operation &op) const;

  llvm::DenseMap<mlir::Value, TensorRef> values;
  int depth = 0; ///< of blocks
};

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}
inline bool holdsFloats(mlir::Value value) {
  return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType()));
}

/// Runs an operation: gives its results their values.
using Handler = mlir::LogicalResult (*)(Machine &machine, mlir::Operation *op);
using HandlerTable = llvm::StringMap<Handler>;

// The table, by dialect.
void addTensorOps(HandlerTable &table);
void addControlOps(HandlerTable &table);
void addKernelOps(HandlerTable &table);
void addCollectiveOps(HandlerTable &table);
void addTableOps(HandlerTable &table);
/// Operations of Linalg, all of which have a body.
mlir::LogicalResult runLinalg(Machine &machine, mlir::Operation *op);

} // namespace tutti::interpreter

#endif // TUTTI_LIB_INTERPRETER_INTERPRETER_H
