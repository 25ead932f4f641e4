// Gradients and optimizers of ai.onnx.preview.training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/GraphWriter.h"
#include "lib/frontend/export/TensorWriter.h"

#include "dialects/train/Train.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;
using proto::AttributeProto;

static void addNumber(proto::NodeProto &node, StringRef name, const APFloat &value) {
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(AttributeProto::FLOAT);
  attribute.set_f(value.convertToFloat());
}

static AttributeProto &addText(proto::NodeProto &node, StringRef name, StringRef value) {
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(AttributeProto::STRING);
  attribute.set_s(value.str());
  return attribute;
}

static void addTexts(proto::NodeProto &node, StringRef name, ArrayRef<std::string> values) {
  if (values.empty())
    return;
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(AttributeProto::STRINGS);
  for (const std::string &value : values)
    attribute.add_strings(value);
}

/// The arguments that hold data and that `gradient` depends on without being asked about.
static SmallVector<Value> otherInputs(train::GradientOp gradient) {
  Block *block = gradient->getBlock();
  auto function = cast<func::FuncOp>(block->getParentOp());
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  (void)getBackwardSlice(gradient.getOperation(), &slice, options);
  slice.insert(gradient);
  SmallVector<Value> inputs;
  for (BlockArgument argument : block->getArguments()) {
    bool isData =
        function.getArgAttr(argument.getArgNumber(), train::TrainDialect::kInput) != nullptr;
    if (isData && !llvm::is_contained(gradient.getVariables(), argument) &&
        llvm::any_of(argument.getUsers(), [&](Operation *user) { return slice.contains(user); }))
      inputs.push_back(argument);
  }
  return inputs;
}

static LogicalResult writeGradient(train::GradientOp gradient, GraphWriter &writer) {
  SmallVector<std::string> xs, zs;
  for (Value variable : gradient.getVariables())
    xs.push_back(writer.nameOf(variable));
  for (Value input : otherInputs(gradient))
    zs.push_back(writer.nameOf(input));
  proto::NodeProto &node = writer.addNode(gradient, trainingDomain, "Gradient");
  for (const std::string &name : llvm::concat<std::string>(xs, zs))
    node.add_input(name);
  writer.addOutputs(gradient, node);
  addTexts(node, "xs", xs);
  addTexts(node, "zs", zs);
  addText(node, "y", writer.nameOf(gradient.getValue()));
  return success();
}

/// One node for one variable: R, T, X, G, states. Without a step, and so without a T, it is a call.
static proto::NodeProto &writeOptimizer(tutti::OptimizerOpInterface update, Value rate, Value step,
                                        StringRef type, GraphWriter &writer) {
  proto::NodeProto &node = writer.addNode(update, trainingDomain, type);
  node.add_input(writer.nameOf(rate));
  node.add_input(writer.nameOf(step));
  node.add_input(writer.nameOf(update->getOperand(0)));
  node.add_input(writer.nameOf(update->getOperand(1)));
  for (Value state : update.getStates())
    node.add_input(writer.nameOf(state));
  writer.addOutputs(update, node);
  return node;
}

template <typename Update>
static proto::NodeProto &writeOptimizer(Update update, StringRef type, GraphWriter &writer) {
  auto interface = cast<tutti::OptimizerOpInterface>(update.getOperation());
  return writeOptimizer(interface, update.getLearningRate(), update.getStep(), type, writer);
}

static LogicalResult writeMomentum(train::MomentumOp update, GraphWriter &writer) {
  proto::NodeProto &node = writeOptimizer(update, "Momentum", writer);
  addNumber(node, "alpha", update.getAlpha());
  addNumber(node, "beta", update.getBeta());
  addNumber(node, "norm_coefficient", update.getNormCoefficient());
  addText(node, "mode", train::stringifyMomentumMode(update.getMode()));
  return success();
}

static LogicalResult writeAdagrad(train::AdagradOp update, GraphWriter &writer) {
  proto::NodeProto &node = writeOptimizer(update, "Adagrad", writer);
  addNumber(node, "decay_factor", update.getDecayFactor());
  addNumber(node, "epsilon", update.getEpsilon());
  addNumber(node, "norm_coefficient", update.getNormCoefficient());
  return success();
}

/// Adam of the standard adds epsilon before the correction of the second moment.
static LogicalResult writeAdam(train::AdamOp update, GraphWriter &writer) {
  if (!update.getEpsilonBeforeCorrection())
    return writer.writeCall(update);
  proto::NodeProto &node = writeOptimizer(update, "Adam", writer);
  addNumber(node, "alpha", update.getAlpha());
  addNumber(node, "beta", update.getBeta());
  addNumber(node, "epsilon", update.getEpsilon());
  addNumber(node, "norm_coefficient", update.getNormCoefficient());
  addNumber(node, "norm_coefficient_post", update.getNormCoefficientPost());
  return success();
}

static LogicalResult writeFullLike(train::FullLikeOp full, GraphWriter &writer) {
  auto type = cast<RankedTensorType>(full.getResult().getType());
  if (!type.hasStaticShape())
    return writer.writeCall(full);
  Attribute value = FloatAttr::get(type.getElementType(), full.getValueAttr().getValueAsDouble());
  return writer.addConstant(full, DenseElementsAttr::get(type, value));
}

LogicalResult tutti::frontend::writeTrainingNode(Operation *op, GraphWriter &writer) {
  if (auto gradient = dyn_cast<train::GradientOp>(op))
    return writeGradient(gradient, writer);
  if (auto full = dyn_cast<train::FullLikeOp>(op))
    return writeFullLike(full, writer);
  if (auto update = dyn_cast<train::MomentumOp>(op); update && update.getStep())
    return writeMomentum(update, writer);
  if (auto update = dyn_cast<train::AdagradOp>(op); update && update.getStep())
    return writeAdagrad(update, writer);
  if (auto update = dyn_cast<train::AdamOp>(op))
    return writeAdam(update, writer);
  return writer.writeCall(op);
}
