// Programs made ready for the interpreter: of one device, and of each rank of N.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_PROGRAMS_H
#define TUTTI_PASSES_VALIDATION_PROGRAMS_H

#include "lib/interpreter/Interpreter.h"

#include "dialects/train/Train.h"

#include "mlir/IR/OwningOpRef.h"

namespace tutti::validation {

/// How the samples of a step are dealt to ranks: the same for all data sets.
struct Sharing {
  int64_t globalBatch = 0;    ///< of the data set; 0 if there is none
  int64_t samplesPerStep = 0; ///< those that the ranks compute together
  int64_t ranks = 1;          ///< or groups of them, each of which shares one model
  int64_t neighbours = 1;     ///< ranks of a group: they take the same samples
  train::ShardMode mode = train::ShardMode::Strided;
  train::BatchPolicy policy = train::BatchPolicy::Error;
  /// The program fixes the samples of a rank: then all ranks take the same ones, which are those of
  /// one device.
  bool isFixed = false;

  /// The places in the step's samples of those of a rank, in its order.
  std::vector<int64_t> samplesOf(int64_t rank) const;
};

/// The samples that the inputs of @step fix; nothing if they vary.
std::optional<int64_t> findFixedBatch(mlir::ModuleOp program);

/// Into how many micro-batches the program cuts a batch.
int64_t countParts(mlir::ModuleOp program);

/// How many neighbouring ranks share one model in `program`, cut or to be cut; 1 without a mesh.
int64_t countNeighbours(mlir::ModuleOp program);

/// The smallest batch on which `program` shows on `ranks` ranks what it does on a larger one: two
/// samples for each rank and micro-batch, one more where the policy is for what is left over. Of a
/// program that is made for its ranks, one that is divided as its own.
Sharing chooseSharing(mlir::ModuleOp program, int64_t ranks);

/// A program of static shapes, of which nothing is left but loops, kernels, collectives and control
/// flow on tensors; and its roles, which lowering keeps.
class ReadyProgram {
public:
  /// `program` for `ranks` ranks, of which one takes `localBatch` samples a step; 0: what it is
  /// dealt, as one of those that get more if `isCeil`. Fails, with an error, where passes do.
  static mlir::FailureOr<std::unique_ptr<ReadyProgram>> make(mlir::ModuleOp program,
                                                             const Sharing &sharing, int64_t ranks,
                                                             int64_t localBatch, bool isCeil);

  mlir::func::FuncOp step();
  /// Null where the program has none, or one that draws noise for samples.
  mlir::func::FuncOp evaluate();
  interpreter::PreparedModule &prepared() { return *lowered; }
  /// The program before it was lowered: its @initialize, and where values came from.
  mlir::ModuleOp specialised() { return *source; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> source, module;
  std::unique_ptr<interpreter::PreparedModule> lowered;
};

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_PROGRAMS_H
