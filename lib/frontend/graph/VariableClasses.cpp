// Classes of initializers, from the operand slots that they stand in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/VariableClasses.h"

#include "lib/frontend/forms/OpsetForms.h"
#include "lib/frontend/graph/TrainingNodes.h"
#include "lib/frontend/model/ElementTypes.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;
using train::VariableClass;

TensorUses::TensorUses(const NodeList &nodes, const FunctionBodies &bodies) {
  Functions functions{bodies, {}, 0};
  addAll(nodes, functions);
}

/// Operators that calculate with scalars as they do with tensors.
static bool isArithmetic(StringRef op) {
  static constexpr StringRef operators[] = {"Add", "Sub", "Mul", "Div",  "Max",  "Min",
                                            "Mod", "Pow", "Sum", "Mean", "Where"};
  return llvm::is_contained(operators, op);
}

/// Running statistics of a normalization, and what each class counts in a loss: no gradient reaches
/// them.
static bool isStatisticOperand(const proto::NodeProto &node, int index) {
  StringRef domain = canonicalDomain(node.domain()), op = node.op_type();
  if (domain.empty() && op == "BatchNormalization")
    return index >= 3;
  return index == 2 && (domain.empty() || domain == "com.microsoft") &&
         (op.starts_with("SoftmaxCrossEntropyLoss") ||
          op.starts_with("NegativeLogLikelihoodLoss")) &&
         !op.ends_with("Grad");
}

/// What is added to a matrix product may be the bias of a layer with one unit.
void TensorUses::addBias(const proto::NodeProto &add) {
  if (add.input_size() != 2)
    return;
  for (int index : {0, 1})
    if (products.contains(add.input(index)))
      weights.insert(add.input(1 - index));
}

void TensorUses::addAll(const NodeList &nodes, Functions &functions) {
  for (const proto::NodeProto *node : nodes)
    if (canonicalDomain(node->domain()) == trainingDomain)
      addTrainingUses(*node);
    else
      addUses(*node, functions);
}

void TensorUses::addUses(const proto::NodeProto &node, Functions &functions) {
  const proto::FunctionProto *function = functions.bodies.functionOfModel(node);
  if (function && succeeded(addUsesOfFunction(node, *function, functions)))
    return;
  bool isStandard = canonicalDomain(node.domain()).empty();
  for (int index = 0; index < node.input_size(); ++index) {
    if (isStandard && isSettingOperand(node.op_type(), index)) {
      if (node.op_type() == "Pow")
        exponents.insert(node.input(index));
      continue;
    }
    bool isStatistic = isStatisticOperand(node, index);
    (isStatistic ? statistics : parameters).insert(node.input(index));
    if (!isStandard || !isArithmetic(node.op_type()))
      weights.insert(node.input(index));
  }
  if (isStandard && node.op_type() == "MatMul" && node.output_size() == 1)
    products.insert(node.output(0));
  if (isStandard && node.op_type() == "Add")
    addBias(node);
  for (const auto &attribute : node.attribute())
    for (const proto::NodeProto &inner : attribute.g().node())
      addUses(inner, functions);
}

/// An input of a function is used as the function uses it.
LogicalResult TensorUses::addUsesOfFunction(const proto::NodeProto &call,
                                            const proto::FunctionProto &function,
                                            Functions &functions) {
  constexpr int deepest = 64;
  if (functions.depth == deepest)
    return failure();
  if (functions.uses.try_emplace(&function).second) {
    NodeList nodes;
    for (const proto::NodeProto &node : function.node())
      nodes.push_back(&node);
    std::unique_ptr<TensorUses> uses(new TensorUses);
    ++functions.depth;
    uses->addAll(nodes, functions);
    --functions.depth;
    functions.uses[&function] = std::move(uses);
  }
  const std::unique_ptr<TensorUses> &inside = functions.uses[&function];
  if (!inside)
    return failure();
  for (int index = 0; index < std::min(call.input_size(), function.input_size()); ++index) {
    if (inside->parameters.contains(function.input(index)))
      parameters.insert(call.input(index));
    if (inside->exponents.contains(function.input(index)))
      exponents.insert(call.input(index));
    if (inside->weights.contains(function.input(index)))
      weights.insert(call.input(index));
    if (inside->statistics.contains(function.input(index)))
      statistics.insert(call.input(index));
  }
  return success();
}

void TensorUses::addTrainingUses(const proto::NodeProto &node) {
  for (const auto &attribute : node.attribute())
    if (node.op_type() == "Gradient" && attribute.name() == "xs")
      differentiated.insert(attribute.strings().begin(), attribute.strings().end());
  std::optional<OptimizerForm> form = OptimizerForm::of(node);
  std::optional<int> count = form ? form->countVariables(node) : std::nullopt;
  if (!count)
    return;
  learningRates.insert(node.input(0));
  for (int index = 2 + 2 * *count; index < node.input_size(); ++index)
    states.insert(node.input(index));
}

/// A number of rank 0, or a tensor of one element that is only calculated with.
bool TensorUses::isScalar(const proto::TensorProto &tensor) const {
  bool hasOneElement = llvm::all_of(tensor.dims(), [](int64_t size) { return size == 1; });
  return hasOneElement && (tensor.dims_size() == 0 || !weights.contains(tensor.name()));
}

std::optional<VariableClass> TensorUses::classOfParameter(const proto::TensorProto &tensor) const {
  switch (tensor.data_type()) {
  case proto::TensorProto::FLOAT:
  case proto::TensorProto::DOUBLE:
  case proto::TensorProto::FLOAT16:
  case proto::TensorProto::BFLOAT16:
    break;
  default:
    return std::nullopt;
  }
  bool isExponent = tensor.dims_size() > 0 && exponents.contains(tensor.name());
  if (parameters.contains(tensor.name()) || isExponent)
    return isScalar(tensor) ? VariableClass::Other : VariableClass::Trainable;
  return statistics.contains(tensor.name()) ? std::optional(VariableClass::Other) : std::nullopt;
}

VariableClass TensorUses::classOfUpdated(StringRef name) const {
  if (differentiated.contains(name))
    return VariableClass::Trainable;
  return states.contains(name) ? VariableClass::State : VariableClass::Other;
}
