// Takes a loss apart into what each sample adds to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Evaluation.h"

#include "dialects/train/EvaluationRoles.h"
#include "lib/program/PostOrder.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using train::TrainDialect;
using Result = ForwardFunction::Result;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The elements of each entry of dimension 0; none where that is not known.
static std::optional<int64_t> elementsOfEntry(Value value) {
  RankedTensorType type = tensorType(value);
  if (type.getRank() == 0)
    return std::nullopt;
  int64_t elements = 1;
  for (int64_t size : type.getShape().drop_front()) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    elements *= size;
  }
  return elements;
}

namespace {

using Count = std::optional<int64_t>;

/// How many elements of a value belong to each sample, where all those of the first sample come
/// first in row-major order, then those of the second, and so on; none where they may not.
class ElementsOfSample {
public:
  Count find(Value value) {
    llvm::DenseSet<Value> visited;
    for (Value before : program::findPostOrder(value, visited, sourcesOf))
      counts[before] = findBehindSources(before);
    return counts.lookup(value);
  }

private:
  static SmallVector<Value> sourcesOf(Value value);
  static Count ofArgument(BlockArgument argument);
  Count findBehindSources(Value value) const;

  llvm::DenseMap<Value, Count> counts;
};

} // namespace

/// What decides it, in order.
SmallVector<Value> ElementsOfSample::sourcesOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<onnx::ReshapeOp, onnx::FlattenOp, onnx::SqueezeOp, onnx::UnsqueezeOp,
                      onnx::IdentityOp, onnx::CastOp, onnx::SliceOp>(op))
    return {op->getOperand(0)};
  SmallVector<Value> chosen;
  if (auto where = dyn_cast_or_null<onnx::WhereOp>(op)) // as labels are masked
    for (Value one : {where.getX(), where.getY()})
      if (one.getType() == value.getType())
        chosen.push_back(one);
  return chosen;
}

Count ElementsOfSample::ofArgument(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto input = function ? function.getArgAttrOfType<train::InputAttr>(argument.getArgNumber(),
                                                                      TrainDialect::kInput)
                        : train::InputAttr();
  return input && input.getAxis() == 0 ? elementsOfEntry(argument) : std::nullopt;
}

Count ElementsOfSample::findBehindSources(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  Count before;
  for (Value source : sourcesOf(value))
    if (!before)
      before = counts.lookup(source);
  auto slice = value.getDefiningOp<onnx::SliceOp>();
  if (!slice)
    return before;
  int64_t rank = tensorType(slice.getData()).getRank(); // as labels are shifted
  bool isOfSamples = !slice.getAxes() || llvm::any_of(*slice.getAxes(), [&](int64_t axis) {
    return axis == 0 || axis == -rank;
  });
  if (isOfSamples || !before || before != elementsOfEntry(slice.getData()))
    return std::nullopt;
  return elementsOfEntry(value);
}

namespace {

/// The parts of a cross entropy that is a mean over labels.
class CrossEntropyParts {
public:
  CrossEntropyParts(onnx::SoftmaxCrossEntropyLossOp op, int64_t perSample, Operation *end)
      : op(op), builder(end), perSample(perSample) {}

  SmallVector<Result> build();

private:
  Value addLosses();
  Value addAccuracy();
  Value findCounted();
  Value addClassWeights(Value counted);
  Value splitSamples(Value value);
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return onnx::ReshapeOp::create(builder, op.getLoc(), value, shape);
  }
  Value asFloat(Value value) {
    return onnx::CastOp::create(builder, op.getLoc(), value, TypeAttr::get(builder.getF32Type()));
  }
  Value labelConstant(int64_t value) {
    auto type = RankedTensorType::get({}, tensorType(op.getLabels()).getElementType());
    Attribute number = IntegerAttr::get(type.getElementType(), value);
    return onnx::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, number));
  }
  Result metric(StringRef role, StringRef name, Value value) {
    return {value, role, builder.getStringAttr(name)};
  }
  Result weight(Value value, ArrayRef<StringRef> names) {
    return {splitSamples(value), train::kMetricWeight, builder.getStrArrayAttr(names)};
  }

  onnx::SoftmaxCrossEntropyLossOp op;
  OpBuilder builder;
  int64_t perSample; ///< labels
};

} // namespace

/// [samples, elements of each], or [samples] where each has one. Keeps a shape that is like that.
Value CrossEntropyParts::splitSamples(Value value) {
  if (elementsOfEntry(value) == perSample)
    return value;
  return perSample == 1 ? reshape(value, {-1}) : reshape(value, {-1, perSample});
}

/// The losses of the labels, without their weights.
Value CrossEntropyParts::addLosses() {
  auto type = tensorType(op.getLabels()).clone(tensorType(op.getScores()).getElementType());
  auto ofLabels = cast<onnx::SoftmaxCrossEntropyLossOp>(builder.clone(*op));
  ofLabels.setReduction("none");
  ofLabels.getWeightsMutable().clear();
  ofLabels.getOutput().setType(type);
  return splitSamples(ofLabels.getOutput());
}

