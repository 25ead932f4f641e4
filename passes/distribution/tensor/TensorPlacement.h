// How the values of a step lie on neighbouring ranks, once some of its variables are cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPLACEMENT_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPLACEMENT_H

#include "lib/diagnostics/Refusal.h"
#include "lib/layout/SumCut.h"
#include "lib/program/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <set>

namespace tutti::distribution {

/// Along what a value is cut: a dimension, or each of `outer` equal ranges of it.
struct TensorCut {
  int64_t dimension, outer = 1;

  Layout getLayout() const { return Layout::shard(dimension, 0, outer); }
  /// Whether `parts` ranks have equal blocks of a value of `type` then.
  bool fits(mlir::RankedTensorType type, int64_t parts) const;
  bool operator==(const TensorCut &other) const {
    return dimension == other.dimension && outer == other.outer;
  }
  bool operator!=(const TensorCut &other) const { return !(*this == other); }
};

/// Arguments of a step by number, and along what each is cut.
using CutArguments = std::map<unsigned, TensorCut>;

/// The place from which `value`, if it shall be cut as `cut` says, can be cut: an argument and what
/// that is cut along, through operations of one tensor such as transposes. None if there is none.
std::optional<std::pair<mlir::BlockArgument, TensorCut>> findCutArgument(mlir::Value value,
                                                                         TensorCut cut);

/// Whether `op` computes its results of its operands alone, so that a rule may speak of it.
bool isComputed(mlir::Operation *op);

/// Whether `op` treats each of its operands by itself, of which there may be one for each variable.
bool isOperandByOperand(mlir::Operation *op);

/// Gives `op`, which was made just before `next`, its number in the block while all around it have
/// theirs: otherwise the first question of order numbers the whole block anew.
mlir::Operation *numbered(mlir::Operation *op, mlir::Operation *next);

/// A value that a loop carries: zeros at first, to which each iteration adds.
struct CarriedSum {
  mlir::BlockArgument argument; ///< in the loop
  unsigned index;               ///< among the values that the loop carries
  mlir::Value added;
};

/// If `op` adds to a value that its scf.for carries, and is the only one that takes or makes it.
std::optional<CarriedSum> findCarriedSum(mlir::Operation *op);

/// A forward analysis of the block of `step` and of the loops in it, whose variables `cut` are in
/// `parts` blocks. It visits what these reach, and nothing that takes whole values only. Variables
/// that are used in parts join `cut`. Products with a summand are written as product and addition
/// where they are cut along what they sum over, and sums of summands are added before what is
/// whole.
class TensorPlacement : public PlacedValues {
public:
  TensorPlacement(mlir::func::FuncOp step, int64_t parts, CutArguments cut)
      : step(step), parts(parts), cut(std::move(cut)) {}
  /// To ask what `cut` costs, and not to rewrite the step. It stops where a value in parts is
  /// needed whole, and after kMostOfTrial operations: a pair of products reaches fewer. Operations
  /// that take values of the whole program, each for itself, such as norms and reductions, are not
  /// placed as operations.
  static TensorPlacement ofTrial(mlir::func::FuncOp step, int64_t parts, CutArguments cut) {
    TensorPlacement placement(step, parts, std::move(cut));
    placement.isTrial = true;
    return placement;
  }

  /// Places all values, as often as variables join. Fails, with an error, where a part is used in a
  /// branch.
  llvm::LogicalResult place();

  Layout getLayout(mlir::Value value) const override { return layouts.lookup(value); }
  const Transfer *getTransfer(mlir::Operation *op) const override;
  /// By how much `value` is too large when it is made, as the mean over a part is: it is corrected
  /// at once, and lies as getLayout says from then on.
  Scale getExcess(mlir::Value value) const { return excess.lookup(value); }

  static constexpr size_t kMostOfTrial = 256;

  /// Why a trial stopped early, as the end of a sentence on a weight that then stays whole.
  const Refusal &whyStopped() const { return stopped; }

  /// Where it stopped: what needs a value in parts whole; null where it is for another reason.
  mlir::OpOperand *whereStopped() const { return stoppedAt; }

  /// Whether a loss takes scores of which each rank has those of some classes.
  bool cutsClasses() const;

  /// An argument that is cut of whose parts `value` is computed; null if there is none.
  mlir::BlockArgument findSource(mlir::Value value) const;

