// What follows from the batch is found by inferring all types for a batch that is larger by a prime
// factor: the dimensions that grow hold it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/BatchFlow.h"

#include "dialects/onnx/Recurrent.h"
#include "dialects/train/Train.h"
#include "lib/program/BatchWork.h"
#include "lib/program/GlobalShapes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::specialize;
using namespace tutti::program;

static constexpr int64_t factor = 7919; ///< a prime that divides no size of a model

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool BatchFlow::holdsBatch(Value value, unsigned dimension) const {
  auto found = layouts.find(value);
  return found != layouts.end() && found->second.scaled[dimension] != shapeOf(value)[dimension];
}

Type BatchFlow::scaledType(Value value) const {
  auto found = layouts.find(value);
  if (found == layouts.end())
    return value.getType();
  return cast<RankedTensorType>(value.getType()).clone(found->second.scaled);
}

/// "[?, 128]"; what varies beside the batch is an x.
std::string BatchFlow::shapeText(Value value) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << '[';
  for (auto [index, size] : llvm::enumerate(shapeOf(value)))
    out << (index ? ", " : "")
        << (holdsBatch(value, index)      ? "?"
            : ShapedType::isDynamic(size) ? "x"
                                          : std::to_string(size));
  out << ']';
  return text;
}

BatchObstacle BatchFlow::obstacle(Operation &op, const Twine &problem) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "the batch of " << batch << " cannot vary: '" << op.getName() << "' " << problem;
  return {op.getLoc(), text, batch};
}

std::optional<BatchObstacle> BatchFlow::find() {
  for (BlockArgument argument : function.getArguments()) {
    std::optional<unsigned> axis = getSampleAxis(argument);
    if (!axis)
      continue;
    Sizes layout{llvm::to_vector(shapeOf(argument)),
                 SmallVector<int64_t>(shapeOf(argument).size(), 0)};
    layout.scaled[*axis] = batch * factor;
    layout.inner[*axis] = 1;
    layouts[argument] = layout;
  }
  for (Operation &op : function.getBody().front().without_terminator())
    if (std::optional<BatchObstacle> found = visit(op))
      return found;
    else
      keepReduced(op);
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &returned : end->getOpOperands())
    if (follows(returned.get()) &&
        function.getResultAttr(returned.getOperandNumber(), train::TrainDialect::kVariable))
      return obstacle(*end, "gives a variable the shape " + shapeText(returned.get()));
  return std::nullopt;
}

std::optional<BatchObstacle> BatchFlow::visit(Operation &op) {
  if (!usesAny(&op, [&](Value value) { return follows(value); }))
    return visitReduced(op);
  if (auto gradient = dyn_cast<train::GradientOp>(op)) {
    for (auto [variable, result] : llvm::zip(gradient.getVariables(), gradient.getGradients()))
      if (follows(variable))
        layouts[result] = Sizes(layouts[variable]);
    return std::nullopt;
  }
  if (auto reshape = dyn_cast<onnx::ReshapeOp>(op))
    return visitReshape(reshape);
  if (auto expand = dyn_cast<onnx::ExpandOp>(op))
    stateBatchOf(expand);
  if (auto slice = dyn_cast<onnx::SliceOp>(op))
    stateBatchOf(slice);
  return visitInferred(op);
}

/// Operations whose results follow by inference.
std::optional<BatchObstacle> BatchFlow::visitInferred(Operation &op) {
  SmallVector<Type> operands, types;
  for (Value operand : op.getOperands())
    operands.push_back(scaledType(operand));
  if (succeeded(inferResultTypes(&op, operands, types)))
    return record(op, types);
  for (OpOperand &operand : op.getOpOperands())
    if (repeatsOneSample(operand, operands) || joinsOneSample(operand, operands))
      types.clear();
  if (succeeded(inferResultTypes(&op, operands, types)))
    return record(op, types);
  std::string shapes;
  llvm::raw_string_ostream out(shapes);
  llvm::interleave(
      op.getOperands(), out, [&](Value value) { out << shapeText(value); }, " and ");
  return obstacle(op, "cannot take " + shapes + ", where ? is the batch");
}

/// Whether `value` is a scalar constant that is `number`.
static bool isNumber(Value value, double number) {
  DenseElementsAttr content;
  return matchPattern(value, m_Constant(&content)) && content.getNumElements() == 1 &&
         isa<FloatType>(content.getElementType()) &&
         float(content.getSplatValue<APFloat>().convertToDouble()) == float(number);
}

/// A sum over the samples that is divided by their number: an exporter writes that as any other
/// number.
std::optional<BatchObstacle> BatchFlow::visitReduced(Operation &op) {
  if (!llvm::any_of(op.getOperands(), [&](Value value) { return reduced.contains(value); }))
    return std::nullopt;
  bool isQuotient = isa<onnx::DivOp>(op) && isNumber(op.getOperand(1), double(batch));
  bool isProduct = isa<onnx::MulOp>(op) && llvm::any_of(op.getOperands(), [&](Value value) {
                     return isNumber(value, 1.0 / double(batch));
                   });
  if (!isQuotient && !isProduct)
    return std::nullopt;
  return obstacle(op, Twine(isQuotient ? "divides by " : "multiplies by 1 / ") + Twine(batch) +
                          " what was computed over the samples, and that may be their number; "
                          "take their mean instead");
}

