// What formulas need that depends on the types of operands, and no operator of ONNX says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/FormulaOperators.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

static Value create(OpBuilder &builder, Location location, StringRef op, Value operand,
                    StringRef name, Attribute attribute) {
  NamedAttrList attributes;
  attributes.set(name, attribute);
  Operation *created = createInferred(builder, location, op, {operand}, attributes);
  return created ? created->getResult(0) : Value();
}

static Value widen(Value value, OpBuilder &builder, Location location) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 16)
    return value;
  return create(builder, location, "Cast", value, "to", TypeAttr::get(builder.getF32Type()));
}

static Value transposeLast(Value value, OpBuilder &builder, Location location) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank < 2)
    return emitError(location) << "a tensor of rank " << rank << " cannot be transposed", nullptr;
  auto order = llvm::to_vector(llvm::seq(rank));
  std::swap(order[rank - 2], order[rank - 1]);
  return create(builder, location, "Transpose", value, "perm", builder.getDenseI64ArrayAttr(order));
}

/// Sums over the dimensions in front, then over those that are 1 in `shape`.
static Value sumTo(Value value, RankedTensorType shape, OpBuilder &builder, Location location) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t more = type.getRank() - shape.getRank();
  auto sum = [&](ArrayRef<int64_t> axes, int64_t keepdims) {
    NamedAttrList attributes;
    attributes.set("axes", builder.getDenseI64ArrayAttr(axes));
    attributes.set("keepdims", builder.getI64IntegerAttr(keepdims));
    Operation *created = createInferred(builder, location, "ReduceSum", {value}, attributes);
    return created ? created->getResult(0) : Value();
  };
  if (more > 0)
    value = sum(llvm::to_vector(llvm::seq(more)), /*keepdims=*/0);
  SmallVector<int64_t> repeated;
  for (int64_t dimension = 0; dimension < shape.getRank(); ++dimension)
    if (shape.getDimSize(dimension) == 1 && type.getDimSize(dimension + more) != 1)
      repeated.push_back(dimension);
  return value && !repeated.empty() ? sum(repeated, /*keepdims=*/1) : value;
}

LogicalResult tutti::frontend::importFormulaOperator(const proto::NodeProto &node,
                                                     TensorScope &scope, OpBuilder &builder,
                                                     Location location) {
  SmallVector<Value> operands;
  for (const std::string &input : node.input()) {
    Value value = scope.lookup(input, location);
    if (!value)
      return failure();
    if (!isa<RankedTensorType>(value.getType()))
      return emitError(location) << "the shape of '" << input << "' is not known";
    operands.push_back(value);
  }
  StringRef op = node.op_type();
  Value result;
  if (op == "Widen" && operands.size() == 1)
    result = widen(operands[0], builder, location);
  else if (op == "TransposeLast" && operands.size() == 1)
    result = transposeLast(operands[0], builder, location);
  else if (op == "SumTo" && operands.size() == 2)
    result = sumTo(operands[0], cast<RankedTensorType>(operands[1].getType()), builder, location);
  else
    return emitError(location) << describe(node) << " is not for models";
  if (result)
    scope.define(node.output(0), result);
  return success(result != nullptr);
}
