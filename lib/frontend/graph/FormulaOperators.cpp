// What formulas need that depends on the types of operands, and no operator of ONNX says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/FormulaOperators.h"

#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/model/ModelFile.h"

#include "dialects/train/Train.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// One node of a formula; each function fails after a diagnostic.
class FormulaNode {
public:
  FormulaNode(const proto::NodeProto &node, TensorScope &scope, OpBuilder &builder,
              Location location)
      : node(node), scope(scope), builder(builder), location(location) {}

  LogicalResult import();

private:
  using Attributes = std::initializer_list<std::pair<StringRef, Attribute>>;

  Value create(StringRef op, ValueRange operands, Attributes attributes = {});
  FailureOr<SmallVector<Value>> lookUpOperands();
  FailureOr<Sizes> lookUpSizes(int index);
  int64_t axisIn(int64_t rank) const;
  LogicalResult give(Value result);

  LogicalResult widen();
  LogicalResult transposeLast();
  LogicalResult sumTo();
  LogicalResult same();
  LogicalResult sizesAlong();
  LogicalResult repeatedAxes();
  LogicalResult scatterRows();
  LogicalResult sumOfSquares();
  LogicalResult attend();
  LogicalResult embedding();

  Value toWide(Value value);
  Value transpose(Value value, ArrayRef<int64_t> order);
  FailureOr<Value> toRows(Value value, int64_t begin, int64_t count);

  const proto::NodeProto &node;
  TensorScope &scope;
  OpBuilder &builder;
  Location location;
};

} // namespace

Value FormulaNode::create(StringRef op, ValueRange operands, Attributes list) {
  if (llvm::is_contained(operands, Value()))
    return nullptr;
  NamedAttrList attributes;
  for (auto [name, attribute] : list)
    attributes.set(name, attribute);
  SmallVector<Value> values(operands);
  Operation *created = createInferred(builder, location, op, values, attributes);
  return created ? created->getResult(0) : Value();
}

FailureOr<SmallVector<Value>> FormulaNode::lookUpOperands() {
  SmallVector<Value> operands;
  for (const std::string &input : node.input()) {
    Value value = scope.lookup(input, location);
    if (!value)
      return failure();
    if (!isa<RankedTensorType>(value.getType()))
      return emitError(location) << "the shape of '" << input << "' is not known";
    operands.push_back(value);
  }
  return operands;
}

FailureOr<Sizes> FormulaNode::lookUpSizes(int index) {
  std::optional<Sizes> sizes = scope.lookupSizes(node.input(index), location);
  if (sizes)
    return std::move(*sizes);
  return emitError(location) << "its shape must be constant integers or be computed from sizes, "
                                "because a compiled program needs it";
}

int64_t FormulaNode::axisIn(int64_t rank) const {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == "axis")
      return attribute.i() < 0 ? attribute.i() + rank : attribute.i();
  return 0;
}

LogicalResult FormulaNode::give(Value result) {
  if (result)
    scope.define(node.output(0), result);
  return success(result != nullptr);
}

//===----------------------------------------------------------------------===//
// Types and dimensions
//===----------------------------------------------------------------------===//

Value FormulaNode::toWide(Value value) {
  Type element = typeOf(value).getElementType();
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 16)
    return value;
  return create("Cast", value, {{"to", TypeAttr::get(builder.getF32Type())}});
}

LogicalResult FormulaNode::widen() {
  auto operands = lookUpOperands();
  return failed(operands) ? failure() : give(toWide(operands->front()));
}

Value FormulaNode::transpose(Value value, ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return value;
  return create("Transpose", value, {{"perm", builder.getDenseI64ArrayAttr(order)}});
}

LogicalResult FormulaNode::transposeLast() {
  auto operands = lookUpOperands();
  if (failed(operands))
    return failure();
  int64_t rank = typeOf(operands->front()).getRank();
  if (rank < 2)
    return emitError(location) << "a tensor of rank " << rank << " cannot be transposed";
  auto order = llvm::to_vector(llvm::seq(rank));
  std::swap(order[rank - 2], order[rank - 1]);
  return give(transpose(operands->front(), order));
}

