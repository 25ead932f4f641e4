// Type inference of recurrent layers and their gradients, and what both say of a layer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Recurrent.h"
#include "dialects/onnx/inference/Inference.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti::onnx;

using RecurrentKind = Recurrence::Kind;

namespace {

/// An activation as the standard names it.
struct NamedActivation {
  StringLiteral name;
  Activation::Function function;
  std::optional<float> alpha = std::nullopt, beta = std::nullopt; ///< where it takes such a number
};

using Function = Activation::Function;
constexpr NamedActivation namedActivations[] = {
    {"Affine", Function::Affine, 1.0f, 0.0f},
    {"Elu", Function::Elu, 1.0f},
    {"HardSigmoid", Function::HardSigmoid, 0.2f, 0.5f},
    {"LeakyRelu", Function::LeakyRelu, 0.01f},
    {"Relu", Function::Relu},
    {"ScaledTanh", Function::ScaledTanh, 1.0f, 1.0f},
    {"Sigmoid", Function::Sigmoid},
    {"Softplus", Function::Softplus},
    {"Softsign", Function::Softsign},
    {"Tanh", Function::Tanh},
    {"ThresholdedRelu", Function::ThresholdedRelu, 1.0f},
};

const NamedActivation *findActivation(StringRef name) {
  const auto *found = llvm::find_if(namedActivations, [&](const NamedActivation &known) {
    return known.name.equals_insensitive(name);
  });
  return found == std::end(namedActivations) ? nullptr : found;
}

/// The next number of a list, if the activation takes one and there is one left.
float takeNumber(std::optional<float> otherwise, ArrayRef<float> &numbers) {
  if (!otherwise || numbers.empty())
    return otherwise.value_or(0);
  float number = numbers.front();
  numbers = numbers.drop_front();
  return number;
}

SmallVector<StringRef> namesOfActivations(const Recurrence &layer) {
  SmallVector<StringRef> names;
  if (layer.activations) {
    for (Attribute name : *layer.activations)
      names.push_back(cast<StringAttr>(name).getValue());
    // The standard's list for an RNN has both directions, whether both are there or not.
    bool hasBoth = names.size() == static_cast<size_t>(2 * layer.functions());
    names.truncate(hasBoth ? layer.directions() * layer.functions() : names.size());
    return names;
  }
  static constexpr StringLiteral usual[] = {"Sigmoid", "Tanh", "Tanh"};
  for (int64_t direction = 0; direction < layer.directions(); ++direction)
    for (int64_t i = 0; i < layer.functions(); ++i)
      names.push_back(layer.kind == RecurrentKind::RNN ? "Tanh" : usual[i]);
  return names;
}

} // namespace

