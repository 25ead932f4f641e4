// Optimizer nodes update groups of variables; each variable becomes one operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/TrainingNodes.h"

#include "lib/frontend/forms/ImportedNode.h"
#include "lib/frontend/model/AttributeReader.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

std::optional<OptimizerForm> OptimizerForm::of(const proto::NodeProto &node) {
  if (canonicalDomain(node.domain()) != trainingDomain)
    return std::nullopt;
  if (node.op_type() == "Momentum" || node.op_type() == "Adagrad")
    return OptimizerForm{1};
  if (node.op_type() == "Adam")
    return OptimizerForm{2};
  return std::nullopt;
}

std::optional<int> OptimizerForm::countVariables(const proto::NodeProto &node) const {
  int count = (node.input_size() - 2) / (2 + states);
  if (count < 1 || node.input_size() != 2 + count * (2 + states) ||
      node.output_size() != count * (1 + states))
    return std::nullopt;
  return count;
}

namespace {

/// Turns one optimizer node into one operation for each variable.
class OptimizerImporter {
public:
  OptimizerImporter(ImportedNode &node, OptimizerForm form, TensorScope &scope, OpBuilder &builder)
      : node(node), form(form), scope(scope), builder(builder) {}

  LogicalResult import() {
    std::optional<int> count = form.countVariables(node.proto);
    if (!count)
      return node.emitError() << "it has " << node.proto.input_size() << " inputs and "
                              << node.proto.output_size() << " outputs; expected R, T and "
                              << 2 + form.states << " inputs and " << 1 + form.states
                              << " outputs for each variable";
    rate = scalar(0), step = scalar(1);
    if (!rate || !step || failed(translateAttributes()))
      return failure();
    for (int variable = 0; variable < *count; ++variable)
      if (failed(importVariable(variable, *count)))
        return failure();
    return success();
  }

private:
  Value lookup(int input) {
    if (!node.inputName(input).empty())
      return scope.lookup(node.inputName(input), node.location);
    node.emitError() << "its input " << input << " is missing";
    return nullptr;
  }

  /// R and T are scalars; a tensor of one element is accepted, as some exporters write it.
  Value scalar(int input) {
    Value value = lookup(input);
    auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
    if (!value || (type && type.getRank() == 0))
      return value;
    if (auto unsqueeze = value.getDefiningOp<tutti::onnx::UnsqueezeOp>())
      if (cast<RankedTensorType>(unsqueeze.getData().getType()).getRank() == 0)
        return unsqueeze.getData();
    if (type && type.getRank() == 1 && type.getDimSize(0) == 1) {
      NamedAttrList axes;
      axes.set("axes", builder.getDenseI64ArrayAttr({0}));
      Operation *squeeze = createInferred(builder, node.location, "Squeeze", {value}, axes);
      return squeeze ? squeeze->getResult(0) : Value();
    }
    node.emitError() << "its input '" << node.inputName(input) << "' must be a scalar, got "
                     << value.getType();
    return nullptr;
  }

  /// Names and values of attributes as the train dialect has them.
  LogicalResult translateAttributes() {
    auto mode = dyn_cast_or_null<StringAttr>(node.attributes.get("mode"));
    if (mode) {
      std::optional<train::MomentumMode> known = train::symbolizeMomentumMode(mode.getValue());
      if (!known)
        return node.emitError() << "mode '" << mode.getValue()
                                << "' is neither standard nor nesterov";
      node.attributes.set("mode", train::MomentumModeAttr::get(builder.getContext(), *known));
    }
    for (StringRef required : requiredAttributes())
      if (!node.attributes.get(required))
        return node.emitError() << "its attribute '" << required << "' is missing";
    if (node.op == "Adam")
      node.attributes.set("epsilon_before_correction", builder.getUnitAttr());
    if (node.op == "Adam" &&
        !node.attributes.get("epsilon")) // the standard's default is not train.adam's
      node.attributes.set("epsilon", builder.getF32FloatAttr(1e-6f));
    return checkAttributes();
  }

  ArrayRef<StringRef> requiredAttributes() const {
    static constexpr StringRef ofMomentum[] = {"alpha", "beta", "mode", "norm_coefficient"};
    return node.op == "Momentum" ? ArrayRef<StringRef>(ofMomentum) : ArrayRef<StringRef>();
  }

  LogicalResult checkAttributes() {
    for (NamedAttribute attribute : node.attributes) {
      if (!llvm::is_contained(operationName().getAttributeNames(), attribute.getName()))
        return node.emitError() << "attribute '" << attribute.getName().getValue()
                                << "' is not one of its operator";
      if (!isa<FloatAttr, UnitAttr, train::MomentumModeAttr>(attribute.getValue()))
        return node.emitError() << "attribute '" << attribute.getName().getValue()
                                << "' must be a float";
    }
    return success();
  }

  RegisteredOperationName operationName() const {
    return *RegisteredOperationName::lookup("train." + StringRef(node.op).lower(),
                                            builder.getContext());
  }

  LogicalResult importVariable(int variable, int count) {
    OperationState state(node.location, operationName());
    for (int group = 0; group < 2 + form.states; ++group) {
      Value value = lookup(2 + group * count + variable);
      if (!value)
        return failure();
      if (group > 0 && value.getType() != state.operands[0].getType())
        return node.emitError() << "its input '" << node.inputName(2 + group * count + variable)
                                << "' must have the type of '" << node.inputName(2 + variable)
                                << "', " << state.operands[0].getType() << ", got "
                                << value.getType();
      state.operands.push_back(value);
    }
    state.types.assign(1 + form.states, state.operands[0].getType());
    state.operands.append({rate, step});
    state.attributes = node.attributes;
    Operation *update = builder.create(state);
    for (int group = 0; group < 1 + form.states; ++group)
      if (const std::string &name = node.proto.output(group * count + variable); !name.empty())
        scope.define(name, update->getResult(group));
    return success();
  }

  ImportedNode &node;
  OptimizerForm form;
  TensorScope &scope;
  OpBuilder &builder;
  Value rate, step;
};

} // namespace

LogicalResult tutti::frontend::importTrainingNode(const proto::NodeProto &node, TensorScope &scope,
                                                  const ModelFile &file, TensorReader &tensors,
                                                  OpBuilder &builder) {
  if (node.op_type() == "Gradient")
    return importGradient(node, scope, file, tensors, builder);
  std::optional<OptimizerForm> form = OptimizerForm::of(node);
  if (!form)
    return emitError(file.location(node))
           << describe(node) << ": " << trainingDomain
           << " has the operators Gradient, Momentum, Adagrad and Adam only";
  FailureOr<NamedAttrList> attributes = readAttributes(node, tensors, file.location(node));
  if (failed(attributes))
    return failure();
  ImportedNode imported{node, file.location(node), node.op_type(), {}, std::move(*attributes)};
  return OptimizerImporter(imported, *form, scope, builder).import();
}
