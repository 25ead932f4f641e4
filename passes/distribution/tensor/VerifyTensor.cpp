// Follows the layouts of a local program among neighbours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/VerifyTensor.h"

#include "dialects/interfaces/Draws.h"
#include "dialects/train/ProgramClaims.h"
#include "lib/layout/ShardingRules.h"
#include "lib/layout/Transfer.h"
#include "passes/distribution/tensor/TensorGroups.h"
#include "passes/distribution/tensor/TensorProgram.h"
#include "passes/distribution/tensor/Vocabulary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <limits>
#include <map>

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
/// What one value is: how it lies on neighbours, and the type of the whole.
struct Known {
  Layout layout;
  Type whole;
};

class PartsVerdict {
public:
  explicit PartsVerdict(Program program) : program(program), parts(partsOf(program.module)) {}

  LogicalResult verify();

private:
  const Known &get(Value value) { return known[value]; }
  void set(Value value, Layout layout, Type whole) { known[value] = {layout, whole}; }
  Type typeOf(Value value) { return known[value].whole; }

  LogicalResult visit(Operation *op);
  LogicalResult visitLoop(scf::ForOp loop);
  LogicalResult visitStart(CommunicationStartOpInterface start);
  LogicalResult visitDone(CommunicationDoneOpInterface done);
  LogicalResult visitNested(Operation *op);
  LogicalResult visitNeighbours(Operation *op, const CommunicationForm &form);
  LogicalResult visitData(Operation *op, const CommunicationForm &form);
  bool isOwnBlock(Value index, Value count);
  LogicalResult visitPiece(train::PieceOp piece);
  void findBlockIndices();
  LogicalResult checkIndices(Operation *op, const BlockIndices &own);
  LogicalResult visitLookup(train::GatherRowsOp gather, const BlockIndices &own);
  LogicalResult visitScatter(train::ScatterRowsOp scatter, const BlockIndices &own);
  LogicalResult visitByRule(Operation *op);
  const Known &getLike(Value splat, Operation *op);
  bool fits(Operation *op, ArrayRef<Type> results, int64_t mostRanges);
  bool fitsSome(Operation *op, int64_t mostRanges);
  LogicalResult verifyEnd();
  InFlightDiagnostic refuse(Operation *op, Value value);

  Program program;
  int64_t parts;
  llvm::DenseMap<Value, Known> known;
  llvm::DenseMap<Value, BlockIndices> blockIndices;
  llvm::DenseSet<Operation *> ofIndices; ///< what these are computed by
};
} // namespace

InFlightDiagnostic PartsVerdict::refuse(Operation *op, Value value) {
  InFlightDiagnostic error = mlir::emitError(op->getLoc()) << "'" << op->getName() << "' takes ";
  const Layout &layout = get(value).layout;
  if (layout.isPartial())
    error << "a value of which each of " << parts << " neighbouring ranks has a summand only";
  else if (layout.isShard())
    error << "a value of which each of " << parts
          << " neighbouring ranks has a part, along dimension " << layout.dimension;
  else if (layout.isOwn())
    error << "a value that is each neighbouring rank's own";
  else
    error << "a value that all " << parts << " neighbouring ranks have whole";
  if (Operation *source = value.getDefiningOp())
    error.attachNote(source->getLoc()) << "made by '" << source->getName() << "'";
  return error;
}

LogicalResult PartsVerdict::verify() {
  for (BlockArgument argument : program.step.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    train::VariableAttr role = findHeldVariable(argument);
    if (!role || role.isReplicated() || !type) {
      set(argument, Layout::replicate(), argument.getType());
      continue;
    }
    int64_t dimension = train::findCutDimension(type.getShape(), role.getWhole(), parts);
    TensorCut along{dimension, train::getTensorRanges(program.module, role.getName())};
    if (dimension < 0 || !along.fits(type.clone(role.getWhole()), parts))
      return mlir::emitError(argument.getLoc())
             << "variable \"" << role.getName()
             << "\" is in parts that neighbouring ranks do not hold";
    set(argument, along.getLayout(), type.clone(role.getWhole()));
  }
  findBlockIndices();
  for (Operation &op : program.step.getBody().front().without_terminator())
    if (failed(visit(&op)))
      return failure();
  return verifyEnd();
}