/// Sums over the dimensions in front, then over those that are 1 in the other operand.
LogicalResult FormulaNode::sumTo() {
  auto operands = lookUpOperands();
  if (failed(operands))
    return failure();
  Value value = operands->front();
  RankedTensorType type = typeOf(value), shape = typeOf((*operands)[1]);
  int64_t more = type.getRank() - shape.getRank();
  auto sum = [&](ArrayRef<int64_t> axes, int64_t keepdims) {
    return create("ReduceSum", value,
                  {{"axes", builder.getDenseI64ArrayAttr(axes)},
                   {"keepdims", builder.getI64IntegerAttr(keepdims)}});
  };
  if (more > 0)
    value = sum(llvm::to_vector(llvm::seq(more)), /*keepdims=*/0);
  SmallVector<int64_t> repeated;
  for (int64_t dimension = 0; dimension < shape.getRank(); ++dimension)
    if (shape.getDimSize(dimension) == 1 && type.getDimSize(dimension + more) != 1)
      repeated.push_back(dimension);
  return give(value && !repeated.empty() ? sum(repeated, /*keepdims=*/1) : value);
}

//===----------------------------------------------------------------------===//
// Lists and sizes
//===----------------------------------------------------------------------===//

/// Each result is the operand of its place.
LogicalResult FormulaNode::same() {
  auto operands = lookUpOperands();
  if (failed(operands))
    return failure();
  if (operands->size() < static_cast<size_t>(node.output_size()))
    return emitError(location) << "it has " << operands->size() << " inputs, but "
                               << node.output_size() << " outputs";
  for (auto [output, value] : llvm::zip(node.output(), *operands))
    scope.define(output, value);
  return success();
}

/// The size of each operand along `axis`.
LogicalResult FormulaNode::sizesAlong() {
  auto operands = lookUpOperands();
  if (failed(operands))
    return failure();
  Sizes sizes;
  for (Value value : *operands) {
    int64_t axis = axisIn(typeOf(value).getRank());
    if (axis < 0 || axis >= typeOf(value).getRank())
      return emitError(location) << "axis is out of range for " << value.getType();
    sizes.values.push_back(typeOf(value).getDimSize(axis));
    sizes.origins.push_back({value, axis});
  }
  scope.defineSizes(node.output(0), std::move(sizes));
  return success();
}

/// Along which dimensions of a result a tensor of the first shape is repeated beside one of the
/// second.
LogicalResult FormulaNode::repeatedAxes() {
  FailureOr<Sizes> shape = lookUpSizes(0), other = lookUpSizes(1);
  if (failed(shape) || failed(other))
    return failure();
  int64_t rank = shape->values.size(), rankOfOther = other->values.size(),
          rankOfResult = std::max(rank, rankOfOther);
  Sizes axes;
  for (int64_t axis = rankOfResult - 1; axis >= 0; --axis) {
    int64_t here = axis - (rankOfResult - rank), there = axis - (rankOfResult - rankOfOther);
    if (here < 0 || (there >= 0 && shape->values[here] == 1 && other->values[there] != 1))
      axes.values.push_back(axis);
  }
  scope.defineSizes(node.output(0), std::move(axes));
  return success();
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// `value` with its `count` dimensions from `begin` in front, made one.
FailureOr<Value> FormulaNode::toRows(Value value, int64_t begin, int64_t count) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(begin, begin + count)), shape = {-1};
  for (int64_t i = 0; i < typeOf(value).getRank(); ++i)
    if (i < begin || i >= begin + count) {
      order.push_back(i);
      shape.push_back(typeOf(value).getDimSize(i));
    }
  Value rows = transpose(value, order);
  if (count != 1 && llvm::is_contained(shape, ShapedType::kDynamic))
    return emitError(location) << "more than one dimension of " << value.getType()
                               << " is not known";
  if (count != 1 && rows)
    rows = create("Reshape", rows, {{"shape", builder.getDenseI64ArrayAttr(shape)}});
  return rows ? FailureOr<Value>(rows) : FailureOr<Value>(failure());
}

/// Of a lookup along `axis` in a tensor of the shape that operand 0 is: what was looked up goes
/// back as a list of rows.
LogicalResult FormulaNode::scatterRows() {
  FailureOr<Sizes> shape = lookUpSizes(0);
  Value indices = scope.lookup(node.input(1), location), dy = scope.lookup(node.input(2), location);
  if (failed(shape) || !indices || !dy)
    return failure();
  int64_t rank = shape->values.size(), axis = axisIn(rank), count = typeOf(indices).getRank();
  if (axis < 0 || axis >= rank || typeOf(dy).getRank() != rank - 1 + count)
    return emitError(location) << "the gradient " << dy.getType()
                               << " is not that of a lookup with " << indices.getType()
                               << " along dimension " << axis << " of " << rank;
  if (ShapedType::isDynamic(shape->values[axis]))
    return emitError(location) << "the size of dimension " << axis << ", along which it looks up, "
                               << "must be known";
  FailureOr<Value> rows = toRows(dy, axis, count), list = toRows(indices, 0, count);
  if (failed(rows) || failed(list))
    return failure();
  SmallVector<int64_t> table(typeOf(*rows).getShape());
  table.front() = shape->values[axis];
  Value scattered = tutti::train::ScatterRowsOp::create(builder, location,
                                                        typeOf(*rows).clone(table), *list, *rows);
  SmallVector<int64_t> back = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  back.insert(back.begin() + axis, 0);
  return give(transpose(scattered, back));
}

