// Masked lookups, and cross entropy by three reductions of one number a sample (Shoeybi et al.
// 2019).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/Vocabulary.h"

#include "lib/program/Exchange.h"
#include "passes/distribution/tensor/TensorProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

static RankedTensorType tensorTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// What is possible
//===----------------------------------------------------------------------===//

static bool isBlocks(const Layout &layout, int64_t dimension) {
  return layout.isShard() && layout.dimension == dimension && layout.outer == 1 &&
         layout.scale == 0;
}

/// Whether `value` has a size along `dimension` that `parts` ranks divide.
static bool isDivided(Value value, int64_t dimension, int64_t parts) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && TensorCut{dimension}.fits(type, parts);
}

static bool areWhole(ArrayRef<Layout> layouts) {
  return llvm::all_of(layouts, [](const Layout &layout) { return layout.isWhole(); });
}

/// At most one size of `type` is unknown, so that it may be written in another shape.
static bool isReshapable(Type type) {
  return llvm::count_if(cast<RankedTensorType>(type).getShape(), ShapedType::isDynamic) <= 1;
}

static bool isLookup(onnx::GatherOp op) {
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  auto indices = dyn_cast<RankedTensorType>(op.getIndices().getType());
  return data && indices && op.getGatheredAxis() == 0 && isa<FloatType>(data.getElementType()) &&
         isReshapable(indices) && isReshapable(op.getOutput().getType());
}

std::optional<Transfer>
tutti::distribution::findVocabularyTransfer(Operation *op, ArrayRef<Layout> given, int64_t parts) {
  Transfer found{SmallVector<Layout>(given), SmallVector<Layout>(op->getNumResults())};
  if (auto gather = dyn_cast<onnx::GatherOp>(op)) {
    if (!isLookup(gather) || !isBlocks(given[0], 0) || !given[1].isWhole() ||
        !isDivided(gather.getData(), 0, parts))
      return std::nullopt;
    found.results[0] = Layout::partial(Reduction::Sum);
    return found;
  }
  if (auto loss = dyn_cast<onnx::SoftmaxCrossEntropyLossOp>(op)) {
    if (!isBlocks(given[0], 1) || !areWhole(given.drop_front()) ||
        !isDivided(loss.getScores(), 1, parts) || !isReshapable(loss.getScores().getType()))
      return std::nullopt;
    found.results[1] = Layout::shard(1);
    return found;
  }
  if (auto gradient = dyn_cast<onnx::SoftmaxCrossEntropyLossGradOp>(op)) {
    if (!given[0].isWhole() || !isBlocks(given[1], 1) || !areWhole(given.drop_front(2)) ||
        !isDivided(gradient.getLogProb(), 1, parts) ||
        !isReshapable(gradient.getLogProb().getType()))
      return std::nullopt;
    found.results[0] = Layout::shard(1);
    return found;
  }
  return std::nullopt;
}

