// Gradient of ai.onnx.preview.training: tensor names cut a function y = f(xs, zs) out of the graph,
// and the node's inputs say where it is differentiated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ImportedNode.h"
#include "lib/frontend/graph/TrainingNodes.h"
#include "lib/frontend/model/AttributeReader.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

namespace {

class GradientImporter {
public:
  GradientImporter(ImportedNode &node, TensorScope &scope, OpBuilder &builder)
      : node(node), scope(scope), builder(builder) {}

  LogicalResult import() {
    if (failed(readNames()) || failed(lookUpValues()))
      return failure();
    if (variables != values) // differentiated elsewhere than where the graph evaluates it
      cloneFunction();
    auto gradient = train::GradientOp::create(builder, node.location, y,
                                              ArrayRef<Value>(values).take_front(countXs));
    for (auto [name, result] : llvm::zip(node.proto.output(), gradient.getGradients()))
      if (!name.empty())
        scope.define(name, result);
    return success();
  }

private:
  LogicalResult readStrings(StringRef attribute) {
    auto strings = dyn_cast_or_null<ArrayAttr>(node.attributes.get(attribute));
    if (!strings)
      return success();
    for (Attribute name : strings)
      if (auto string = dyn_cast<StringAttr>(name))
        names.push_back(string.getValue());
    return success();
  }

  LogicalResult readNames() {
    (void)readStrings("xs");
    countXs = names.size();
    (void)readStrings("zs");
    auto ofY = dyn_cast_or_null<StringAttr>(node.attributes.get("y"));
    if (countXs == 0 || !ofY)
      return node.emitError() << "it needs the attributes xs (tensors to differentiate by) and y";
    nameOfY = ofY.getValue();
    if (node.proto.input_size() != static_cast<int>(names.size()))
      return node.emitError() << "it has " << node.proto.input_size() << " inputs for the "
                              << names.size() << " tensors that xs and zs name";
    if (node.proto.output_size() > static_cast<int>(countXs))
      return node.emitError() << "it has " << node.proto.output_size() << " outputs for the "
                              << countXs << " tensors that xs names";
    return success();
  }

  LogicalResult lookUpValues() {
    y = scope.lookup(nameOfY, node.location);
    if (!y)
      return failure();
    if (!isFloatTensor(y))
      return node.emitError() << "y = '" << nameOfY << "' is not a float tensor but "
                              << y.getType();
    for (auto [index, name] : llvm::enumerate(names)) {
      Value named = scope.lookup(name, node.location);
      Value value = named ? scope.lookup(node.proto.input(index), node.location) : Value();
      if (!value)
        return failure();
      if (index < countXs && !isFloatTensor(named))
        return node.emitError() << "xs names '" << name << "', which is not a float tensor but "
                                << named.getType();
      if (named.getType() != value.getType())
        return node.emitError() << "its input '" << node.proto.input(index) << "' stands for '"
                                << name << "' and must have its type, " << named.getType()
                                << ", got " << value.getType();
      variables.push_back(named);
      values.push_back(value);
    }
    return success();
  }

  static bool isFloatTensor(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && isa<FloatType>(type.getElementType());
  }

  /// Clones the operations between the variables and y, with the variables replaced by fresh
  /// values.
  void cloneFunction() {
    IRMapping mapping;
    for (auto [variable, value] : llvm::zip_equal(variables, values)) {
      value = tutti::onnx::IdentityOp::create(builder, node.location, value);
      mapping.map(variable, value);
    }
    for (Operation *operation : operationsOfFunction())
      if (llvm::any_of(operation->getOperands(),
                       [&](Value operand) { return mapping.contains(operand); }) &&
          llvm::none_of(operation->getResults(),
                        [&](Value result) { return mapping.contains(result); }))
        builder.clone(*operation, mapping);
    y = mapping.lookupOrDefault(y);
  }

  /// What y depends on, in order, not looking past the variables.
  SmallVector<Operation *> operationsOfFunction() const {
    llvm::SmallPtrSet<Operation *, 16> seen;
    SmallVector<Value> open{y};
    while (!open.empty()) {
      Value value = open.pop_back_val();
      Operation *operation = llvm::is_contained(variables, value) ? nullptr : value.getDefiningOp();
      if (operation && seen.insert(operation).second)
        open.append(operation->operand_begin(), operation->operand_end());
    }
    SmallVector<Operation *> sorted(seen.begin(), seen.end());
    llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return sorted;
  }

  ImportedNode &node;
  TensorScope &scope;
  OpBuilder &builder;
  SmallVector<StringRef> names; ///< xs, then zs
  size_t countXs = 0;           ///< how many of `names` are xs
  StringRef nameOfY;
  SmallVector<Value> variables; ///< the tensors of those names
  SmallVector<Value> values;    ///< the node's inputs, which stand for them
  Value y;
};

} // namespace

LogicalResult tutti::frontend::importGradient(const proto::NodeProto &node, TensorScope &scope,
                                              const ModelFile &file, TensorReader &tensors,
                                              OpBuilder &builder) {
  FailureOr<NamedAttrList> attributes = readAttributes(node, tensors, file.location(node));
  if (failed(attributes))
    return failure();
  ImportedNode imported{node, file.location(node), node.op_type(), {}, std::move(*attributes)};
  return GradientImporter(imported, scope, builder).import();
}