/// Of all elements of all operands.
LogicalResult FormulaNode::sumOfSquares() {
  auto operands = lookUpOperands();
  if (failed(operands))
    return failure();
  SmallVector<Value> sums;
  for (Value value : *operands) {
    Value wide = toWide(value);
    sums.push_back(create("ReduceSum", create("Mul", {wide, wide}),
                          {{"keepdims", builder.getI64IntegerAttr(0)}}));
  }
  return give(create("Sum", sums));
}

/// Attention of several heads; mask and bias may be absent, and keys and values of the past. Also
/// gives all keys and values.
LogicalResult FormulaNode::attend() {
  ImportedNode imported{node, location, node.op_type(), {}, {}};
  for (const std::string &input : node.input()) {
    imported.operands.push_back(input.empty() ? Value() : scope.lookup(input, location));
    if (!input.empty() && !imported.operands.back())
      return failure();
  }
  for (const auto &attribute : node.attribute())
    imported.attributes.set(attribute.name(),
                            attribute.type() == proto::AttributeProto::FLOAT
                                ? Attribute(builder.getF32FloatAttr(attribute.f()))
                                : Attribute(builder.getI64IntegerAttr(attribute.i())));
  auto termOf = [](SizeOrigin size) { return SizeTerm{size}; };
  FormContext context{newestOpset, scope, builder, termOf};
  SmallVector<Value> results;
  if (failed(composeHeads(imported, context, results)))
    return failure();
  for (auto [output, result] : llvm::zip(node.output(), results))
    if (!output.empty())
      scope.define(output, result);
  return success();
}

/// Rows of a table. With padding_idx PyTorch leaves out the gradient of that row; with
/// scale_grad_by_freq it divides the gradient of a row by the number of its lookups.
LogicalResult FormulaNode::embedding() {
  auto isSet = [&](int index, int64_t unless) {
    if (node.input_size() <= index || node.input(index).empty())
      return false;
    std::optional<Sizes> given = scope.lookupSizes(node.input(index), location);
    return !given || given->values != SmallVector<int64_t>{unless};
  };
  if (isSet(2, -1) || isSet(3, 0))
    return emitError(location) << "it has a row for padding, or scales gradients by frequency, "
                                  "which is not supported; export nn.Embedding without "
                                  "padding_idx and scale_grad_by_freq";
  Value weight = scope.lookup(node.input(0), location);
  Value indices = weight ? scope.lookup(node.input(1), location) : Value();
  return give(create("Gather", {weight, indices}, {{"axis", builder.getI64IntegerAttr(0)}}));
}

LogicalResult FormulaNode::import() {
  struct Row {
    StringLiteral op;
    int inputs; ///< -1: any number
    LogicalResult (FormulaNode::*import)();
  };
  static constexpr Row rows[] = {
      {"Widen", 1, &FormulaNode::widen},
      {"TransposeLast", 1, &FormulaNode::transposeLast},
      {"SumTo", 2, &FormulaNode::sumTo},
      {"Same", -1, &FormulaNode::same},
      {"SizesAlong", -1, &FormulaNode::sizesAlong},
      {"RepeatedAxes", 2, &FormulaNode::repeatedAxes},
      {"ScatterRows", 3, &FormulaNode::scatterRows},
      {"SumOfSquares", -1, &FormulaNode::sumOfSquares},
      {"Attend", -1, &FormulaNode::attend},
      {"Embedding", -1, &FormulaNode::embedding},
  };
  for (const Row &row : rows)
    if (row.op == node.op_type() && (row.inputs < 0 || row.inputs == node.input_size()))
      return (this->*row.import)();
  return emitError(location) << describe(node) << " is not for models";
}

LogicalResult tutti::frontend::importFormulaOperator(const proto::NodeProto &node,
                                                     TensorScope &scope, OpBuilder &builder,
                                                     Location location) {
  return FormulaNode(node, scope, builder, location).import();
}
