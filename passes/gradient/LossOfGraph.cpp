// Finds the loss of a graph or adds it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/LossOfGraph.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using train::TrainDialect;
using Result = ForwardFunction::Result;

static constexpr StringLiteral labelName = "label";

static bool isFloatScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && isa<FloatType>(tensor.getElementType());
}

static StringRef nameOf(const Result &result) {
  auto name = dyn_cast_or_null<StringAttr>(result.attribute);
  return name ? name.getValue() : StringRef();
}

/// The results that may be the loss: of the name that the recipe gives, or all.
static SmallVector<Result> candidatesOf(ForwardFunction function, const Recipe &recipe) {
  SmallVector<Result> candidates;
  for (const Result &result : function.results())
    if (isFloatScalar(result.value.getType()) &&
        (recipe.lossOutput.empty() || nameOf(result) == recipe.lossOutput))
      candidates.push_back(result);
  return candidates;
}

/// "cost, logits: tensor<?x10xf32>": what is no scalar is shown with its type.
static std::string listOutputs(ForwardFunction function) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(
      function.results(), out,
      [&](const Result &result) {
        out << nameOf(result);
        if (!isFloatScalar(result.value.getType()))
          out << ": " << result.value.getType();
      },
      ", ");
  return text;
}

static FailureOr<LossOfGraph> findLoss(ForwardFunction function, const Recipe &recipe) {
  auto emitError = [&]() { return function.op().emitError("recipe: loss=output"); };
  SmallVector<Result> candidates = candidatesOf(function, recipe);
  if (candidates.empty() && !recipe.lossOutput.empty())
    return emitError() << ":" << recipe.lossOutput
                       << " needs a scalar float output of this name; the graph has "
                       << listOutputs(function);
  if (candidates.empty())
    return emitError() << " needs a scalar float output, but the graph has "
                       << listOutputs(function)
                       << "; end it in one number, by a ReduceMean with keepdims=0";
  if (candidates.size() > 1)
    return emitError() << " needs one scalar float output, but the graph has several: "
                       << listOutputs(function)
                       << "; say which one: loss=output:" << nameOf(candidates.front());
  LossOfGraph loss;
  loss.value = candidates.front().value;
  for (const Result &result : function.results())
    if (result.attribute != candidates.front().attribute)
      loss.otherResults.push_back(result);
  return loss;
}

SmallVector<Value> tutti::gradient::valuesOfLoss(ForwardFunction forward, const Recipe &recipe) {
  if (recipe.loss == Recipe::Loss::Output)
    if (SmallVector<Result> candidates = candidatesOf(forward, recipe); candidates.size() == 1)
      return {candidates.front().value};
  return llvm::to_vector(forward.returned().getOperands());
}

namespace {

/// Adds a loss that compares the graph's only output with a label.
class LossAdder {
public:
  LossAdder(ForwardFunction function, const Recipe &recipe)
      : function(function), recipe(recipe), builder(function.returned()),
        location(locationOf("loss")) {}

  FailureOr<LossOfGraph> add();

private:
  LogicalResult findScores();
  LogicalResult findTriplet();
  bool isOfClasses() const {
    return recipe.loss == Recipe::Loss::SoftmaxCrossEntropy ||
           recipe.loss == Recipe::Loss::NegativeLogLikelihood;
  }
  Value addLabel();
  RankedTensorType typeOfLabels(Type element) const;
  LogicalResult moveClasses();
  FailureOr<LossOfGraph> addCrossEntropy();
  Value addSmoothedEntropies();
  Value addLikelihoods();
  Value addErrors();
  Value addBinaryEntropies();
  Value addHuber();
  Value addDivergences();
  Value addHinges();
  Value addAngles();
  Value addTriplets();
  Value addElements();
  bool hasOneScoreASample() const;