std::optional<SmallVector<Activation>> Recurrence::readActivations() const {
  SmallVector<StringRef> names = namesOfActivations(*this);
  if (names.size() != static_cast<size_t>(directions() * functions()))
    return std::nullopt;
  SmallVector<Activation> found;
  ArrayRef<float> alphas = alpha, betas = beta;
  for (StringRef name : names) {
    const NamedActivation *known = findActivation(name);
    if (!known)
      return std::nullopt;
    found.push_back(
        {known->function, takeNumber(known->alpha, alphas), takeNumber(known->beta, betas)});
  }
  return alphas.empty() && betas.empty() ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<Recurrence> tutti::onnx::findRecurrence(Operation *op) {
  using Found = std::optional<Recurrence>;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<RNNOp, RNNGradOp>([](auto layer) { return readRecurrence(layer, RecurrentKind::RNN); })
      .Case<GRUOp, GRUGradOp>([](auto layer) { return readRecurrence(layer, RecurrentKind::GRU); })
      .Case<LSTMOp, LSTMGradOp>(
          [](auto layer) { return readRecurrence(layer, RecurrentKind::LSTM); })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {

/// Checks a layer, and finds its sizes.
class LayerInference {
public:
  LayerInference(Inference &infer, const Recurrence &layer) : infer(infer), layer(layer) {}

  LogicalResult run() {
    if (failed(checkRanks()) || failed(checkAttributes()) || failed(checkWeights()))
      return failure();
    return success(succeeded(checkActivations()) && succeeded(checkBatch()));
  }

  /// Of all states, and of the last one.
  Shape states() const {
    if (layer.isBatchFirst())
      return {batch, steps, layer.directions(), hidden};
    return {steps, layer.directions(), batch, hidden};
  }
  Shape state() const {
    if (layer.isBatchFirst())
      return {batch, layer.directions(), hidden};
    return {layer.directions(), batch, hidden};
  }
  Shape sequence() const {
    return layer.isBatchFirst() ? Shape{batch, steps, inputs} : Shape{steps, batch, inputs};
  }
  Shape weights(int64_t columns) const {
    return {layer.directions(), layer.gates() * hidden, columns};
  }
  Shape bias() const { return {layer.directions(), 2 * layer.gates() * hidden}; }
  Shape peepholes() const { return {layer.directions(), Recurrence::peepholes * hidden}; }

  int64_t inputs = 0, hidden = 0;

private:
  /// rnn_c1
  LogicalResult checkRanks() {
    for (auto [name, operand] : {std::pair("X", layer.x), {"W", layer.w}, {"R", layer.r}})
      if (failed(infer.requireRank(operand, name, 3, 3)))
        return failure();
    if (ShapedType::isDynamicShape(shapeOf(layer.r)))
      return infer.error("needs R of static shape, but it is ", layer.r.getType());
    for (Value operand : {layer.w, layer.r, layer.b, layer.initialH, layer.initialC, layer.p})
      if (operand && failed(infer.requireOneElementType({layer.x, operand})))
        return failure();
    return success();
  }

  /// rnn_c2, rnn_c7
  LogicalResult checkAttributes() {
    static constexpr StringLiteral known[] = {"forward", "reverse", "bidirectional"};
    if (!llvm::is_contained(known, layer.direction))
      return infer.error("has direction '", layer.direction,
                         "', but needs forward, reverse or bidirectional");
    if (layer.layout != 0 && layer.layout != 1)
      return infer.error("has layout ", layer.layout, ", but needs 0 or 1");
    if (layer.clip && !(*layer.clip > 0))
      return infer.error("needs a clip above 0");
    return success();
  }

  /// rnn_c3, rnn_c4, lstm_c2
  LogicalResult checkWeights() {
    hidden = shapeOf(layer.r)[2];
    if (layer.hiddenSize && *layer.hiddenSize != hidden)
      return infer.error("has hidden_size ", *layer.hiddenSize, ", but R is ", layer.r.getType());
    std::optional<int64_t> both = mergeDimensions(shapeOf(layer.x)[2], shapeOf(layer.w)[2]);
    if (!both)
      return infer.error("needs as many columns of W as X has inputs, but they are ",
                         layer.w.getType(), " and ", layer.x.getType());
    inputs = *both;
    if (failed(infer.requireShape(layer.w, "W", weights(inputs))) ||
        failed(infer.requireShape(layer.r, "R", weights(hidden))) ||
        (layer.b && failed(infer.requireShape(layer.b, "B", bias()))))
      return failure();
    return layer.p ? infer.requireShape(layer.p, "P", peepholes()) : success();
  }

  /// rnn_c6
  LogicalResult checkActivations() {
    if (layer.readActivations())
      return success();
    SmallVector<StringRef> names = namesOfActivations(layer);
    for (StringRef name : names)
      if (!findActivation(name))
        return infer.error("has the activation '", name, "', which is not one of the standard's");
    if (names.size() != static_cast<size_t>(layer.directions() * layer.functions()))
      return infer.error("has ", names.size(), " activations, but needs ",
                         layer.directions() * layer.functions());
    return infer.error("has more numbers in activation_alpha or activation_beta than its "
                       "activations take");
  }

  /// rnn_c5
  LogicalResult checkBatch() {
    steps = shapeOf(layer.x)[layer.layout];
    batch = shapeOf(layer.x)[1 - layer.layout];
    auto merge = [&](Value operand, int64_t axis) {
      if (operand && static_cast<int64_t>(shapeOf(operand).size()) > axis)
        batch = mergeDimensions(batch, shapeOf(operand)[axis]).value_or(batch);
    };
    merge(layer.lengths, 0);
    merge(layer.initialH, 1 - layer.layout);
    merge(layer.initialC, 1 - layer.layout);
    if (layer.lengths && failed(infer.requireShape(layer.lengths, "sequence_lens", {batch})))
      return failure();
    for (auto [name, operand] :
         {std::pair("initial_h", layer.initialH), {"initial_c", layer.initialC}})
      if (operand && failed(infer.requireShape(operand, name, state())))
        return failure();
    return success();
  }

  Inference &infer;
  const Recurrence &layer;
  int64_t steps = 0, batch = 0;
};

LogicalResult inferLayer(Inference infer, const Recurrence &layer) {
  LayerInference sizes(infer, layer);
  if (failed(sizes.run()))
    return failure();
  Type element = elementOf(layer.x);
  (void)infer.give(sizes.states(), element);
  (void)infer.give(sizes.state(), element);
  return layer.kind == RecurrentKind::LSTM ? infer.give(sizes.state(), element) : success();
}

/// `incoming`: the gradients of Y, and of the states after the last step.
LogicalResult inferGradient(Inference infer, const Recurrence &layer, Value dY,
                            ArrayRef<Value> ofStates) {
  LayerInference sizes(infer, layer);
  if (failed(sizes.run()) || (dY && failed(infer.requireShape(dY, "dY", sizes.states()))))
    return failure();
  for (Value gradient : ofStates) // rnngrad_c1
    if (gradient && failed(infer.requireShape(gradient, "the gradient of a state", sizes.state())))
      return failure();
  Type element = elementOf(layer.x);
  (void)infer.give(sizes.sequence(), element);
  (void)infer.give(sizes.weights(sizes.inputs), element);
  (void)infer.give(sizes.weights(sizes.hidden), element);
  (void)infer.give(sizes.bias(), element);
  (void)infer.give(sizes.state(), element);
  if (layer.kind == RecurrentKind::LSTM) {
    (void)infer.give(sizes.state(), element);
    (void)infer.give(sizes.peepholes(), element);
  }
  return success();
}

} // namespace

TUTTI_ONNX_INFER(RNNOp) {
  return inferLayer({getOperationName(), location, types},
                    readRecurrence(adaptor, RecurrentKind::RNN));
}
TUTTI_ONNX_INFER(GRUOp) {
  return inferLayer({getOperationName(), location, types},
                    readRecurrence(adaptor, RecurrentKind::GRU));
}
TUTTI_ONNX_INFER(LSTMOp) {
  return inferLayer({getOperationName(), location, types},
                    readRecurrence(adaptor, RecurrentKind::LSTM));
}
TUTTI_ONNX_INFER(RNNGradOp) {
  return inferGradient({getOperationName(), location, types},
                       readRecurrence(adaptor, RecurrentKind::RNN), adaptor.getDY(),
                       {adaptor.getDYH()});
}
TUTTI_ONNX_INFER(GRUGradOp) {
  return inferGradient({getOperationName(), location, types},
                       readRecurrence(adaptor, RecurrentKind::GRU), adaptor.getDY(),
                       {adaptor.getDYH()});
}
TUTTI_ONNX_INFER(LSTMGradOp) {
  return inferGradient({getOperationName(), location, types},
                       readRecurrence(adaptor, RecurrentKind::LSTM), adaptor.getDY(),
                       {adaptor.getDYH(), adaptor.getDYC()});
}