void BatchFlow::keepReduced(Operation &op) {
  bool isOfBatch =
      usesAny(&op, [&](Value value) { return follows(value) || reduced.contains(value); });
  for (Value result : op.getResults())
    if (isOfBatch && !follows(result))
      reduced.insert(result);
}

/// Keeps what the results are for a larger batch.
std::optional<BatchObstacle> BatchFlow::record(Operation &op, TypeRange scaled) {
  for (auto [result, type] : llvm::zip_equal(op.getResults(), scaled)) {
    auto before = dyn_cast<RankedTensorType>(result.getType());
    auto after = dyn_cast<RankedTensorType>(type);
    if (before == after)
      continue;
    if (!before || !after || before.getRank() != after.getRank())
      return obstacle(op, "has a result of another rank for another batch");
    Sizes layout{llvm::to_vector(after.getShape()), SmallVector<int64_t>(after.getRank(), 0)};
    for (unsigned i = 0; i < after.getRank(); ++i)
      if (layout.scaled[i] != before.getDimSize(i))
        layout.inner[i] = innerOf(op, result.getResultNumber(), i, layout.scaled[i]);
    layouts[result] = layout;
  }
  return std::nullopt;
}

/// Where the batch lies in a dimension of a result: as in the operands that have such a dimension,
/// if they agree.
int64_t BatchFlow::innerOf(Operation &op, unsigned result, unsigned dimension,
                           int64_t scaled) const {
  if (isa<onnx::FlattenOp>(op)) {
    Value data = op.getOperand(0);
    std::optional<unsigned> from = dimensionOfBatch(data);
    auto place = from ? findReshaped(data, *from, shapeOf(op.getResult(result))) : std::nullopt;
    return place && place->dimension == dimension ? place->inner : 0;
  }
  std::optional<int64_t> inner;
  for (Value operand : op.getOperands()) {
    auto found = layouts.find(operand);
    if (found == layouts.end())
      continue;
    for (auto [size, place] : llvm::zip(found->second.scaled, found->second.inner)) {
      if (size != scaled)
        continue;
      if (inner && *inner != place)
        return 0;
      inner = place;
    }
  }
  return inner.value_or(0);
}

/// The dimension that holds the batch, if there is only one.
std::optional<unsigned> BatchFlow::dimensionOfBatch(Value value) const {
  std::optional<unsigned> found;
  for (unsigned i = 0; i < shapeOf(value).size(); ++i) {
    if (!holdsBatch(value, i))
      continue;
    if (found)
      return std::nullopt;
    found = i;
  }
  return found;
}

/// Where the batch, which lies in `dimension` of `data`, is once that has got another shape.
std::optional<Layout> BatchFlow::findReshaped(Value data, unsigned dimension,
                                              ArrayRef<int64_t> shape) const {
  int64_t inner = layouts.lookup(data).inner[dimension];
  if (inner == 0 || batch == 0)
    return std::nullopt;
  int64_t outer = shapeOf(data)[dimension] / (inner * batch);
  return reshapeShard(Layout::shard(dimension, 0, outer, inner), shapeOf(data), shape, batch);
}

/// The sizes that the operator states may be those of the one batch of the file. The dimension that
/// takes the batch in gets -1.
std::optional<BatchObstacle> BatchFlow::visitReshape(onnx::ReshapeOp op) {
  Value data = op.getData();
  ArrayRef<int64_t> shape = shapeOf(op.getReshaped());
  auto fail = [&](const Twine &why) {
    return obstacle(*op, "makes " + shapeText(op.getReshaped()) + " of " + shapeText(data) + why);
  };
  std::optional<unsigned> from = dimensionOfBatch(data);
  if (!from)
    return fail(", which holds the batch twice");
  std::optional<Layout> place = findReshaped(data, *from, shape);
  if (!place)
    return fail(": no dimension of the result takes in the whole batch");
  Sizes layout{llvm::to_vector(shape), SmallVector<int64_t>(shape.size(), 0)};
  layout.scaled[place->dimension] *= factor;
  layout.inner[place->dimension] = place->inner;
  layouts[op.getReshaped()] = layout;
  SmallVector<Type> types;
  auto wanted = cast<RankedTensorType>(op.getType()).clone(layout.scaled);
  if (succeeded(inferResultTypes(op, scaledType(data), types)) && types.front() == wanted)
    return std::nullopt;
  SmallVector<int64_t> sizes(shape);
  sizes[place->dimension] = -1;
  restated.push_back({op, op->getAttrDictionary()});
  op.setShape(sizes);
  op.setAllowzero(0);
  return std::nullopt;
}