bool tutti::distribution::isOfVocabulary(Operation *op, const Transfer &transfer) {
  auto isOfClasses = [&](unsigned operand) {
    const Layout &layout = transfer.operands[operand];
    return layout.isShard() && layout.dimension == 1;
  };
  if (isa<onnx::GatherOp>(op))
    return transfer.operands[0].isShard() && transfer.results[0].isPartial();
  return (isa<onnx::SoftmaxCrossEntropyLossOp>(op) && isOfClasses(0)) ||
         (isa<onnx::SoftmaxCrossEntropyLossGradOp>(op) && isOfClasses(1));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {
/// Creates operations of the standard at one place.
class Writer {
public:
  Writer(OpBuilder &builder, Operation *at, int64_t parts, FlatSymbolRefAttr neighbours)
      : builder(builder), at(at), loc(at->getLoc()), parts(parts), neighbours(neighbours) {}

  template <typename Op>
  Value create(ValueRange operands, Type type, ArrayRef<NamedAttribute> attributes = {}) {
    OperationState state(loc, Op::getOperationName());
    state.addOperands(operands);
    state.addTypes(type);
    state.addAttributes(attributes);
    return builder.create(state)->getResult(0);
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (tensorTypeOf(value).getShape() == shape)
      return value;
    SmallVector<int64_t> entries(shape);
    llvm::replace(entries, ShapedType::kDynamic, int64_t(-1));
    return create<onnx::ReshapeOp>(
        value, tensorTypeOf(value).clone(shape),
        builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr(entries)));
  }

  Value number(Type element, double value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, element),
                               cast<Attribute>(builder.getFloatAttr(element, value))));
  }

  Value reduceAll(Reduction reduction, Value value) {
    return program::createAllReduce(builder, loc, at, reduction, value, neighbours).front();
  }

  Value integers(RankedTensorType type, ArrayRef<int64_t> numbers) {
    SmallVector<APInt> all;
    for (int64_t number : numbers)
      all.push_back(APInt(type.getElementTypeBitWidth(), number, /*isSigned=*/true));
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, all));
  }
  Value integer(Value like, int64_t number) {
    return integers(RankedTensorType::get({}, tensorTypeOf(like).getElementType()), number);
  }

  /// The numbers from 0 on, looked up: `indices`, as they count from 0. One that none of `count`
  /// numbers has ends the run.
  Value lookUpNumber(Value indices, int64_t count) {
    Type element = tensorTypeOf(indices).getElementType();
    Value numbers = integers(RankedTensorType::get(count, element),
                             llvm::to_vector(llvm::seq<int64_t>(0, count)));
    return create<onnx::GatherOp>({numbers, indices}, indices.getType());
  }

  /// BlockIndices of a table of `rows` rows on each rank.
  Value blockIndices(Value indices, int64_t rows) {
    Value flat = reshape(indices, numberOf(indices));
    RankedTensorType type = tensorTypeOf(flat), is = type.clone(builder.getI1Type());
    SmallVector<int64_t> starts;
    for (int64_t part = 0; part < parts; ++part)
      starts.push_back(part * rows);
    Value all = integers(RankedTensorType::get(parts, type.getElementType()), starts);
    Value start = takeBlock(builder, all, {0}, parts, neighbours);
    Value zero = integer(flat, 0), size = integer(flat, rows), end = integer(flat, rows * parts);
    auto isWithin = [&](Value value, Value limit) {
      Value isLarge = create<onnx::GreaterOrEqualOp>({value, zero}, is);
      return create<onnx::AndOp>({isLarge, create<onnx::LessOp>({value, limit}, is)}, is);
    };
    Value fromEnd = create<onnx::AddOp>({flat, end}, type);
    Value row =
        create<onnx::WhereOp>({create<onnx::LessOp>({flat, zero}, is), fromEnd, flat}, type);
    Value place = create<onnx::SubOp>({row, start}, type);
    Value own = create<onnx::WhereOp>({isWithin(place, size), place, size}, type);
    return create<onnx::WhereOp>({isWithin(row, end), own, flat}, type);
  }

  static int64_t numberOf(Value value) {
    RankedTensorType type = tensorTypeOf(value);
    return type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  }

  OpBuilder &builder;
  Operation *at;
  Location loc;
  int64_t parts;
  FlatSymbolRefAttr neighbours;
};

/// What a loss over classes and its gradient have in common. Scores are [batch, classes, d...] in
/// parts, a *column* has 1 class.
class CrossEntropy {
public:
  CrossEntropy(Writer &writer, Value scores, Value labels, Value weights,
               std::optional<int64_t> ignored)
      : w(writer), type(tensorTypeOf(scores)), labels(labels), weights(weights), ignored(ignored),
        column(tensorTypeOf(scores).clone(shapeWith(1))) {}

  /// All classes, as numbers of the type of the labels, along the dimension of classes.
  Value classes() {
    if (all)
      return all;
    SmallVector<int64_t> shape(type.getRank(), 1);
    shape[1] = countAll();
    Type element = tensorTypeOf(labels).getElementType();
    return all = w.integers(RankedTensorType::get(shape, element),
                            llvm::to_vector(llvm::seq<int64_t>(0, countAll())));
  }
  int64_t countAll() const { return type.getDimSize(1) * w.parts; }