  Location locationOf(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), function.op().getLoc());
  }
  RankedTensorType typeOfScores() const { return cast<RankedTensorType>(scores.getType()); }
  Value constant(double value) {
    auto type = RankedTensorType::get({}, typeOfScores().getElementType());
    auto number = FloatAttr::get(type.getElementType(), value);
    return onnx::ConstantOp::create(builder, location,
                                    DenseElementsAttr::get(type, Attribute(number)));
  }
  Value integer(int64_t value) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return onnx::ConstantOp::create(builder, location, DenseElementsAttr::get(type, value));
  }
  Value sub(Value a, Value b) { return onnx::SubOp::create(builder, location, ValueRange{a, b}); }
  Value mul(Value a, Value b) { return onnx::MulOp::create(builder, location, ValueRange{a, b}); }
  Value add(Value a, Value b) { return onnx::AddOp::create(builder, location, ValueRange{a, b}); }
  template <typename Op> Value apply(Value x) {
    return Op::create(builder, location, ValueRange{x});
  }
  /// The mean over all axes, or over `axes`, which are dropped.
  Value mean(Value value, std::optional<ArrayRef<int64_t>> axes = std::nullopt) {
    return onnx::ReduceMeanOp::create(builder, location, value,
                                      axes ? builder.getDenseI64ArrayAttr(*axes) : nullptr,
                                      /*keepdims=*/0, /*noop_with_empty_axes=*/0);
  }

  /// The sum over the dimensions `axes`, which are dropped.
  Value sum(Value value, ArrayRef<int64_t> axes) {
    return onnx::ReduceSumOp::create(builder, location, value, builder.getDenseI64ArrayAttr(axes),
                                     /*keepdims=*/0, /*noop_with_empty_axes=*/0);
  }
  Value choose(Value condition, Value a, Value b) {
    return onnx::WhereOp::create(builder, location, ValueRange{condition, a, b});
  }
  Value less(Value a, Value b) { return onnx::LessOp::create(builder, location, ValueRange{a, b}); }
  Value notBelowZero(Value value) { return apply<onnx::ReluOp>(value); }

  ForwardFunction function;
  const Recipe &recipe;
  OpBuilder builder;
  Location location;
  Value scores, label;
  Value positive, negative; ///< of a triplet, whose anchor `scores` is
};

} // namespace

/// The scores of the samples: the only output.
LogicalResult LossAdder::findScores() {
  auto emitError = [&]() {
    return function.op().emitError("recipe: loss=") << Recipe::nameOf(recipe.loss) << " ";
  };
  ValueRange outputs = function.returned().getOperands();
  if (outputs.size() != 1)
    return emitError() << "needs a graph with one output, got " << outputs.size() << ": "
                       << listOutputs(function)
                       << "; leave the one that has them, by onnx.utils.extract_model";
  StringRef wanted = isOfClasses() ? recipe.areClassesLast ? "scores of shape [batch, ..., classes]"
                                                           : "scores of shape [batch, classes, ...]"
                                   : "one value or more a sample";
  auto type = dyn_cast<RankedTensorType>(outputs[0].getType());
  if (type && isFloatScalar(type))
    return emitError() << "needs " << wanted << ", but the output is a scalar; if it is the loss, "
                       << "say loss=output";
  bool needsRows = isOfClasses() || recipe.loss == Recipe::Loss::Cosine;
  if (!type || !isa<FloatType>(type.getElementType()) || (needsRows && type.getRank() < 2))
    return emitError() << "needs float " << wanted << ", got " << outputs[0].getType();
  if (function.hasInput(labelName))
    return emitError()
           << "adds the input 'label', but the graph has one already; if it ends in its loss, say "
           << "loss=output";
  scores = outputs[0];
  return success();
}

/// An anchor, what it should be near to, and what it should be far from: the outputs.
LogicalResult LossAdder::findTriplet() {
  ValueRange outputs = function.returned().getOperands();
  bool areAlike = outputs.size() == 3 && llvm::all_equal(outputs.getTypes());
  auto type = areAlike ? dyn_cast<RankedTensorType>(outputs[0].getType()) : RankedTensorType();
  if (!type || type.getRank() < 2 || !isa<FloatType>(type.getElementType()))
    return function.op().emitError(
               "recipe: loss=triplet-margin needs a graph with three outputs of "
               "one float type [batch, ..., size]: the anchor, one that is like "
               "it and one that is not; it has ")
           << listOutputs(function);
  scores = outputs[0], positive = outputs[1], negative = outputs[2];
  return success();
}

/// The shape of the scores without their classes.
RankedTensorType LossAdder::typeOfLabels(Type element) const {
  SmallVector<int64_t> shape(typeOfScores().getShape());
  shape.erase(recipe.areClassesLast ? shape.end() - 1 : shape.begin() + 1);
  return RankedTensorType::get(shape, element);
}

/// Scores whose classes stand last, with the classes where losses have them: of a cross entropy,
/// whose labels stand one after the other, as rows.
LogicalResult LossAdder::moveClasses() {
  int64_t rank = typeOfScores().getRank(), classes = typeOfScores().getShape().back();
  if (!recipe.areClassesLast || rank == 2)
    return success();
  if (ShapedType::isDynamic(classes))
    return function.op().emitError(
               "recipe: class-axis=last needs scores whose number of classes is "
               "known, got ")
           << typeOfScores();
  if (recipe.loss == Recipe::Loss::SoftmaxCrossEntropy && recipe.labelSmoothing == 0) {
    scores = onnx::ReshapeOp::create(builder, location, scores, {-1, classes});
    label = onnx::ReshapeOp::create(builder, location, label, ArrayRef<int64_t>{-1});
    return success();
  }
  SmallVector<int64_t> order = {0, rank - 1};
  llvm::append_range(order, llvm::seq<int64_t>(1, rank - 1));
  scores =
      onnx::TransposeOp::create(builder, location, scores, builder.getDenseI64ArrayAttr(order));
  return success();
}