/// Whether the largest score of each label stands at it.
Value CrossEntropyParts::addAccuracy() {
  Value scores = op.getScores(), labels = op.getLabels();
  int64_t rank = tensorType(scores).getRank(), classes = tensorType(scores).getDimSize(1);
  if (rank > 2) {
    SmallVector<int64_t> classesLast = {0};
    llvm::append_range(classesLast, llvm::seq<int64_t>(2, rank));
    classesLast.push_back(1);
    scores = onnx::TransposeOp::create(builder, op.getLoc(), scores,
                                       builder.getDenseI64ArrayAttr(classesLast));
    scores = reshape(scores, {-1, classes});
    labels = reshape(labels, {-1});
  }
  return splitSamples(train::AccuracyOp::create(builder, op.getLoc(), scores, labels));
}

/// Which labels are not ignored; null if all are.
Value CrossEntropyParts::findCounted() {
  if (!op.getIgnoreIndex())
    return nullptr;
  Value ignored = onnx::EqualOp::create(
      builder, op.getLoc(), ValueRange{op.getLabels(), labelConstant(*op.getIgnoreIndex())});
  return onnx::NotOp::create(builder, op.getLoc(), ValueRange{ignored});
}

/// How much each label counts by its class.
Value CrossEntropyParts::addClassWeights(Value counted) {
  Value labels = op.getLabels();
  if (counted) // what is ignored need not be a class
    labels =
        onnx::WhereOp::create(builder, op.getLoc(), ValueRange{counted, labels, labelConstant(0)});
  Value weights =
      asFloat(onnx::GatherOp::create(builder, op.getLoc(), op.getWeights(), labels, /*axis=*/0));
  if (!counted)
    return weights;
  return onnx::MulOp::create(builder, op.getLoc(), ValueRange{weights, asFloat(counted)});
}

SmallVector<Result> CrossEntropyParts::build() {
  Value counted = findCounted();
  Value ofClasses = op.getWeights() ? addClassWeights(counted) : nullptr;
  Value losses = addLosses();
  SmallVector<Result> results = {metric(TrainDialect::kMetric, "loss", losses),
                                 metric(TrainDialect::kMetric, "accuracy", addAccuracy())};
  SmallVector<StringRef> ofLoss = {"loss"};
  if (perSample > 1) {
    results.push_back(metric(train::kExponentialMetric, "perplexity", losses));
    ofLoss.push_back("perplexity");
  }
  if (ofClasses)
    results.push_back(weight(ofClasses, ofLoss));
  SmallVector<StringRef> alike = {"accuracy"};
  if (!ofClasses)
    alike.append(ofLoss);
  if (counted)
    results.push_back(weight(asFloat(counted), alike));
  return results;
}

/// The mean of what the elements of each sample add, [samples]; the accuracy, if there are classes;
/// the scores and labels of the area under the curve, if each sample has one of two.
static SmallVector<Result> addMeansOfSamples(ForwardFunction function, const LossOfGraph &loss) {
  OpBuilder builder(function.returned());
  Value losses = loss.ofElements;
  if (int64_t rank = tensorType(losses).getRank(); rank > 1)
    losses = onnx::ReduceMeanOp::create(
        builder, losses.getLoc(), losses,
        builder.getDenseI64ArrayAttr(llvm::to_vector(llvm::seq<int64_t>(1, rank))),
        /*keepdims=*/0, /*noop_with_empty_axes=*/0);
  SmallVector<Result> results = {{losses, TrainDialect::kMetric, builder.getStringAttr("loss")}};
  if (loss.scores) {
    Value right = train::AccuracyOp::create(builder, loss.value.getLoc(), loss.scores, loss.labels);
    results.push_back({right, TrainDialect::kMetric, builder.getStringAttr("accuracy")});
  }
  if (loss.logits) {
    results.push_back({loss.logits, train::kAreaMetric, builder.getStringAttr("auc")});
    results.push_back({loss.truths, train::kMetricLabel, builder.getStrArrayAttr({"auc"})});
  }
  return results;
}

Evaluation tutti::gradient::addEvaluation(ForwardFunction function, const LossOfGraph &loss) {
  if (loss.ofElements)
    return {addMeansOfSamples(function, loss), ""};
  auto op = loss.value.getDefiningOp<onnx::SoftmaxCrossEntropyLossOp>();
  if (!op || op.getReduction() != "mean")
    return {{},
            "the loss is not the mean of an onnx.SoftmaxCrossEntropyLoss, which can be taken "
            "apart into samples"};
  std::optional<int64_t> perSample = ElementsOfSample().find(op.getLabels());
  if (!perSample || *perSample == 0)
    return {{},
            "the labels of the loss do not come from an input sample after sample, as many of "
            "each as is known"};
  if (ShapedType::isDynamic(tensorType(op.getScores()).getDimSize(1)))
    return {{}, "the number of classes of the loss is not known"};
  return {CrossEntropyParts(op, *perSample, function.returned()).build(), ""};
}
