// Operations that take parts: what their results are, by their rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/PartsVerdict.h"

#include "dialects/interfaces/Draws.h"
#include "dialects/interfaces/Pointwise.h"
#include "dialects/train/Train.h"
#include "lib/diagnostics/QuietDiagnostics.h"
#include "lib/layout/ShardingRules.h"
#include "lib/layout/Transfer.h"
#include "lib/program/GlobalShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

#include <limits>
#include <map>

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

/// `op` on operands that are whole, with results of the types `results`; it stands in `holder`.
static Operation *copyWhole(Operation *op, ArrayRef<Type> operands, ArrayRef<Type> results,
                            Block &holder) {
  Operation *copy = op->clone();
  holder.push_back(copy);
  for (auto [operand, type] : llvm::zip_equal(copy->getOpOperands(), operands))
    operand.set(holder.addArgument(type, op->getLoc()));
  for (auto [result, type] : llvm::zip_equal(copy->getResults(), results))
    result.setType(type);
  if (llvm::all_of(results, llvm::IsaPred<RankedTensorType>))
    setShape(copy);
  return copy;
}

/// What `op` takes of `operand`. Equal elements are a block of as many more of them: they lie as
/// another operand of the same shape that is in parts, if there is one.
Known PartsVerdict::getTaken(Value operand, Operation *op) {
  auto shape = dyn_cast<RankedTensorType>(operand.getType());
  if (!shape || !isSplat(operand))
    return get(operand);
  for (Value other : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(other.getType());
    const Known &like = get(other);
    if (type && other != operand && like.layout.isShard() && type.getShape() == shape.getShape())
      return {like.layout.withScale(0), cast<ShapedType>(like.whole).clone(shape.getElementType())};
  }
  return get(operand);
}

SmallVector<Type> PartsVerdict::wholesTaken(Operation *op) {
  return llvm::map_to_vector(op->getOperands(),
                             [&](Value operand) { return getTaken(operand, op).whole; });
}

/// Whether operands of `op` lie as its rule takes them if the wholes of its results are of types
/// `results`, and results then are of the types they have, in blocks of `mostRanges` ranges at
/// most. Notes what they are.
bool PartsVerdict::fits(Operation *op, ArrayRef<Type> results, int64_t mostRanges) {
  auto given = llvm::map_to_vector(op->getOperands(),
                                   [&](Value operand) { return getTaken(operand, op).layout; });
  Block holder;
  Operation *copy = copyWhole(op, wholesTaken(op), results, holder);
  diagnostics::QuietDiagnostics quiet(op->getContext());
  if (failed(mlir::verify(copy)))
    return false;
  FailureOr<ShardingRule> rule = findShardingRule(copy);
  if (failed(rule))
    return false;
  Transfer found = transfer(op, *rule, given, parts);
  for (auto [operand, have, want] : llvm::zip_equal(op->getOperands(), given, found.operands))
    if (have != want && !(want.isPartial() && have.isReplicate() && isZero(operand)))
      return false;
  for (auto [result, whole, layout] : llvm::zip_equal(op->getResults(), results, found.results))
    if (layout.isOwn() || layout.outer > mostRanges ||
        !isBlockOf(result.getType(), whole, layout, parts))
      return false;
  for (auto [result, whole, layout] : llvm::zip_equal(op->getResults(), results, found.results))
    set(result, layout, whole);
  return true;
}

/// The sum of squares of a part is a summand of that of the whole. A finite check of a part is
/// combined by the minimum.
static std::optional<Layout> measure(Operation *op, ArrayRef<Layout> given) {
  bool areParts = llvm::all_of(given, [](auto &layout) { return layout.isShard(); });
  bool areKnown = llvm::all_of(given, [](auto &layout) {
    return (layout.isShard() && layout.scale == 0) || layout.isWhole();
  });
  if (isa<train::SumOfSquaresOp>(op) && areParts && areKnown)
    return Layout::partial(Reduction::Sum);
  if (isa<train::AllFiniteOp>(op) && areKnown)
    return Layout::partial(Reduction::Min);
  bool isLeast = given.size() == 1 && given[0].isPartial() && given[0].reduction == Reduction::Min;
  if (isa<arith::ExtUIOp, arith::TruncIOp>(op) && isLeast) // of truths
    return given[0];
  return std::nullopt;
}

/// The types of results that follow from whole operands; none if the operation cannot say.
static SmallVector<Type> inferWholes(Operation *op, ArrayRef<Type> operands) {
  Block holder;
  SmallVector<Type> results(op->getResultTypes());
  Operation *copy = copyWhole(op, operands, results, holder);
  LogicalResult isInferred = program::inferResultTypes(copy, operands, results);
  return succeeded(isInferred) ? results : SmallVector<Type>();
}