LogicalResult PartsVerdict::verifyEnd() {
  Operation *end = program.step.getBody().front().getTerminator();
  VariablePlaces places(program.step);
  for (OpOperand &returned : end->getOpOperands()) {
    train::VariableAttr role = getVariable(program.step, returned.getOperandNumber());
    Layout wanted = role ? get(places.getArgument(role)).layout : Layout::replicate();
    if (get(returned.get()).layout == wanted)
      continue;
    InFlightDiagnostic error = refuse(end, returned.get());
    error.attachNote(program.step.getLoc())
        << (role ? "variable \"" + role.getName().str() + "\""
                 : std::string("a metric or an output"))
        << " leaves the step so, but is "
        << (wanted.isShard() ? "kept in parts" : "the same on all of them");
    return error;
  }
  return success();
}

LogicalResult PartsVerdict::visit(Operation *op) {
  if (std::optional<CommunicationForm> form = getForm(op)) {
    GroupOpInterface group = findGroup(op, form->group);
    if (isOfNeighbours(group, parts))
      return visitNeighbours(op, *form);
    if (isOfData(group, parts))
      return visitData(op, *form);
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' is among other ranks than those of an axis of the mesh";
  }
  if (auto query = dyn_cast<RankQueryOpInterface>(op)) {
    bool isOwn = query.getQuestion().kind != RankQuestion::Size &&
                 isOfNeighbours(findGroup(op, query.getQuestion().group), parts);
    set(op->getResult(0), isOwn ? Layout::own() : Layout::replicate(), op->getResult(0).getType());
    return success();
  }
  if (ofIndices.contains(op)) {
    set(op->getResult(0), Layout::own(), op->getResult(0).getType());
    return success();
  }
  if (auto gather = dyn_cast<train::GatherRowsOp>(op))
    if (auto own = blockIndices.find(gather.getIndices()); own != blockIndices.end())
      return visitLookup(gather, own->second);
  if (auto scatter = dyn_cast<train::ScatterRowsOp>(op))
    if (auto own = blockIndices.find(scatter.getIndices()); own != blockIndices.end())
      return visitScatter(scatter, own->second);
  if (auto piece = dyn_cast<train::PieceOp>(op))
    return visitPiece(piece);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  if (auto start = dyn_cast<CommunicationStartOpInterface>(op); start && op->getNumRegions() == 1)
    return visitStart(start);
  if (auto done = dyn_cast<CommunicationDoneOpInterface>(op))
    return visitDone(done);
  return visitNested(op);
}

/// What is started is what it would be if it ran here.
LogicalResult PartsVerdict::visitStart(CommunicationStartOpInterface start) {
  for (Operation &op : start->getRegion(0).front().without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult PartsVerdict::visitDone(CommunicationDoneOpInterface done) {
  for (OpResult result : done->getResults()) {
    Value promised = findPromised(done, result.getResultNumber());
    if (!promised)
      return mlir::emitError(done->getLoc())
             << "'" << done->getName() << "' awaits what is started elsewhere, of which it is not "
             << "known how it lies on neighbouring ranks";
    set(result, get(promised).layout, typeOf(promised));
  }
  return success();
}

/// What a loop carries is whole, or zeros to which each iteration adds parts or summands.
LogicalResult PartsVerdict::visitLoop(scf::ForOp loop) {
  for (Value operand : loop->getOperands())
    if (!get(operand).layout.isWhole())
      return refuse(loop, operand);
  for (BlockArgument argument : loop.getBody()->getArguments())
    set(argument, Layout::replicate(), argument.getType());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (std::optional<CarriedSum> sum = findCarriedSum(&op))
      set(sum->argument, get(sum->added).layout, typeOf(sum->added));
    if (failed(visit(&op)))
      return failure();
  }
  Operation *end = loop.getBody()->getTerminator();
  for (auto [yielded, argument, result] :
       llvm::zip_equal(end->getOperands(), loop.getRegionIterArgs(), loop.getResults())) {
    if (get(yielded).layout != get(argument).layout)
      return refuse(end, yielded);
    set(result, get(yielded).layout, typeOf(yielded));
  }
  return success();
}

LogicalResult PartsVerdict::visitNested(Operation *op) {
  WalkResult nested = op->walk([&](Operation *inner) {
    std::optional<CommunicationForm> form = getForm(inner);
    bool isOther = form && !isOfData(findGroup(inner, form->group), parts);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (nested.wasInterrupted())
    return mlir::emitError(op->getLoc())
           << "'" << op->getName()
           << "' holds communication with neighbouring ranks, which is known "
           << "to be right only in @step itself and in its loops";
  bool isWhole =
      llvm::all_of(op->getOperands(), [&](Value operand) { return get(operand).layout.isWhole(); });
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (inner != op && known.contains(operand))
        isWhole &= get(operand).layout.isWhole();
  });
  if (!isWhole)
    return visitByRule(op);
  for (Value result : op->getResults())
    set(result, Layout::replicate(), result.getType());
  return success();
}

/// A sum is taken of summands, and of nothing else: what all have whole would count several times.
LogicalResult PartsVerdict::visitNeighbours(Operation *op, const CommunicationForm &form) {
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
    Layout layout = get(operand).layout;
    Type whole = typeOf(operand);
    bool isSum = form.reduction == Reduction::Sum;
    bool isSameExtreme = layout.isPartial() && form.reduction == layout.reduction && !isSum;
    switch (form.kind) {
    case CommunicationKind::AllReduce:
      if (!(isSum && layout.isSum()) && !isSameExtreme) {
        InFlightDiagnostic error = refuse(op, operand);
        error.attachNote(op->getLoc())
            << "the " << spellReduction(*form.reduction)
            << " over neighbours is another value than that of one device";
        return error;
      }
      set(result, Layout::replicate(layout.scale), whole);
      continue;
    case CommunicationKind::ReduceScatter:
      if (!isSum || !layout.isSum())
        return refuse(op, operand);
      set(result, Layout::shard(form.axis, layout.scale), whole);
      continue;
    case CommunicationKind::AllGather:
      if (!layout.isShard() || layout.dimension != form.axis || layout.outer != 1)
        return refuse(op, operand);
      set(result, Layout::replicate(layout.scale), whole);
      continue;
    default:
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' among neighbouring ranks is not known to be right";
    }
  }
  return success();
}