  /// The labels. One that is none of `count` classes is looked up where there is none, and ends the
  /// run.
  Value checkLabels(int64_t count) {
    RankedTensorType type = tensorTypeOf(labels), is = CrossEntropy::truth(type);
    Value isNone = w.create<onnx::LessOp>({labels, w.integer(labels, 0)}, is);
    Value places = w.create<onnx::WhereOp>({isNone, w.integer(labels, count), labels}, type);
    if (!ignored)
      return checked = w.lookUpNumber(places, count);
    Value isIgnored = w.create<onnx::EqualOp>({labels, w.integer(labels, *ignored)}, is);
    places = w.create<onnx::WhereOp>({isIgnored, w.integer(labels, 0), places}, type);
    checked = w.lookUpNumber(places, count);
    return w.create<onnx::WhereOp>({isIgnored, labels, checked}, type);
  }

  Value labelColumn() { return asColumn(labels); }
  Value asColumn(Value value) {
    SmallVector<int64_t> shape(tensorTypeOf(value).getShape());
    shape.insert(shape.begin() + 1, 1);
    return w.create<onnx::UnsqueezeOp>(
        value, tensorTypeOf(value).clone(shape),
        w.builder.getNamedAttr("axes", w.builder.getDenseI64ArrayAttr({1})));
  }

  /// Whether each of the rank's classes is the label, which counts.
  Value isLabel() {
    Value own = takeBlock(w.builder, classes(), {1}, w.parts, w.neighbours);
    Value column = asColumn(checked ? checked : labels);
    Value picked = w.create<onnx::EqualOp>({own, column}, truth(type));
    return ignored ? w.create<onnx::AndOp>({picked, counts()}, truth(type)) : picked;
  }

  /// Whether the label of each sample counts.
  Value counts() {
    Value isIgnored =
        w.create<onnx::EqualOp>({labelColumn(), w.integer(labels, *ignored)}, truth(column));
    return w.create<onnx::NotOp>(isIgnored, truth(column));
  }

  /// Whether labels count differently, so that a mean divides by what all of them weigh.
  bool areUnequal() const { return weights || ignored; }

  /// The weight of each label, of the weights of all classes, which each rank has: 0 where it does
  /// not count. Labels are checked before.
  Value labelWeights() {
    if (!weights)
      return w.create<onnx::CastOp>(counts(), column, toElement());
    Value found = asColumn(w.create<onnx::GatherOp>(
        {weights, checked}, tensorTypeOf(labels).clone(type.getElementType())));
    return ignored ? w.create<onnx::WhereOp>({counts(), found, zero()}, column) : found;
  }

  /// `total` divided by the sum of the weights of all labels.
  Value divideByWeights(Value total) {
    Value sum = w.create<onnx::ReduceSumOp>(labelWeights(), scalar(), drop());
    return w.create<onnx::DivOp>({total, sum}, scalar());
  }

  RankedTensorType scalar() const { return RankedTensorType::get({}, type.getElementType()); }
  NamedAttribute drop() const {
    return w.builder.getNamedAttr("keepdims", w.builder.getI64IntegerAttr(0));
  }
  NamedAttribute toElement() const {
    return w.builder.getNamedAttr("to", TypeAttr::get(type.getElementType()));
  }
  /// Reduced over the classes of the rank.
  template <typename Op> Value reduceClasses(Value value) {
    return w.create<Op>(value, column,
                        w.builder.getNamedAttr("axes", w.builder.getDenseI64ArrayAttr({1})));
  }
  Value zero() { return w.number(type.getElementType(), 0); }

  static RankedTensorType truth(RankedTensorType of) {
    return of.clone(IntegerType::get(of.getContext(), 1));
  }

