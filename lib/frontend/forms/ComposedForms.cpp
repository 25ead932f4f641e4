// Normalizations, reductions and one-hot vectors, expressed by simpler operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"

#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/forms/SizeForms.h"
#include "lib/frontend/forms/SliceForms.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti::frontend;

/// `value` is the node's only result; fails if it is null.
static LogicalResult give(Results &results, Value value) {
  results.push_back(value);
  return success(value != nullptr);
}

/// Operand 0 has a rank, which a custom operator may have left open.
static LogicalResult requireRanked(ImportedNode &node) {
  if (node.operand(0) && isa<RankedTensorType>(node.operand(0).getType()))
    return success();
  return node.emitError() << "the shape of its input '" << node.inputName(0) << "' is not known";
}

namespace {

/// A normalization over the dimensions from `axis` on.
class Normalization {
public:
  Normalization(ImportedNode &node, FormContext &context)
      : with(node, context), given(typeOf(node.operands[0]).getElementType()),
        computed(isa<Float16Type, BFloat16Type>(given) && node.integer("stash_type", 1) == 1
                     ? Type(with.builder.getF32Type())
                     : given),
        input(with.cast(node.operands[0], computed)) {
    auto attribute = dyn_cast_or_null<FloatAttr>(node.attributes.get("epsilon"));
    epsilon = attribute ? attribute.getValueAsDouble() : 1e-5;
  }

  LogicalResult setAxes() {
    int64_t rank = typeOf(with.node.operands[0]).getRank(), axis = with.node.integer("axis", -1);
    if (axis < -rank || axis >= rank)
      return with.node.emitError()
             << "axis " << axis << " is no dimension of " << with.node.operands[0].getType();
    axes = llvm::to_vector(llvm::seq<int64_t>(axis < 0 ? axis + rank : axis, rank));
    return success();
  }

  Value mean(Value value) {
    return with.create("ReduceMean", value, {{"axes", with.integers(axes)}});
  }
  /// 1 / sqrt(mean(value^2) + epsilon).
  Value inverseRoot(Value value) {
    Value square = mean(with.create("Mul", {value, value}));
    Value shifted = with.create("Add", {square, with.number(computed, epsilon)});
    return with.create("Reciprocal", with.create("Sqrt", shifted));
  }
  /// value * inverse * scale + shift, in the type of the scale, which is that of the operand but in
  /// what ONNX Runtime writes.
  Value scale(Value value, Value inverse) {
    Type result = getElementTypeOrSelf(with.node.operand(1).getType());
    Value unit = with.cast(with.create("Mul", {value, inverse}), result);
    Value scaled = with.create("Mul", {unit, with.node.operand(1)});
    Value shift = with.node.operand(2);
    return shift ? with.create("Add", {scaled, shift}) : scaled;
  }

  Composer with;
  Type given, computed;
  Value input;
  double epsilon;
  SmallVector<int64_t> axes;
};

} // namespace

LogicalResult tutti::frontend::composeLayerNormalization(ImportedNode &node, FormContext &context,
                                                         Results &results) {
  if (failed(requireRanked(node)))
    return failure();
  Normalization norm(node, context);
  if (failed(norm.setAxes()))
    return failure();
  Value mean = norm.mean(norm.input);
  Value centred = norm.with.create("Sub", {norm.input, mean});
  Value inverse = norm.inverseRoot(centred);
  results.append({norm.scale(centred, inverse), mean, inverse});
  return success(!llvm::is_contained(results, Value()));
}

LogicalResult tutti::frontend::composeRMSNormalization(ImportedNode &node, FormContext &context,
                                                       Results &results) {
  if (failed(requireRanked(node)))
    return failure();
  Normalization norm(node, context);
  if (failed(norm.setAxes()))
    return failure();
  Value inverse = norm.inverseRoot(norm.input);
  results.append({norm.scale(norm.input, inverse), inverse});
  return success(!llvm::is_contained(results, Value()));
}

LogicalResult tutti::frontend::composeReduceL1(ImportedNode &node, FormContext &context,
                                               Results &results) {
  Composer with(node, context);
  return give(results,
              with.create("ReduceSum", with.create("Abs", node.operands[0]), node.attributes));
}

static Value sumOfSquares(Composer &with) {
  Value x = with.node.operands[0];
  return with.create("ReduceSum", with.create("Mul", {x, x}), with.node.attributes);
}

LogicalResult tutti::frontend::composeReduceL2(ImportedNode &node, FormContext &context,
                                               Results &results) {
  Composer with(node, context);
  return give(results, with.create("Sqrt", sumOfSquares(with)));
}

LogicalResult tutti::frontend::composeReduceSumSquare(ImportedNode &node, FormContext &context,
                                                      Results &results) {
  Composer with(node, context);
  return give(results, sumOfSquares(with));
}

LogicalResult tutti::frontend::composeReduceLogSum(ImportedNode &node, FormContext &context,
                                                   Results &results) {
  Composer with(node, context);
  Value sum = with.create("ReduceSum", node.operands[0], node.attributes);
  return give(results, with.create("Log", sum));
}