/// A stated size that is the operand's own becomes 1, which keeps it.
void BatchFlow::stateBatchOf(onnx::ExpandOp op) {
  SmallVector<int64_t> sizes(op.getShape());
  int64_t offset = int64_t(sizes.size()) - int64_t(shapeOf(op.getInput()).size());
  for (int64_t i = std::max<int64_t>(0, offset); i < int64_t(sizes.size()); ++i)
    if (holdsBatch(op.getInput(), i - offset) && sizes[i] == shapeOf(op.getInput())[i - offset])
      sizes[i] = 1;
  if (ArrayRef<int64_t>(sizes) == op.getShape())
    return;
  restated.push_back({op, op->getAttrDictionary()});
  op.setShape(sizes);
}

/// A stated end that is that of all samples becomes the end of however many there are.
void BatchFlow::stateBatchOf(onnx::SliceOp op) {
  SmallVector<int64_t> ends(op.getEnds());
  ArrayRef<int64_t> shape = shapeOf(op.getData());
  for (auto [i, end] : llvm::enumerate(ends)) {
    int64_t axis = op.getAxes() ? (*op.getAxes())[i] : i;
    axis += axis < 0 ? shape.size() : 0;
    bool isForward = !op.getSteps() || (*op.getSteps())[i] > 0;
    if (isForward && holdsBatch(op.getData(), axis) && end >= shape[axis])
      end = std::numeric_limits<int64_t>::max();
  }
  if (ArrayRef<int64_t>(ends) == op.getEnds())
    return;
  restated.push_back({op, op->getAttrDictionary()});
  op.setEnds(ends);
}

/// Whether `operand`, which does not follow from the batch, has the entries of one sample as often
/// as there are samples. Then one of them is as good where operands are broadcast.
bool BatchFlow::repeatsOneSample(OpOperand &operand, SmallVectorImpl<Type> &operands) {
  Operation *op = operand.getOwner();
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || follows(operand.get()) || !isBroadcasting(op))
    return false;
  for (Value other : op->getOperands()) {
    if (!follows(other))
      continue;
    std::optional<unsigned> dimension = dimensionOfBatch(other);
    int64_t own = dimension ? type.getRank() - int64_t(shapeOf(other).size()) + *dimension : -1;
    if (own < 0 || type.getDimSize(own) == 1 || !equalSamples.has(operand.get(), own))
      continue;
    SmallVector<int64_t> shape(type.getShape());
    shape[own] = 1;
    operands[operand.getOperandNumber()] = type.clone(shape);
    narrowed.push_back({&operand, own});
    return true;
  }
  return false;
}

/// The operands in whose dimensions `operand` has the samples where they do, though nothing is
/// broadcast: all that are joined, or, for what a recurrent layer begins with, the sequence.
static SmallVector<Value> companionsOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<onnx::ConcatOp>(op))
    return op->getOperands();
  std::optional<onnx::Recurrence> layer = onnx::findRecurrence(op);
  bool isState = layer && (operand.get() == layer->initialH || operand.get() == layer->initialC);
  return isState ? SmallVector<Value>{layer->x} : SmallVector<Value>();
}

/// As above where nothing is broadcast: a class token, say, that is put before each sequence.
bool BatchFlow::joinsOneSample(OpOperand &operand, SmallVectorImpl<Type> &operands) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || follows(operand.get()))
    return false;
  for (Value other : companionsOf(operand)) {
    std::optional<unsigned> dimension = follows(other) ? dimensionOfBatch(other) : std::nullopt;
    if (!dimension || type.getDimSize(*dimension) != shapeOf(other)[*dimension] ||
        !equalSamples.has(operand.get(), *dimension))
      continue;
    SmallVector<int64_t> shape(type.getShape());
    shape[*dimension] = layouts.lookup(other).scaled[*dimension];
    operands[operand.getOperandNumber()] = type.clone(shape);
    repeated.push_back({&operand, *dimension, other});
    return true;
  }
  return false;
}

/// `sample`, whose size in `dimension` is 1, as often as `like` is long there.
static Value repeatLike(OpBuilder &builder, Value sample, unsigned dimension, Value like) {
  auto type = cast<RankedTensorType>(sample.getType());
  SmallVector<int64_t> sizes(type.getRank(), 1), shape(type.getShape());
  sizes[dimension] = -1;
  shape[dimension] = ShapedType::kDynamic;
  auto axis = builder.getI64IntegerAttr(dimension);
  return onnx::ExpandOp::create(builder, sample.getLoc(), type.clone(shape), sample, like,
                                builder.getDenseI64ArrayAttr(sizes), axis);
}

void BatchFlow::apply() {
  for (auto [operand, dimension, like] : repeated) {
    OpBuilder builder(operand->getOwner());
    Value sample = takeOneSample(builder, operand->get(), dimension);
    operand->set(repeatLike(builder, sample, dimension, like));
  }
  for (auto [operand, dimension] : narrowed) {
    OpBuilder builder(operand->getOwner());
    operand->set(takeOneSample(builder, operand->get(), dimension));
  }
  for (auto &[value, layout] : layouts) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, scaled] : llvm::zip(shape, layout.scaled))
      if (size != scaled)
        size = ShapedType::kDynamic;
    Value(value).setType(type.clone(shape));
  }
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

void BatchFlow::revert() {
  for (auto [op, attributes] : restated)
    op->setAttrs(attributes);
}