  const CutArguments &getCut() const { return cut; }
  int64_t getParts() const { return parts; }

  /// Values in parts that something takes whole: each with the first that does.
  struct Gather {
    mlir::Value value;
    mlir::Operation *user;
  };
  /// In the order of the program. What the step returns is taken, too: in parts where it is a
  /// variable that is cut, which `places` of a step like this one knows.
  llvm::SmallVector<Gather> findGathers(const program::VariablePlaces &places) const;
  /// The sums over neighbours that the step then takes.
  size_t countSums() const;
  /// Lets a loop carry whole values where `sums` (findCheapestSums) reduces what it adds up before
  /// the addition.
  void carrySums(const llvm::DenseSet<mlir::Value> &sums);
  /// Lets each of `sums` (findCheapestSums) that has a row for each token leave every rank the
  /// tokens that are its own: the sum is scattered, and what follows is computed of these until
  /// something needs all of them (sequence parallelism: Korthikanti et al. 2022). Places all values
  /// anew; false if there is no such sum. Fails as `place` does.
  mlir::FailureOr<bool> scatterTokens(const llvm::DenseSet<mlir::Value> &sums);
  /// Whether `value`, of which ranks compute summands, is scattered.
  bool isScattered(mlir::Value value) const { return scattered.contains(value); }
  /// What the step returns lies as what it takes.
  void placeEnd(const program::VariablePlaces &places);

private:
  /// Operations that take what is not whole, in the order of the program.
  struct IsEarlier {
    bool operator()(mlir::Operation *a, mlir::Operation *b) const;
  };
  using WorkList = std::set<mlir::Operation *, IsEarlier>;

  mlir::Block &getBlock() const { return mlir::func::FuncOp(step).getBody().front(); }
  mlir::Operation *getPlacedUser(mlir::OpOperand &use) const;
  void addUsers(mlir::Value value, WorkList &open);
  void limitTrial(mlir::Operation *op);
  Layout getWanted(mlir::OpOperand &use, const program::VariablePlaces &places) const;
  llvm::SmallVector<mlir::Operation *> getPlaced() const;
  Layout getReturned(unsigned index, const program::VariablePlaces &places) const;
  llvm::LogicalResult placeOnce();
  llvm::LogicalResult placeOp(mlir::Operation *&op);
  llvm::LogicalResult refuseNested(mlir::Operation *op);
  void carryLike(mlir::Value carried, mlir::Value value);
  void placeYield(mlir::Operation *yield);
  void carryWhole(mlir::Operation *sum, const CarriedSum &carried);
  Transfer findTransfer(mlir::Operation *op, llvm::ArrayRef<Layout> given);
  Transfer findRuleTransfer(mlir::Operation *op, llvm::ArrayRef<Layout> given) const;
  mlir::Value restoreTokens(mlir::Value rows);
  Transfer placeTokens(mlir::Operation *op, llvm::ArrayRef<Layout> given) const;
  bool takesParts(mlir::Operation *op) const;
  bool isGathered(mlir::Value value) const;
  void noteExcess(mlir::Operation *op, Transfer &found);
  void noteResults(mlir::Operation *op, const Transfer &transfer);
  Transfer placeOperands(mlir::Operation *op, llvm::ArrayRef<Layout> given) const;
  mlir::Operation *splitProduct(mlir::Operation *op);
  mlir::Operation *addSummandsFirst(mlir::Operation *op);
  void join(mlir::Operation *op, const Transfer &transfer);
  llvm::SmallVector<Layout> getLayouts(mlir::ValueRange values) const;

  mlir::func::FuncOp step;
  int64_t parts;
  CutArguments cut;
  bool isWider = false; ///< a variable joined
  bool isTrial = false;
  Refusal stopped;
  mlir::OpOperand *stoppedAt = nullptr;
  llvm::SmallVector<mlir::Value> exchanged; ///< in parts, in a trial
  llvm::DenseSet<mlir::Value> scatterable, scattered;
  llvm::DenseSet<mlir::Value> tokens;        ///< in blocks of tokens, not of features
  llvm::DenseMap<mlir::Value, Scale> excess; ///< where it is not 0
  llvm::DenseSet<unsigned> ofTokens;         ///< arguments that are cut as tokens are
  llvm::DenseMap<mlir::Value, Layout> layouts;
  llvm::DenseMap<mlir::Operation *, Transfer> transfers; ///< of what was visited
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPLACEMENT_H