/// A class for each of the scores that compete, or a value for each of all.
Value LossAdder::addLabel() {
  RankedTensorType type = typeOfScores();
  if (isOfClasses())
    type = typeOfLabels(builder.getI64Type());
  auto role = train::InputAttr::get(builder.getContext(), labelName, function.dataset());
  return function.addArgument({type, TrainDialect::kInput, role, locationOf(labelName)});
}

FailureOr<LossOfGraph> LossAdder::addCrossEntropy() {
  RankedTensorType type = typeOfScores();
  SmallVector<Value> operands = {scores, label};
  SmallVector<NamedAttribute> attributes;
  auto count = static_cast<int64_t>(recipe.classWeights.size());
  if (count > 0 && type.getDimSize(1) != count)
    return function.op().emitError("recipe: class-weights needs a weight for each class of ")
           << type << ", got " << count;
  if (count > 0) {
    SmallVector<Attribute> weights =
        llvm::map_to_vector(recipe.classWeights, [&](double weight) -> Attribute {
          return FloatAttr::get(type.getElementType(), weight);
        });
    auto vector = RankedTensorType::get({count}, type.getElementType());
    operands.push_back(
        onnx::ConstantOp::create(builder, location, DenseElementsAttr::get(vector, weights)));
  }
  if (recipe.ignoredLabel)
    attributes.push_back(
        builder.getNamedAttr("ignore_index", builder.getI64IntegerAttr(*recipe.ignoredLabel)));
  LossOfGraph loss;
  loss.value =
      onnx::SoftmaxCrossEntropyLossOp::create(
          builder, location, TypeRange{RankedTensorType::get({}, type.getElementType()), type},
          operands, attributes)
          .getOutput();
  return loss;
}

/// (1 - smoothing) times the cross entropy of the label, and smoothing times the mean of those of
/// all classes.
Value LossAdder::addSmoothedEntropies() {
  RankedTensorType type = typeOfScores();
  auto entropy = onnx::SoftmaxCrossEntropyLossOp::create(
      builder, location,
      TypeRange{cast<RankedTensorType>(label.getType()).clone(type.getElementType()), type},
      ValueRange{scores, label},
      ArrayRef<NamedAttribute>{builder.getNamedAttr("reduction", builder.getStringAttr("none"))});
  Value logarithms = onnx::LogSoftmaxOp::create(builder, location, scores, /*axis=*/1);
  Value ofAll = mean(logarithms, ArrayRef<int64_t>{1});
  Value ofLabel = mul(entropy.getOutput(), constant(1 - recipe.labelSmoothing));
  return sub(ofLabel, mul(ofAll, constant(recipe.labelSmoothing)));
}

/// What stands at the label, negated. Gather would count a negative label from the last class: such
/// a one is moved out of its range, so that it is refused when it comes.
Value LossAdder::addLikelihoods() {
  Value isNegative = onnx::LessOp::create(builder, location, ValueRange{label, integer(0)});
  Value outside = sub(label, integer(typeOfScores().getDimSize(1)));
  Value classOf = onnx::WhereOp::create(builder, location, ValueRange{isNegative, outside, label});
  Value column =
      onnx::UnsqueezeOp::create(builder, location, classOf, builder.getDenseI64ArrayAttr({1}));
  Value chosen = onnx::GatherElementsOp::create(builder, location, scores, column, /*axis=*/1);
  Value row = onnx::SqueezeOp::create(builder, location, chosen, builder.getDenseI64ArrayAttr({1}));
  return apply<onnx::NegOp>(row);
}

/// The squares, or the absolute values, of the differences.
Value LossAdder::addErrors() {
  Value error = sub(scores, label);
  return recipe.loss == Recipe::Loss::MeanSquaredError ? mul(error, error)
                                                       : apply<onnx::AbsOp>(error);
}

/// label * softplus(-scores) + (1 - label) * softplus(scores): no term cancels another, so that
/// small losses keep their digits, and the gradient is right at 0.
Value LossAdder::addBinaryEntropies() {
  Value ifTrue = mul(label, apply<onnx::SoftplusOp>(apply<onnx::NegOp>(scores)));
  Value other = sub(constant(1), label);
  return add(ifTrue, mul(other, apply<onnx::SoftplusOp>(scores)));
}

