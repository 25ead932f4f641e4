// Classes of initializers, from the operand slots that they stand in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/VariableClasses.h"

#include "lib/frontend/graph/OpsetForms.h"
#include "lib/frontend/graph/TrainingNodes.h"
#include "lib/frontend/model/ElementTypes.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;
using train::VariableClass;

TensorUses::TensorUses(const NodeList &nodes) {
  for (const proto::NodeProto *node : nodes)
    if (canonicalDomain(node->domain()) == trainingDomain)
      addTrainingUses(*node);
    else
      addUses(*node);
}

void TensorUses::addUses(const proto::NodeProto &node) {
  bool isStandard = canonicalDomain(node.domain()).empty();
  for (int index = 0; index < node.input_size(); ++index) {
    if (isStandard && isSettingOperand(node.op_type(), index))
      continue;
    bool isStatistic = isStandard && node.op_type() == "BatchNormalization" && index >= 3;
    (isStatistic ? statistics : parameters).insert(node.input(index));
  }
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
  if (parameters.contains(tensor.name()))
    return VariableClass::Trainable;
  return statistics.contains(tensor.name()) ? std::optional(VariableClass::Other) : std::nullopt;
}

VariableClass TensorUses::classOfUpdated(StringRef name) const {
  if (differentiated.contains(name))
    return VariableClass::Trainable;
  return states.contains(name) ? VariableClass::State : VariableClass::Other;
}
