// Values of a function cut into one part for each rank, and put together again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_PARTITION_H
#define TUTTI_PASSES_DISTRIBUTION_PARTITION_H

#include "lib/analysis/Uniformity.h"
#include "lib/program/Program.h"
#include "passes/distribution/sharding/KeptGathers.h"

#include "llvm/ADT/MapVector.h"

namespace tutti::distribution {

/// Builds, beside the values of one function of one block, the parts of them that a rank holds: a
/// value is flattened, filled up with zeros to a multiple of the number of ranks, and rank r has
/// part r. What is computed element by element is computed on parts; what is reduced is scattered;
/// whatever else all ranks have is sliced. Nothing is erased until `finish`.
class Partition {
public:
  /// `uniformity` describes the module before any part was built.
  Partition(mlir::func::FuncOp function, const UniformityAnalysis &uniformity,
            mlir::FlatSymbolRefAttr world, int64_t ranks);

  /// The type of a part of values of type `whole`.
  mlir::RankedTensorType getPartType(mlir::Type whole) const;

  /// The argument becomes the rank's part of what it was.
  void setArgumentToPart(mlir::BlockArgument argument);

  /// The same; and where the function uses the whole, that is gathered before its first use, and
  /// anew before the first one of the backward pass, so that it need not be kept in between.
  void setVariableToPart(mlir::BlockArgument argument);

  /// Of what setVariableToPart names, gathers up to `bytes` once and keeps it for all uses
  /// (keepGathered).
  void keepGathered(int64_t bytes) { keptBytes = bytes; }

  /// Lets `optimizer`, which works element by element, be computed on parts.
  void addOptimizer(mlir::Operation *optimizer) { optimizers.insert(optimizer); }

  /// This rank's part of `whole`, which is equal on all ranks or was made part by part.
  mlir::Value getPart(mlir::Value whole);

  /// The part of `whole` if it has been computed, not sliced out of the whole; else null. It stands
  /// where `whole` is computed.
  mlir::Value findPart(mlir::Value whole) const { return parts.lookup(whole); }

  /// Whether the parts of `whole` together have more elements than it.
  bool isFilledUp(mlir::Value whole) const;

  /// `whole`, gathered from the parts that the ranks have computed.
  mlir::Value gather(mlir::Value whole);

  /// A reduction that was scattered, although something still takes its whole result.
  struct WholeUse {
    mlir::OpResult reduced;
    mlir::Operation *user;
  };

  /// Erases what parts replace, and gathers those of what is still used as a whole. Returns the
  /// reductions whose results are.
  llvm::SmallVector<WholeUse> finish();

  /// How many gathers `finish` has made of what setVariableToPart names.
  unsigned countVariableGathers() const { return variableGathers; }
  const KeptGathers &getKeptGathers() const { return kept; }

  /// Takes the part of `reduced` out of the whole result, instead of scattering the reduction.
  void keepWhole(mlir::OpResult reduced);

private:
  mlir::Value buildPart(mlir::Value whole);
  mlir::Value cut(mlir::OpResult whole);
  mlir::Value scatter(mlir::OpResult reduced);
  mlir::Value slice(mlir::Value whole);
  mlir::Operation *createGather(mlir::OpBuilder &builder, mlir::Value whole) const;
  mlir::Value putTogether(mlir::OpBuilder &builder, mlir::Value whole, mlir::Value row) const;
  void gatherVariables();
  void gatherFor(const UseRegion &region, mlir::Value whole,
                 llvm::DenseMap<mlir::Operation *, mlir::Operation *> &places);
  int64_t getRowBytes(mlir::Value whole) const;
  mlir::Value flatten(mlir::OpBuilder &builder, mlir::Value whole) const;
  mlir::Value getOffset(int64_t length);
  bool isCuttable(mlir::Operation *op) const;
  bool isBefore(mlir::Operation *op, mlir::Operation *other) const {
    return places.lookup(op) < places.lookup(other);
  }

  mlir::func::FuncOp function;
  const UniformityAnalysis &uniformity;
  mlir::FlatSymbolRefAttr world;
  int64_t ranks;
  mlir::Operation *consumer = nullptr; ///< what the part being built is for; null: the return
  unsigned depth = 0;                  ///< of operations being cut
  mlir::Value rank;
  llvm::DenseMap<int64_t, mlir::Value> offsets;
  llvm::DenseMap<mlir::Value, mlir::Value> parts, gathered;
  /// Operations that take a part, and the one before which they stand.
  struct Slice {
    llvm::SmallVector<mlir::Operation *, 2> ops;
    mlir::Operation *point;
  };
  llvm::DenseMap<mlir::Value, Slice> slices;
  /// The place of each operation in the block before it was changed; a clone that works on parts
  /// has that of its original. (The block would number all operations anew after each change.)
  llvm::DenseMap<mlir::Operation *, unsigned> places;
  llvm::SmallPtrSet<mlir::Operation *, 16> optimizers;
  llvm::SmallVector<mlir::Operation *> replaced;  ///< whole operations, users after what they use
  llvm::SmallVector<mlir::Operation *> arguments; ///< what stands for the whole of an argument
  llvm::SmallVector<mlir::Value> variables;       ///< those that are gathered for each use
  unsigned variableGathers = 0;
  int64_t keptBytes = 0;
  KeptGathers kept;
  llvm::MapVector<mlir::OpResult, mlir::Operation *> scattered;
};

/// Rebuilds the broadcasts and all_reduces of `function` without the buffers whose results nothing
/// uses.
void dropUnusedBuffers(mlir::func::FuncOp function);

/// Lets each `train.global_norm`, `train.sum_of_squares` and `train.all_finite` of `step` look at
/// the parts of gradients that `parts` has built, and at the others as they are, and the ranks
/// combine in one reduction what they found; so all ranks find the same. A norm is the root of the
/// sum of squares over the parts, in rank order, plus that over the whole gradients: not the order
/// of additions of one device. A gradient whose part may end in something else than zeros stays
/// whole. Returns those it rewrote; they are erased.
unsigned measureParts(mlir::func::FuncOp step, const Partition &parts,
                      mlir::FlatSymbolRefAttr world);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_PARTITION_H
