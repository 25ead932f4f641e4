// Takes a loss apart into what each sample adds to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Evaluation.h"

#include "dialects/train/EvaluationRoles.h"
#include "lib/layout/SampleRoles.h"

#include "llvm/ADT/StringSwitch.h"

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

/// Whether samples stand one after the other, all that belongs to each together.
static bool isSampleBySample(const Layout &layout) {
  return layout.isShard() && layout.dimension == 0 && layout.outer == 1 && layout.scale == 0;
}

/// How many elements of `value` belong to each sample, where all those of the first sample come
/// first in row-major order, then those of the second, and so on; none where they may not.
static std::optional<int64_t> elementsOfSample(Value value, const SampleRoles &roles) {
  Layout layout = roles.get(value);
  std::optional<int64_t> ofEntry = elementsOfEntry(value);
  if (!isSampleBySample(layout) || !ofEntry)
    return std::nullopt;
  return layout.inner * *ofEntry;
}

/// Whether the largest of the scores, [batch, classes, ...], stands at its label, for each label
/// one after the other.
static Value addAccuracy(OpBuilder &builder, Location location, Value scores, Value labels) {
  int64_t rank = tensorType(scores).getRank(), classes = tensorType(scores).getDimSize(1);
  if (rank > 2) {
    SmallVector<int64_t> classesLast = {0};
    llvm::append_range(classesLast, llvm::seq<int64_t>(2, rank));
    classesLast.push_back(1);
    scores = onnx::TransposeOp::create(builder, location, scores,
                                       builder.getDenseI64ArrayAttr(classesLast));
    scores = onnx::ReshapeOp::create(builder, location, scores, {-1, classes});
    labels = onnx::ReshapeOp::create(builder, location, labels, ArrayRef<int64_t>{-1});
  }
  return train::AccuracyOp::create(builder, location, scores, labels);
}

namespace {

/// The parts of a cross entropy that is a mean or a sum over labels.
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

/// [samples, elements of each], or [samples] where each has one. Keeps a shape that is like that:
/// what weighs a metric has its shape.
Value CrossEntropyParts::splitSamples(Value value) {
  int64_t rank = perSample == 1 ? 1 : 2;
  if (tensorType(value).getRank() == rank && elementsOfEntry(value) == perSample)
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

Value CrossEntropyParts::addAccuracy() {
  return splitSamples(::addAccuracy(builder, op.getLoc(), op.getScores(), op.getLabels()));
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
  StringRef role =
      op.getReduction() == "sum" ? StringRef(train::kSumMetric) : StringRef(TrainDialect::kMetric);
  SmallVector<Result> results = {metric(role, "loss", losses),
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
  std::optional<int64_t> perSample = loss.labels ? elementsOfEntry(loss.labels) : std::nullopt;
  if (perSample.value_or(0) > 0) {
    Value right = addAccuracy(builder, loss.value.getLoc(), loss.scores, loss.labels);
    if (tensorType(loss.labels).getRank() > 1)
      right = onnx::ReshapeOp::create(builder, loss.value.getLoc(), right, {-1, *perSample});
    results.push_back({right, TrainDialect::kMetric, builder.getStringAttr("accuracy")});
  }
  if (loss.logits) {
    results.push_back({loss.logits, train::kAreaMetric, builder.getStringAttr("auc")});
    results.push_back({loss.truths, train::kMetricLabel, builder.getStrArrayAttr({"auc"})});
  }
  return results;
}

/// The parts of a cross entropy, and how much they count; none where its samples are not known to
/// be apart.
static SmallVector<Result> takeApart(ForwardFunction function, onnx::SoftmaxCrossEntropyLossOp op,
                                     const SampleRoles &roles) {
  std::optional<int64_t> perSample = elementsOfSample(op.getLabels(), roles);
  if (op.getReduction() == "none" || perSample.value_or(0) == 0 ||
      !isSampleBySample(roles.get(op.getScores())) ||
      ShapedType::isDynamic(tensorType(op.getScores()).getDimSize(1)))
    return {};
  return CrossEntropyParts(op, *perSample, function.returned()).build();
}

static SmallVector<Result> takeApart(ForwardFunction function, const LossOfGraph &loss,
                                     const SampleRoles &roles) {
  if (loss.ofElements)
    return addMeansOfSamples(function, loss);
  auto op = loss.value.getDefiningOp<onnx::SoftmaxCrossEntropyLossOp>();
  return op ? takeApart(function, op, roles) : SmallVector<Result>();
}

/// As what a number of this layout is evaluated.
static StringRef evaluationRole(const Layout &layout) {
  return llvm::StringSwitch<StringRef>(spellRole(layout))
      .Case("sum", train::kSumOfBatch)
      .Case("max", train::kMaximumOfBatch)
      .Case("min", train::kMinimumOfBatch)
      .Case("mean", train::kMeanOfBatch)
      .Case("whole", layout.isWhole() ? train::kMeanOfBatch : train::kNumberOfWholeBatch)
      .Default(train::kNumberOfWholeBatch);
}

/// Puts the loss of whole batches in the place of those of samples, which are not apart; what is
/// left is that of each sample beside the others of its batch.
static void replaceLosses(SmallVectorImpl<Result> &results, const Result &whole) {
  llvm::erase_if(results, [](const Result &result) {
    return result.role != TrainDialect::kMetric && result.role != train::kAreaMetric &&
           result.role != train::kMetricLabel;
  });
  llvm::erase_if(results,
                 [&](const Result &result) { return result.attribute == whole.attribute; });
  results.insert(results.begin(), whole);
}

/// The operation that makes of several samples what is nothing that evaluation can take apart.
static Operation *findJoint(Value loss, const SampleRoles &roles) {
  SmallVector<Operation *> chain = roles.getChain(loss, /*most=*/1);
  return chain.empty() ? loss.getDefiningOp() : chain.front();
}

Evaluation tutti::gradient::addEvaluation(ForwardFunction function, const LossOfGraph &loss) {
  // As for several ranks: nothing is completed, what would have to be belongs to a whole batch.
  SampleRoles roles(function.op(), /*isDistributed=*/true);
  StringRef role = evaluationRole(roles.get(loss.value));
  Result whole = {loss.value, role, StringAttr::get(loss.value.getContext(), "loss")};
  Evaluation evaluation;
  evaluation.results = takeApart(function, loss, roles);
  bool isApart = !evaluation.results.empty();
  if (!isApart)
    evaluation.results = {whole};
  else if (loss.ofElements && !isSampleBySample(roles.get(loss.ofElements)))
    replaceLosses(evaluation.results, whole), isApart = false;
  if (!isApart && role == train::kNumberOfWholeBatch)
    evaluation.joins = findJoint(loss.value, roles);
  return evaluation;
}