LogicalResult tutti::frontend::composeReduceLogSumExp(ImportedNode &node, FormContext &context,
                                                      Results &results) {
  Composer with(node, context);
  NamedAttrList keeping(node.attributes);
  keeping.set("keepdims", with.integer(1));
  Value x = node.operands[0];
  Value zero = with.number(getElementTypeOrSelf(x.getType()), 0);
  auto largest = [&](const NamedAttrList &attributes) { // 0 where nothing can be taken off it
    Value top = with.create("ReduceMax", x, attributes);
    return with.create("Where", {with.create("IsInf", top), zero, top});
  };
  Value below = with.create("Sub", {x, largest(keeping)});
  Value sum = with.create("ReduceSum", with.create("Exp", below), node.attributes);
  Value top = largest(node.attributes);
  return give(results, with.create("Add", {with.create("Log", sum), top}));
}

/// Classes as numbers from 0 on: negative ones count from the end, and those that are out of range
/// match nothing.
static Value classesOf(Composer &with, Value indices, Value depth) {
  Type number = with.builder.getI64Type();
  Value classes = with.cast(indices, number);
  Value isNegative = with.create("Less", {classes, with.number(number, 0)});
  Value fromEnd = with.create("Add", {classes, depth});
  return with.create("Where", {isNegative, fromEnd, classes});
}

/// How many classes there are: a size, or a number of any type.
static FailureOr<SizeTerm> depthOf(ImportedNode &node, FormContext &context) {
  Value value = context.scope.lookup(node.inputName(1), node.location);
  if (!value)
    return failure();
  if (auto type = dyn_cast<ShapedType>(value.getType());
      type && isa<FloatType>(type.getElementType())) {
    Type elements;
    FailureOr<double> number = numberInput(node, context, 1, elements);
    if (failed(number))
      return failure();
    return SizeTerm::number(static_cast<int64_t>(*number));
  }
  FailureOr<Sizes> depth = sizesInput(node, context, 1, "depth");
  if (failed(depth))
    return failure();
  if (depth->values.size() != 1)
    return node.emitError() << "needs one depth, got " << depth->values.size();
  std::optional<SizeTerm> term = depth->term(0);
  if (!term)
    return node.emitError() << "its input '" << node.inputName(1) << "' (depth) varies"
                            << kFixSizes;
  return *term;
}

LogicalResult tutti::frontend::composeOneHot(ImportedNode &node, FormContext &context,
                                             Results &results) {
  FailureOr<SizeTerm> depth = depthOf(node, context);
  if (failed(depth) || failed(requireRanked(node)))
    return failure();
  int64_t rank = typeOf(node.operands[0]).getRank() + 1, axis = node.integer("axis", -1);
  if ((depth->isNumber() && depth->plus < 0) || axis < -rank || axis >= rank)
    return node.emitError() << "needs a depth that is not negative and an axis of the result, got "
                            << depth->plus << " and " << axis;
  axis += axis < 0 ? rank : 0;
  Composer with(node, context);
  SizeBuilder sizes(node, context);
  Value number = depth->isNumber() ? with.number(with.builder.getI64Type(), double(depth->plus))
                                   : sizes.number(*depth);
  Value classes = classesOf(with, node.operands[0], number);
  Value column = with.create("Unsqueeze", classes, {{"axes", with.integers(axis)}});
  Value isClass = with.create("Equal", {column, sizes.count(*depth, rank - 1 - axis)});
  auto value = [&](int64_t index) {
    return with.create("Gather",
                       {node.operands[2], with.number(with.builder.getI64Type(), double(index))});
  };
  return give(results, with.create("Where", {isClass, value(1), value(0)}));
}

LogicalResult tutti::frontend::composeBernoulli(ImportedNode &node, FormContext &context,
                                                Results &results) {
  if (failed(requireRanked(node)))
    return failure();
  auto given = dyn_cast_or_null<TypeAttr>(node.attributes.get("dtype"));
  NamedAttrList seed;
  if (Attribute number = node.attributes.get("seed"))
    seed.set("seed", number);
  Composer with(node, context);
  Value drawn = with.create("RandomUniformLike", {node.operands[0]}, seed);
  Value isOne = with.create("Less", {drawn, node.operands[0]});
  return give(results, with.cast(isOne, given ? given.getValue()
                                              : typeOf(node.operands[0]).getElementType()));
}

LogicalResult tutti::frontend::composeEyeLike(ImportedNode &node, FormContext &context,
                                              Results &results) {
  if (failed(requireRanked(node)))
    return failure();
  RankedTensorType type = typeOf(node.operands[0]);
  if (type.getRank() != 2)
    return node.emitError() << "needs a matrix, got " << type;
  auto given = dyn_cast_or_null<TypeAttr>(node.attributes.get("dtype"));
  Composer with(node, context);
  Value offset = with.number(with.builder.getI64Type(), double(node.integer("k", 0)));
  Value rows = with.create("Add", {with.countOf(node.operands[0], 0, 1), offset});
  Value isOne = with.create("Equal", {rows, with.countOf(node.operands[0], 1, 0)});
  return give(results, with.cast(isOne, given ? given.getValue() : type.getElementType()));
}
