// What each value of a function is across ranks: where it lies, and what it is a multiple of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_RANKS_RANKLAYOUTS_H
#define TUTTI_LIB_LAYOUT_RANKS_RANKLAYOUTS_H

#include "lib/analysis/Uniformity.h"
#include "lib/layout/ranks/Place.h"
#include "lib/layout/ranks/RankNumbers.h"
#include "lib/layout/ranks/RankScale.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::scf {
class ForOp;
} // namespace mlir::scf

namespace tutti {

namespace train {
class InputAttr;
}

/// A sparse forward interpretation of one function, in program order. Of each value it knows two
/// things, of which the second asks for the first.
///
/// *Where it lies.* `Replicate` is exactly what the uniformity analysis proves; what varies is a
/// `Shard` where its place is proved, from slices, scatters and roles of arguments on, `Own` where
/// each rank has its own, and `Unclear` where parts meet an operation of which nothing is known.
/// Faults are definite: what is `Unclear` has none.
/// - A slice of what all ranks have is a Shard where its offset is the rank times its length, for a
///   group whose ranks' parts make up the whole; offsets are computed for each rank where their
///   number is known, so it does not matter how they are spelled.
/// - reduce_scatter and scatter cut; all_gather undoes the last cut, along the same dimension and
///   over the same group. What it gathers else is a list.
/// - What works element by element combines parts of equal places, scalars, and values whose
///   elements are all alike.
///
/// *What it is a multiple of.* What this does not know the meaning of starts a value anew; and
/// where scale may hide in it, that value is not certain. So it errs on the side of silence.
/// Functions, and regions that are neither loops nor branches, are not looked into.
///
/// Linear in the operations, but for loops, whose bodies are looked at twice, and functions, which
/// are looked at four times at most. The object describes the function as it was; rebuild it after
/// a change.
class RankLayouts {
public:
  RankLayouts(mlir::FunctionOpInterface function, const UniformityAnalysis &uniformity);

  // Both stay where they are while the object lives.
  const Place &getPlace(mlir::Value value) const { return get(value).place; }
  const RankScale &getScale(mlir::Value value) const { return get(value).scale; }

  /// The number of ranks, if it is known.
  std::optional<int64_t> getWorldSize() const { return worldSize; }
  /// The number of ranks, or of groups of neighbours that share a model, which divide the batch; 0
  /// if it is not known.
  int64_t getBatchParts() const { return batchParts; }

private:
  /// What is known of a value; at first nothing.
  struct Known {
    Known() { scale.isCertain = false; }
    Place place;
    RankScale scale;
  };
  const Known &get(mlir::Value value) const;
  Known &at(mlir::Value value);
  // They take copies: what they are given may be what they change.
  void setPlace(mlir::Value value, Place place);
  void setScale(mlir::Value value, RankScale scale) { at(value).scale = std::move(scale); }
  void set(mlir::Value value, const Known &known);

  // The walk.
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  bool visitControl(mlir::Operation *op);
  bool visitRegions(mlir::Operation *op);
  bool visitCall(mlir::CallOpInterface call);
  bool visitLoop(mlir::scf::ForOp loop);
  bool mayCommunicate(mlir::Operation *op);

  // Where values lie.
  Place getArgument(mlir::FunctionOpInterface function, unsigned index);
  Place getInput(mlir::FunctionOpInterface function, unsigned index, train::InputAttr input);
  /// Replicate where all ranks have `value` alike, else `kind`.
  Place begin(mlir::Value value, Place::Kind kind) const;
  void placeResults(mlir::Operation *op);
  bool placeConstant(mlir::Operation *op);
  bool placeElementwise(mlir::Operation *op);
  bool placePassing(mlir::Operation *op); // ShapePlace.cpp
  void placeUnknown(mlir::Operation *op);