/// Ranks that hold the same parts exchange them part by part.
LogicalResult PartsVerdict::visitData(Operation *op, const CommunicationForm &form) {
  bool isSum = form.reduction == Reduction::Sum || form.reduction == Reduction::Mean;
  bool passes = form.kind == CommunicationKind::AllReduce;
  for (Value operand : op->getOperands()) {
    const Layout &layout = get(operand).layout;
    if (layout.isReplicate() || (passes && (layout.isShard() || (layout.isSum() && isSum))))
      continue;
    return refuse(op, operand);
  }
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    bool isLike = passes && index < op->getNumOperands();
    set(result, isLike ? get(op->getOperand(index)).layout : Layout::replicate(),
        isLike ? typeOf(op->getOperand(index)) : result.getType());
  }
  return success();
}

/// Whether `index` of `count` is the number of the rank among its neighbours.
bool PartsVerdict::isOwnBlock(Value index, Value count) {
  APInt number;
  auto query = index.getDefiningOp<RankQueryOpInterface>();
  return get(index).layout.isOwn() && query && query.getQuestion().kind == RankQuestion::Rank &&
         matchPattern(count, m_ConstantInt(&number)) && number == uint64_t(parts);
}

/// Finds the indices of rows of the rank's own block, which only lookups in it and additions to it
/// may take.
void PartsVerdict::findBlockIndices() {
  program.step.walk([&](Operation *op) {
    if (!isa<train::GatherRowsOp, train::ScatterRowsOp>(op))
      return;
    Value places = op->getOperand(isa<train::GatherRowsOp>(op) ? 1 : 0);
    std::optional<BlockIndices> own = matchBlockIndices(places);
    if (!own)
      return;
    ofIndices.insert(own->own.begin(), own->own.end());
    blockIndices.try_emplace(places, *own);
  });
}

/// They are of the same rows on all ranks, and the block is that of the rank.
LogicalResult PartsVerdict::checkIndices(Operation *op, const BlockIndices &own) {
  if (!get(own.indices).layout.isWhole())
    return refuse(op, own.indices);
  if (!isOwnBlock(own.rank, own.count))
    return refuse(op, own.rank);
  return success();
}

/// Rows that are in another block are zeros: what ranks find are summands.
LogicalResult PartsVerdict::visitLookup(train::GatherRowsOp gather, const BlockIndices &own) {
  if (failed(checkIndices(gather, own)))
    return failure();
  const Known &table = get(gather.getTable());
  bool isBlock = table.layout == Layout::shard(0, table.layout.scale) &&
                 gather.getTable().getType().getDimSize(0) == own.rows;
  if (!isBlock)
    return refuse(gather, gather.getTable());
  set(gather.getRows(), Layout::partial(Reduction::Sum, table.layout.scale),
      gather.getRows().getType());
  return success();
}