  Writer &w;
  RankedTensorType type;
  Value labels, weights, checked, all;
  std::optional<int64_t> ignored;
  RankedTensorType column;

private:
  SmallVector<int64_t> shapeWith(int64_t classes) const {
    SmallVector<int64_t> shape(type.getShape());
    shape[1] = classes;
    return shape;
  }
};
} // namespace

/// Rows of the block, zeros for those of other blocks.
static void rewriteLookup(onnx::GatherOp op, Writer w) {
  RankedTensorType table = tensorTypeOf(op.getData()), output = tensorTypeOf(op.getOutput());
  Value own = w.blockIndices(op.getIndices(), table.getDimSize(0));
  SmallVector<int64_t> shape(table.getShape());
  shape[0] = tensorTypeOf(own).getDimSize(0);
  Value rows =
      train::GatherRowsOp::create(w.builder, w.loc, output.clone(shape), op.getData(), own);
  op->replaceAllUsesWith(ValueRange(w.reshape(rows, output.getShape())));
  op->erase();
}

/// The maximum, the sum of exponentials and the cost of the label go over the neighbours.
static void rewriteLoss(onnx::SoftmaxCrossEntropyLossOp op, Writer w) {
  CrossEntropy loss(w, op.getScores(), op.getLabels(), op.getWeights(), op.getIgnoreIndex());
  loss.checkLabels(loss.countAll());
  RankedTensorType type = loss.type, column = loss.column;
  Value most = w.reduceAll(Reduction::Max, loss.reduceClasses<onnx::ReduceMaxOp>(op.getScores()));
  Value below = w.create<onnx::SubOp>({op.getScores(), most}, type);
  Value powers = w.create<onnx::ExpOp>(below, type);
  Value sum = w.reduceAll(Reduction::Sum, loss.reduceClasses<onnx::ReduceSumOp>(powers));
  Value logProb = w.create<onnx::SubOp>({below, w.create<onnx::LogOp>(sum, column)}, type);
  Value costs = w.create<onnx::NegOp>(logProb, type);
  Value picked = w.create<onnx::WhereOp>({loss.isLabel(), costs, loss.zero()}, type);
  Value cost = w.reduceAll(Reduction::Sum, loss.reduceClasses<onnx::ReduceSumOp>(picked));
  if (loss.weights)
    cost = w.create<onnx::MulOp>({cost, loss.labelWeights()}, column);
  Value output;
  if (op.getReduction() == "none")
    output = w.create<onnx::SqueezeOp>(
        cost, op.getOutput().getType(),
        w.builder.getNamedAttr("axes", w.builder.getDenseI64ArrayAttr({1})));
  else if (op.getReduction() == "mean" && !loss.areUnequal())
    output = w.create<onnx::ReduceMeanOp>(cost, loss.scalar(), loss.drop());
  else
    output = w.create<onnx::ReduceSumOp>(cost, loss.scalar(), loss.drop());
  if (op.getReduction() == "mean" && loss.areUnequal())
    output = loss.divideByWeights(output);
  op.getOutput().replaceAllUsesWith(output);
  op.getLogProb().replaceAllUsesWith(logProb);
  op->erase();
}

/// Of the rank's classes alone.
static void rewriteLossGradient(onnx::SoftmaxCrossEntropyLossGradOp op, Writer w) {
  CrossEntropy loss(w, op.getLogProb(), op.getLabel(), op.getWeights(), op.getIgnoreIndex());
  if (loss.weights)
    loss.checkLabels(loss.countAll());
  RankedTensorType type = loss.type, column = loss.column;
  Value share = w.create<onnx::ExpOp>(op.getLogProb(), type);
  Value less = w.create<onnx::SubOp>({share, w.number(type.getElementType(), 1)}, type);
  Value error = w.create<onnx::WhereOp>({loss.isLabel(), less, share}, type);
  Value scale = op.getDY();
  if (op.getReduction() == "none") {
    scale = loss.asColumn(scale);
  } else if (op.getReduction() == "mean" && !loss.areUnequal()) {
    Value like = w.create<onnx::CastOp>(loss.labelColumn(), column, loss.toElement());
    scale = w.create<onnx::ReduceMeanGradOp>({scale, like}, column, loss.drop());
  } else if (op.getReduction() == "mean") {
    scale = loss.divideByWeights(scale);
  }
  if (loss.weights)
    scale = w.create<onnx::MulOp>({scale, loss.labelWeights()}, column);
  if (loss.ignored)
    scale = w.create<onnx::WhereOp>({loss.counts(), scale, loss.zero()}, column);
  op->replaceAllUsesWith(ValueRange(w.create<onnx::MulOp>({error, scale}, type)));
  op->erase();
}