/// Half the square of a difference up to delta, and the straight line that goes on from there.
Value LossAdder::addHuber() {
  Value size = apply<onnx::AbsOp>(sub(scores, label)), delta = constant(recipe.delta);
  Value square = mul(constant(0.5), mul(size, size));
  Value line = mul(delta, sub(size, constant(0.5 * recipe.delta)));
  return choose(less(size, delta), square, line);
}

/// label * (ln(label) - scores), which is 0 where the label is, summed up for each sample.
Value LossAdder::addDivergences() {
  Value isThere = less(constant(0), label);
  Value entropy = mul(label, apply<onnx::LogOp>(choose(isThere, label, constant(1))));
  Value each = sub(entropy, mul(label, scores));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(1, typeOfScores().getRank()));
  return axes.empty() ? each : sum(each, axes);
}

Value LossAdder::addHinges() {
  return notBelowZero(sub(constant(recipe.margin), mul(label, scores)));
}

/// 1 - the cosine, as PyTorch's CosineEmbeddingLoss takes it: norms of 0 are no corner.
Value LossAdder::addAngles() {
  constexpr double least = 1e-12;
  SmallVector<int64_t> last = {typeOfScores().getRank() - 1};
  auto square = [&](Value value) { return add(sum(mul(value, value), last), constant(least)); };
  Value norms = apply<onnx::SqrtOp>(mul(square(scores), square(label)));
  Value cosine =
      onnx::DivOp::create(builder, location, ValueRange{sum(mul(scores, label), last), norms});
  return sub(constant(1), cosine);
}

/// As PyTorch's TripletMarginLoss: what is added to differences keeps distances from being 0.
Value LossAdder::addTriplets() {
  constexpr double added = 1e-6;
  SmallVector<int64_t> last = {typeOfScores().getRank() - 1};
  auto distance = [&](Value other) {
    Value difference = add(sub(scores, other), constant(added));
    return apply<onnx::SqrtOp>(sum(mul(difference, difference), last));
  };
  Value nearer = sub(distance(positive), distance(negative));
  return notBelowZero(add(nearer, constant(recipe.margin)));
}

/// What the loss is the mean of.
Value LossAdder::addElements() {
  switch (recipe.loss) {
  case Recipe::Loss::SoftmaxCrossEntropy:
    return addSmoothedEntropies();
  case Recipe::Loss::NegativeLogLikelihood:
    return addLikelihoods();
  case Recipe::Loss::BinaryCrossEntropy:
    return addBinaryEntropies();
  case Recipe::Loss::MeanSquaredError:
  case Recipe::Loss::MeanAbsoluteError:
    return addErrors();
  case Recipe::Loss::Huber:
    return addHuber();
  case Recipe::Loss::Divergence:
    return addDivergences();
  case Recipe::Loss::Hinge:
    return addHinges();
  case Recipe::Loss::Cosine:
    return addAngles();
  case Recipe::Loss::TripletMargin:
    return addTriplets();
  case Recipe::Loss::Output:
    llvm_unreachable("the graph has it");
  }
  llvm_unreachable("all are handled");
}

/// [samples], or that with sizes of 1 after it.
bool LossAdder::hasOneScoreASample() const {
  ArrayRef<int64_t> shape = typeOfScores().getShape();
  return !shape.empty() && llvm::all_of(shape.drop_front(), [](int64_t size) { return size == 1; });
}

FailureOr<LossOfGraph> LossAdder::add() {
  bool isTriplet = recipe.loss == Recipe::Loss::TripletMargin;
  if (failed(isTriplet ? findTriplet() : findScores()))
    return failure();
  if (!isTriplet)
    label = addLabel();
  if (isOfClasses() && failed(moveClasses()))
    return failure();
  if (recipe.loss == Recipe::Loss::SoftmaxCrossEntropy && recipe.labelSmoothing == 0)
    return addCrossEntropy();
  LossOfGraph loss;
  loss.ofElements = addElements();
  loss.value = mean(loss.ofElements);
  if (isOfClasses())
    loss.scores = scores, loss.labels = label;
  if (recipe.loss == Recipe::Loss::BinaryCrossEntropy && hasOneScoreASample())
    loss.logits = scores, loss.truths = label;
  return loss;
}

FailureOr<LossOfGraph> LossOfGraph::add(ForwardFunction function, const Recipe &recipe) {
  if (recipe.loss == Recipe::Loss::Output)
    return findLoss(function, recipe);
  return LossAdder(function, recipe).add();
}