  // Slices (SlicePlace.cpp).
  bool placeSlice(mlir::Operation *op);
  Place slice(mlir::tensor::ExtractSliceOp op);
  bool cut(Place &place, mlir::tensor::ExtractSliceOp op, int64_t dim);
  void takeFromList(Place &place, mlir::Operation *op, mlir::OpFoldResult offset, int64_t length);
  std::optional<llvm::SmallVector<int64_t>> getOffsets(mlir::OpFoldResult offset);
  GroupOpInterface findGroupOfParts(mlir::tensor::ExtractSliceOp op, int64_t dim,
                                    llvm::ArrayRef<int64_t> offsets);
  GroupOpInterface findGroupOfParts(mlir::tensor::ExtractSliceOp op, int64_t dim);
  llvm::ArrayRef<int64_t> getNumbers(GroupOpInterface group);

  /// A collective over a group that is declared, whose outputs are made of its inputs one by one.
  struct Collective {
    BucketOpInterface bucket;
    GroupOpInterface group;
    CommunicationForm form;
  };
  static std::optional<Collective> findCollective(mlir::Operation *op);

  // Collectives (CollectivePlace.cpp).
  bool placeCollective(mlir::Operation *op);
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

  // What values are a multiple of (ScaleRules.cpp, ScaleOrigins.cpp). The places of operands and
  // results are known already.
  void scaleResults(mlir::Operation *op);
  bool scaleNumber(mlir::Operation *op);
  bool scaleProduct(mlir::Operation *op);
  bool scaleSum(mlir::Operation *op);
  bool scaleMeasure(mlir::Operation *op);
  bool scaleUpdate(mlir::Operation *op);
  bool scaleRows(mlir::Operation *op);
  bool scalePassing(mlir::Operation *op);
  void scaleUnknown(mlir::Operation *op);
  RankScale sumRows(mlir::Operation *op, mlir::Value rows);
  bool dividesByOwnCount(mlir::Operation *op) const;
  RankScale getFresh(mlir::Value value) const;
  RankScale multiply(mlir::Operation *op, mlir::Value left, mlir::Value right, bool divides);
  RankScale multiplyByNumber(mlir::Operation *op, RankScale value, bool isOfPart,
                             const RankScale &number, bool divides);
  RankScale multiplyByValue(mlir::Operation *op, RankScale value, mlir::Value by, bool divides);
  RankScale add(mlir::Operation *op, llvm::ArrayRef<RankScale> summands);
  RankScale choose(llvm::ArrayRef<RankScale> values);
  RankScale repeat(mlir::scf::ForOp loop, unsigned result, RankScale first);
  const ScaleEvent *addEvent(ScaleEvent::Kind kind, mlir::Operation *op, const ScaleEvent *before);
  /// Whether each rank has its part of a value, wherever that lies.
  bool isPart(mlir::Value value) const;

  // Collectives (CollectiveScale.cpp).
  bool scaleCollective(mlir::Operation *op);
  RankScale reduce(mlir::Operation *op, mlir::Value input, Reduction kind, GroupOpInterface group);
  RankScale gather(mlir::Value input, GroupOpInterface group);
  RankScale broadcast(mlir::Operation *op, mlir::Value input);

  const UniformityAnalysis &uniformity;
  mlir::Operation *table; ///< in which groups are declared; may be null
  std::optional<int64_t> worldSize;
  int64_t batchParts = 0;
  RankNumbers numbers;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> numbersInGroups;
  llvm::DenseMap<mlir::Attribute, GroupOpInterface> groupsOfInputs;
  llvm::DenseMap<mlir::Operation *, bool> communicating; ///< functions and operations with regions
  llvm::DenseMap<mlir::Operation *, unsigned> callsOf;   ///< how often each function was looked at
  unsigned depth = 0;                                    ///< loops around what is looked at
  llvm::DenseMap<mlir::Value, Known *> known;            ///< in `kept`
  std::deque<Known> kept;
  std::deque<ScaleEvent> events;
};

/// Whether `value` is a scalar by its type.
bool isScalar(mlir::Value value);

/// Calls `visit` with the values that `op` takes, itself or in its regions, from outside.
void forEachTaken(mlir::Operation *op, llvm::function_ref<void(mlir::Value)> visit);

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_RANKS_RANKLAYOUTS_H