/// The types that wholes of the results of `op` may have: those that follow from its operands; else
/// results of one rank are parts along one dimension, or whole.
static std::vector<SmallVector<Type>> listWholes(Operation *op, ArrayRef<Type> operands,
                                                 int64_t parts) {
  std::vector<SmallVector<Type>> wholes;
  if (SmallVector<Type> inferred = inferWholes(op, operands); !inferred.empty())
    wholes.push_back(std::move(inferred));
  std::map<int64_t, int64_t> cuts; // by rank
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      cuts[tensor.getRank()] = -1;
  while (true) {
    SmallVector<Type> results;
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      int64_t dimension = tensor ? cuts[tensor.getRank()] : -1;
      if (dimension >= 0 && !tensor.isDynamicDim(dimension)) {
        SmallVector<int64_t> shape(tensor.getShape());
        shape[dimension] *= parts;
        type = tensor.clone(shape);
      }
      results.push_back(type);
    }
    if (!llvm::is_contained(wholes, results))
      wholes.push_back(results);
    auto next = cuts.begin(); // counts, a digit for each rank
    for (; next != cuts.end() && ++next->second == next->first; ++next)
      next->second = -1;
    if (next == cuts.end())
      return wholes;
  }
}

/// Whether `op`, of operands in up to so many ranges, makes parts of some whole. Passes over as
/// many of those that it may be of as `readings` says.
bool PartsVerdict::fitsSome(Operation *op, int64_t ranges) {
  std::vector<SmallVector<Type>> wholes = listWholes(op, wholesTaken(op), parts);
  unsigned passed = 0, toPass = readings.lookup(op);
  // One block of a longer dimension can be several of a shorter one: the same, read otherwise.
  for (int64_t most : {int64_t(1), ranges, std::numeric_limits<int64_t>::max()})
    for (size_t i = 0; i < wholes.size();) {
      if (!fits(op, wholes[i], most)) {
        ++i;
        continue;
      }
      if (passed++ == toPass)
        return true;
      wholes.erase(wholes.begin() + i);
    }
  return false;
}

/// The row that `op` takes, or makes of its operand.
std::optional<Known> PartsVerdict::findRow(Operation *op) {
  for (Value operand : op->getOperands())
    if (const Known &given = get(operand);
        given.isRow || (changesRow(op) && given.layout.isShard() && given.layout.scale == 0) ||
        (isa<tensor::ExtractSliceOp>(op) && canBeRow(operand)))
      return given;
  return std::nullopt;
}

/// Elements of rows are in one order if they are of blocks that lie alike: what is computed element
/// by element is a row of such a block again.
LogicalResult PartsVerdict::visitRow(Operation *op, const Known &row) {
  Value first = op->getOperand(0);
  if (changesRow(op)) {
    setLike(op->getResult(0), {row.layout, row.whole, !row.isRow});
    if (!row.isRow ||
        isBlockOf(op->getResult(0).getType(), typeOf(op->getResult(0)), row.layout, parts))
      return success();
    return refuse(op, first);
  }
  if (isa<tensor::ExtractSliceOp>(op) && canBeRow(first)) {
    setLike(op->getResult(0), {row.layout, row.whole, /*isRow=*/true});
    return success();
  }
  if (!isPointwise(op))
    return refuse(op, first);
  auto shape = cast<ShapedType>(row.whole).getShape();
  for (Value operand : op->getOperands()) {
    const Known &given = get(operand);
    bool isLike = given.isRow && given.layout == row.layout &&
                  cast<ShapedType>(given.whole).getShape() == shape;
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    bool isOne = !type || type.getRank() == 0 || isSplat(operand);
    if (!isLike && !(given.layout.isWhole() && !given.isRow && isOne))
      return refuse(op, operand);
  }
  for (Value result : op->getResults())
    setLike(result, row);
  return success();
}

LogicalResult PartsVerdict::visitByRule(Operation *op) {
  SmallVector<Layout> given =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return get(operand).layout; });
  if (std::optional<Layout> layout = measure(op, given)) {
    set(op->getResult(0), *layout, op->getResult(0).getType());
    return success();
  }
  if (std::optional<Known> row = findRow(op))
    return visitRow(op, *row);
  bool isOfOperands = isComputed(op) && !isa<PlacedDrawsOpInterface>(op);
  bool isAnyOwn = llvm::any_of(given, [](const Layout &layout) { return layout.isOwn(); });
  int64_t ranges = 1;
  for (const Layout &layout : given)
    ranges = std::max(ranges, layout.outer);
  if (isOfOperands && !isAnyOwn && fitsSome(op, ranges))
    return success();
  for (Value operand : op->getOperands())
    if (!get(operand).layout.isWhole())
      return refuse(op, operand);
  return success();
}
