// Which values are equal on every rank, and why the others are not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_UNIFORMITY_H
#define TUTTI_LIB_ANALYSIS_UNIFORMITY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace tutti {

/// A sparse forward analysis over a module. Every value starts as *uniform* (equal bits on every
/// rank); what may differ is *varying*, and spreads along uses, region and block edges and calls to
/// whatever is computed from it. Each value becomes varying at most once, so the analysis is linear
/// in the uses, and the first reason found is kept.
///
/// Origins of variation:
/// - an operation that says so (UniformityOpInterface): the rank, a shard, an unseeded random;
/// - `train.input` arguments of a sharded dataset; without a shard all ranks see the same batch;
/// - `train.variable` arguments that are sharded or of each rank's own;
/// - operations and arguments that are sources of random numbers of each rank's own
///   (`train.random`), and gradients that are arguments of functions that anyone may call;
/// - arguments without a role of functions that anyone may call;
/// - operations with memory effects or unknown effects, and calls to functions without a body;
/// - operations of upstream dialects that ask the machine, the device or the process
///   (UpstreamUniformity.h), and values that nothing defines;
/// - operations of other dialects but constants, unless the dialect or the program declares that
///   they compute the same on every rank (Trust.h).
///
/// Replicated `train.variable` arguments are taken as uniform. That is an induction: it holds if
/// @initialize returns uniform variables and @step, given uniform ones, returns uniform ones, which
/// `distribute-verify-replication` checks.
///
/// A result of an operation whose control is varying (condition, loop bounds) is varying even where
/// all its branches yield uniform values. In unstructured control flow under a varying condition,
/// every value of the blocks after it is.
///
/// The object describes the module as it was. Passes get it from their analysis manager, which
/// keeps it until a pass changes something; within a pass, rebuild it after a change. Reading it is
/// thread-safe.
class UniformityAnalysis {
public:
  explicit UniformityAnalysis(mlir::Operation *module) : UniformityAnalysis(module, 1) {}

  /// Asks only the ranks that hold the same parts of the model, of a `module` that `parts`
  /// neighbouring ranks hold in parts (`train.tensor_parts`): uniform is what has equal bits on all
  /// ranks whose numbers are equal modulo `parts`.
  UniformityAnalysis(mlir::Operation *module, int64_t parts);

  bool isUniform(mlir::Value value) const { return !causes.count(value); }

  /// Whether result `index` of the function is equal on every rank, given its arguments' seeds.
  bool isUniformResult(mlir::FunctionOpInterface function, unsigned index) const;

  /// The value that decides, differently on different ranks, whether or how often `op` executes;
  /// null if all ranks execute it equally often.
  mlir::Value getDivergence(mlir::Operation *op) const { return findDivergence(op).control; }

  /// Where ranks part: the branch or loop, what decides it, and the call or operation in it that
  /// leads to the one asked about. All null if they don't.
  struct Divergence {
    mlir::Operation *branch = nullptr;
    mlir::Value control;
    mlir::Operation *inside = nullptr;
  };
  Divergence findDivergence(mlir::Operation *op) const;

  /// The values from the origin of the variation of `value` (first) to `value` (last); empty for a
  /// uniform value.
  llvm::SmallVector<mlir::Value> getPath(mlir::Value value) const;

  /// Why the origin of a path varies, as a clause: "is the rank's part of dataset @data".
  llvm::StringRef getReason(mlir::Value origin) const;

  /// Attaches notes to `diagnostic`: the operation or argument that makes `value` vary, and the way
  /// from there to `value`.
  void explain(mlir::Value value, mlir::InFlightDiagnostic &diagnostic) const;

private:
  struct Cause {
    mlir::Value from;   ///< the varying value that this one was computed from; null at an origin
    std::string reason; ///< at an origin: why it varies
  };

  /// Symbols that something other than a plain call names.
  struct Names {
    llvm::DenseSet<mlir::StringAttr> symbols;
    bool mayBeAny = false; ///< operations of which nobody knows what they name
  };

  void findCallers();
  Names findNamedOtherwise();
  /// Whether the only way into `function` is through calls that the module shows.
  bool areAllCallersKnown(mlir::FunctionOpInterface function);
  void forgetWork();

  void seedArguments(mlir::FunctionOpInterface function);
  void seedResults(mlir::Operation *op);
  std::string getArgumentReason(mlir::FunctionOpInterface function, unsigned index);

  void mark(mlir::Value value, mlir::Value from, llvm::StringRef reason = "");
  void markUnknown(mlir::Operation *op, llvm::StringRef reason);
  void markResults(mlir::Operation *op, mlir::Value from);
  void markResults(mlir::OpOperand &use);
  void markArguments(mlir::Operation *op, mlir::Value from);
  void markEverything(mlir::Operation *op, mlir::Value from);
  void markEverything(mlir::OpOperand &use);
  void markDivergent(mlir::Operation *op, mlir::OpOperand &use);
  void markDivergent(mlir::Region *region, mlir::Value control);
  void markSurroundings(mlir::Operation *op, mlir::Value from);
  void markCallers(mlir::Operation *function, unsigned result, mlir::Value from);

  void propagate(mlir::OpOperand &use);
  void propagateThroughBranch(mlir::BranchOpInterface branch, mlir::OpOperand &use);
  void propagateThroughRegions(mlir::RegionBranchOpInterface op, mlir::OpOperand &use);
  void propagateThroughTerminator(mlir::OpOperand &use);
  void propagateIntoCallee(mlir::CallOpInterface call, mlir::OpOperand &use);

  /// The function with a body that `call` calls, or null.
  mlir::FunctionOpInterface getCallee(mlir::CallOpInterface call);

  mlir::Operation *module;
  int64_t parts;
  llvm::DenseMap<mlir::Value, Cause> causes;
  llvm::SmallVector<mlir::Value> worklist;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::CallOpInterface>> callers;
  /// Results of which the operation itself says that they are uniform.
  llvm::DenseSet<mlir::Value> uniformByMeaning;
  /// Operations all of whose results, and all arguments of whose regions, have been marked as far
  /// as they can vary.
  llvm::DenseSet<mlir::Operation *> exhausted, exhaustedArguments;
  std::optional<Names> namedOtherwise;                  ///< once somebody has asked
  std::unique_ptr<mlir::SymbolTableCollection> symbols; ///< while it works
  /// Where the operands of operations with regions, and of what ends these regions, go.
  llvm::DenseMap<mlir::Operation *, mlir::RegionBranchSuccessorMapping> successorsOfRegions;
  /// Operations whose regions ranks enter unequally often, with the value that decides.
  llvm::DenseMap<mlir::Operation *, mlir::Value> divergentOps;
  /// Regions where blocks other than the first are reached unequally often.
  llvm::DenseMap<mlir::Region *, mlir::Value> divergentRegions;
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_UNIFORMITY_H