unsigned tutti::distribution::rewriteVocabulary(Operation *op, int64_t parts,
                                                FlatSymbolRefAttr neighbours) {
  OpBuilder builder(op);
  Writer writer(builder, op, parts, neighbours);
  if (auto gather = dyn_cast<onnx::GatherOp>(op))
    return rewriteLookup(gather, writer), 0;
  if (auto loss = dyn_cast<onnx::SoftmaxCrossEntropyLossOp>(op))
    return rewriteLoss(loss, writer), 3;
  rewriteLossGradient(cast<onnx::SoftmaxCrossEntropyLossGradOp>(op), writer);
  return 0;
}

Value tutti::distribution::scatterBlock(OpBuilder &builder, train::ScatterRowsOp scatter,
                                        int64_t parts, FlatSymbolRefAttr neighbours) {
  Writer w(builder, scatter, parts, neighbours);
  RankedTensorType block = getBlockType(scatter.getTable().getType(), 0, parts);
  Value own = w.blockIndices(scatter.getIndices(), block.getDimSize(0));
  return train::ScatterRowsOp::create(builder, w.loc, block, own, scatter.getRows());
}

//===----------------------------------------------------------------------===//
// More classes than there are
//===----------------------------------------------------------------------===//

void tutti::distribution::hideClasses(onnx::SoftmaxCrossEntropyLossOp op, int64_t classes) {
  OpBuilder builder(op);
  Writer w(builder, op, /*parts=*/1, {});
  CrossEntropy loss(w, op.getScores(), op.getLabels(), op.getWeights(), op.getIgnoreIndex());
  Value all = loss.classes(); // before there are checked labels, which are of fewer
  Value isThere = w.create<onnx::LessOp>({all, w.integer(all, classes)},
                                         CrossEntropy::truth(tensorTypeOf(all)));
  double infinity = std::numeric_limits<double>::infinity();
  Value least = w.number(loss.type.getElementType(), -infinity);
  op.getScoresMutable().set(w.create<onnx::WhereOp>({isThere, op.getScores(), least}, loss.type));
  op.getLabelsMutable().set(loss.checkLabels(classes));
}

Value tutti::distribution::checkRows(onnx::GatherOp gather, int64_t rows) {
  OpBuilder builder(gather);
  Writer w(builder, gather, /*parts=*/1, {});
  return w.lookUpNumber(gather.getIndices(), rows);
}

Value tutti::distribution::moveRows(train::ScatterRowsOp scatter, int64_t rows) {
  OpBuilder builder(scatter);
  Writer w(builder, scatter, /*parts=*/1, {});
  Value indices = scatter.getIndices();
  RankedTensorType type = tensorTypeOf(indices), is = type.clone(builder.getI1Type());
  Value size = w.integer(indices, rows);
  Value isNegative = w.create<onnx::LessOp>({indices, w.integer(indices, 0)}, is);
  Value fromEnd = w.create<onnx::AddOp>({indices, size}, type);
  Value row = w.create<onnx::WhereOp>({isNegative, fromEnd, indices}, type);
  Value isUnused = w.create<onnx::EqualOp>({indices, size}, is);
  Value unused = w.integer(indices, scatter.getTable().getType().getDimSize(0));
  return w.create<onnx::WhereOp>({isUnused, unused, row}, type);
}
