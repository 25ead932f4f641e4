// Where each value of a function lies across ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_ANALYSIS_PLACE_PLACEANALYSIS_H
#define TUTTI_LIB_ANALYSIS_PLACE_PLACEANALYSIS_H

#include "lib/analysis/Uniformity.h"
#include "lib/analysis/place/Place.h"
#include "lib/analysis/place/RankNumbers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <deque>

namespace mlir::scf {
class ForOp;
class IfOp;
} // namespace mlir::scf

namespace tutti {

namespace train {
class InputAttr;
}

/// A sparse forward interpretation of one function, in program order: `Replicate` is exactly what
/// the uniformity analysis proves; what varies is a `Shard` where its place is proved, from slices,
/// scatters and roles of arguments on, `Own` where each rank has its own, and `Unclear` where parts
/// meet an operation of which nothing is known. Faults are definite: what is `Unclear` has none.
///
/// - A slice of what all ranks have is a Shard where its offset is the rank times its length, for a
///   group whose ranks' parts make up the whole; offsets are computed for each rank where their
///   number is known, so it does not matter how they are spelled.
/// - reduce_scatter and scatter cut; all_gather undoes the last cut, along the same dimension and
///   over the same group. What it gathers else is a list.
/// - What works element by element combines parts of equal places, scalars, and values whose
///   elements are all alike.
///
/// Linear in the operations, but for loops, whose bodies are looked at twice, and functions, which
/// are looked at four times at most.
class PlaceAnalysis {
public:
  PlaceAnalysis(mlir::FunctionOpInterface function, const UniformityAnalysis &uniformity);

  /// Stays where it is while the object lives.
  const Place &get(mlir::Value value) const;

  /// The number of ranks, if it is known.
  std::optional<int64_t> getWorldSize() const { return worldSize; }

private:
  void set(mlir::Value value, Place place);
  Place getArgument(mlir::FunctionOpInterface function, unsigned index);
  Place getInput(mlir::FunctionOpInterface function, unsigned index, train::InputAttr input);
  /// Replicate where all ranks have `value` alike, else `kind`.
  Place begin(mlir::Value value, Place::Kind kind) const;

  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  bool visitConstant(mlir::Operation *op);
  bool visitElementwise(mlir::Operation *op);
  bool visitControl(mlir::Operation *op);
  bool visitRegions(mlir::Operation *op);
  bool visitCall(mlir::CallOpInterface call);
  void visitUnknown(mlir::Operation *op);
  bool mayCommunicate(mlir::Operation *op);
  void visitLoop(mlir::scf::ForOp loop);

  bool visitPassing(mlir::Operation *op); // ShapePlace.cpp

  // Slices (SlicePlace.cpp).
  bool visitSlice(mlir::Operation *op);
  Place slice(mlir::tensor::ExtractSliceOp op);
  bool cut(Place &place, mlir::tensor::ExtractSliceOp op, int64_t dim);
  void takeFromList(Place &place, mlir::Operation *op, mlir::OpFoldResult offset, int64_t length);
  std::optional<llvm::SmallVector<int64_t>> getOffsets(mlir::OpFoldResult offset);
  GroupOpInterface findGroupOfParts(mlir::tensor::ExtractSliceOp op, int64_t dim,
                                    llvm::ArrayRef<int64_t> offsets);
  GroupOpInterface findGroupOfParts(mlir::tensor::ExtractSliceOp op, int64_t dim);
  llvm::ArrayRef<int64_t> getNumbers(GroupOpInterface group);

  // Collectives (CollectivePlace.cpp).
  bool visitCollective(mlir::Operation *op);
  Place reduce(Place place, mlir::Operation *op, mlir::Value output, GroupOpInterface group);
  Place scatter(Place place, mlir::Operation *op, mlir::Value output, GroupOpInterface group);
  Place gather(Place place, mlir::Operation *op, mlir::Value output, GroupOpInterface group,
               mlir::Value input);
  void takeRoots(Place &place, mlir::Operation *op, GroupOpInterface group);
  bool isOfOneShard(mlir::StringAttr input, GroupOpInterface group, int64_t root);

  // Choices by rank (ChoicePlace.cpp).
  Place choose(mlir::Operation *op, mlir::Value condition, const Place &yes, const Place &no,
               mlir::Value result);
  void weigh(Place &place, mlir::Operation *op, mlir::Value factor);
  Place join(const Place &one, const Place &other, mlir::Value result) const;

  const UniformityAnalysis &uniformity;
  mlir::Operation *table; ///< in which groups are declared; may be null
  std::optional<int64_t> worldSize;
  RankNumbers numbers;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> numbersInGroups;
  llvm::DenseMap<mlir::Attribute, GroupOpInterface> groupsOfInputs;
  llvm::DenseMap<mlir::Operation *, bool> communicating; ///< functions and operations with regions
  llvm::DenseMap<mlir::Operation *, unsigned> callsOf;   ///< how often each function was looked at
  unsigned depth = 0;                                    ///< loops around what is looked at
  llvm::DenseMap<mlir::Value, Place *> places;           ///< in `kept`
  std::deque<Place> kept;
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_PLACE_PLACEANALYSIS_H