/// A block has those rows of all that are its own.
LogicalResult PartsVerdict::visitScatter(train::ScatterRowsOp scatter, const BlockIndices &own) {
  if (failed(checkIndices(scatter, own)))
    return failure();
  const Layout &rows = get(scatter.getRows()).layout;
  auto type = cast<RankedTensorType>(scatter.getTable().getType());
  if (!rows.isReplicate() || type.getDimSize(0) != own.rows)
    return refuse(scatter, scatter.getRows());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] *= parts;
  set(scatter.getTable(), Layout::shard(0, rows.scale), type.clone(shape));
  return success();
}

/// The piece at the number of the rank is its block.
LogicalResult PartsVerdict::visitPiece(train::PieceOp piece) {
  const Known &whole = get(piece.getWhole());
  Layout index = get(piece.getIndex()).layout;
  bool isBlock = isOwnBlock(piece.getIndex(), piece.getCount());
  if (index.isReplicate() && whole.layout.isWhole()) {
    set(piece.getResult(), Layout::replicate(), piece.getType());
    return success();
  }
  if (!isBlock || !whole.layout.isReplicate())
    return refuse(piece, piece.getWhole());
  set(piece.getResult(), Layout::shard(piece.getAxis(), whole.layout.scale), whole.whole);
  return success();
}

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

/// Equal elements are a block of as many more of them: they lie as another operand of `op` of the
/// same shape that is in parts, if there is one.
const Known &PartsVerdict::getLike(Value splat, Operation *op) {
  auto shape = dyn_cast<RankedTensorType>(splat.getType());
  for (Value other : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(other.getType());
    if (shape && type && get(other).layout.isShard() && type.getShape() == shape.getShape())
      return get(other);
  }
  return get(splat);
}

/// Whether operands of `op` lie as its rule takes them if the wholes of its results are of types
/// `results`, and results then are of the types they have, in blocks of `mostRanges` ranges at
/// most. Notes what they are.
bool PartsVerdict::fits(Operation *op, ArrayRef<Type> results, int64_t mostRanges) {
  SmallVector<Type> wholes;
  SmallVector<Layout> given;
  for (Value operand : op->getOperands()) {
    const Known &taken = isSplat(operand) ? getLike(operand, op) : get(operand);
    bool isLike = &taken != &get(operand);
    wholes.push_back(isLike ? cast<ShapedType>(taken.whole).clone(getElementTypeOrSelf(operand))
                            : taken.whole);
    given.push_back(isLike ? taken.layout.withScale(0) : taken.layout);
  }
  Block holder;
  Operation *copy = copyWhole(op, wholes, results, holder);
  ScopedDiagnosticHandler quiet(op->getContext(), [](Diagnostic &) { return success(); });
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
  if (isa<arith::ExtUIOp>(op) && isLeast)
    return given[0];
  return std::nullopt;
}

/// Tries the types that wholes of the results may have: results of one rank are parts along one
/// dimension, or whole.
bool PartsVerdict::fitsSome(Operation *op, int64_t mostRanges) {
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
    if (fits(op, results, mostRanges))
      return true;
    auto next = cuts.begin(); // counts, a digit for each rank
    for (; next != cuts.end() && ++next->second == next->first; ++next)
      next->second = -1;
    if (next == cuts.end())
      return false;
  }
}

LogicalResult PartsVerdict::visitByRule(Operation *op) {
  SmallVector<Layout> given =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return get(operand).layout; });
  if (std::optional<Layout> layout = measure(op, given)) {
    set(op->getResult(0), *layout, op->getResult(0).getType());
    return success();
  }
  bool isOfOperands = isComputed(op) && !isa<PlacedDrawsOpInterface>(op);
  bool isAnyOwn = llvm::any_of(given, [](const Layout &layout) { return layout.isOwn(); });
  int64_t ranges = 1;
  for (const Layout &layout : given)
    ranges = std::max(ranges, layout.outer);
  // One block of a longer dimension can be several of a shorter one: the same, read otherwise.
  bool mayFit = isOfOperands && !isAnyOwn;
  for (int64_t most : {int64_t(1), ranges, std::numeric_limits<int64_t>::max()})
    if (mayFit && fitsSome(op, most))
      return success();
  for (Value operand : op->getOperands())
    if (!get(operand).layout.isWhole())
      return refuse(op, operand);
  return success();
}

LogicalResult tutti::distribution::verifyParts(Program program) {
  return PartsVerdict(program).verify();
}
