// Operators that choose elements: by their order, by the length of a sequence, by a constant mask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/forms/SizeForms.h"
#include "lib/frontend/forms/SliceForms.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::frontend;

/// All elements in their order, of which the first ones are taken: as many as a size that varies.
static LogicalResult takeFirst(ImportedNode &node, FormContext &context, const SizeTerm &count,
                               Results &results) {
  Composer with(node, context);
  SizeBuilder sizes(node, context);
  Value x = node.operands[0];
  int64_t rank = typeOf(x).getRank(), axis = node.integer("axis", -1);
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank)
    return node.emitError() << "axis " << axis << " is no dimension of " << x.getType();
  SizeTerm own = sizes.sizeAlong(x, axis);
  if (!isAtMost(count, own, context.termOf))
    return node.emitError() << "it takes as many elements as a size that varies, of which it is "
                               "not known that there are as many"
                            << kFixSizes;
  node.attributes.set("k", with.integer(-1));
  Operation *sorted = createInferred(with.builder, node.location, "TopK", x, node.attributes);
  if (!sorted)
    return failure();
  Value places = context.canonical(count) == own ? Value() : sizes.count(count);
  for (Value all : sorted->getResults())
    results.push_back(context.canonical(count) == own
                          ? all
                          : with.create("Gather", {all, places}, {{"axis", with.integer(axis)}}));
  return success(!llvm::is_contained(results, Value()));
}

/// How many there are: an attribute before operator set 10.
LogicalResult tutti::frontend::composeTopK(ImportedNode &node, FormContext &context,
                                           Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (type && getElementTypeOrSelf(type).isUnsignedInteger())
    return node.emitError() << "is not supported for " << type
                            << "; it compares f16, bf16, f32, f64, i32 and i64: cast its input";
  node.operands.resize(1);
  if (node.attributes.get("k"))
    return success();
  FailureOr<Sizes> count = sizesInput(node, context, 1, "K");
  if (failed(count))
    return failure();
  if (count->values.size() != 1)
    return node.emitError() << "needs one number K, got " << count->values.size();
  std::optional<SizeTerm> term = count->term(0);
  if (term && !term->isNumber() && type)
    return takeFirst(node, context, *term, results);
  if (!count->areKnown())
    return node.emitError() << "its input '" << node.inputName(1) << "' (K) varies" << kFixSizes;
  node.attributes.set("k", context.builder.getI64IntegerAttr(count->values.front()));
  return success();
}

/// Integers in their order: the first one is the largest or smallest, and the first of those that
/// are equal. The last of those is the last 1 of which of all are equal to it. Of floats it is an
/// operation.
static LogicalResult composeChoice(ImportedNode &node, FormContext &context, bool isLargest,
                                   Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (!type || isa<FloatType>(type.getElementType()))
    return success();
  int64_t axis = node.integer("axis", 0);
  Composer with(node, context);
  Type element = type.getElementType();
  bool isCompared = element.isSignlessInteger(32) || element.isSignlessInteger(64);
  Value x = isCompared ? node.operands[0] : with.cast(node.operands[0], with.builder.getI64Type());
  NamedAttrList attributes;
  attributes.set("k", with.integer(1));
  attributes.set("axis", with.integer(axis));
  attributes.set("largest", with.integer(isLargest));
  Operation *first =
      x ? createInferred(with.builder, node.location, "TopK", x, attributes) : nullptr;
  if (!first)
    return failure();
  if (node.integer("select_last_index", 0) != 0) {
    Value equal = with.create("Equal", {x, first->getResult(0)});
    results.push_back(with.create("ArgMax", with.cast(equal, with.builder.getF32Type()),
                                  {{"axis", with.integer(axis)},
                                   {"keepdims", with.integer(node.integer("keepdims", 1))},
                                   {"select_last_index", with.integer(1)}}));
    return success(results.back() != nullptr);
  }
  Value place = first->getResult(1);
  results.push_back(node.integer("keepdims", 1) != 0
                        ? place
                        : with.create("Squeeze", place, {{"axes", with.integers(axis)}}));
  return success(results.back() != nullptr);
}

/// Of integers, one axis after the other, what comes first in their order. Of floats it is an
/// operation.
static LogicalResult composeExtreme(ImportedNode &node, FormContext &context, bool isLargest,
                                    Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  Type element = type ? type.getElementType() : Type();
  if (!type || !isa<IntegerType>(element) || element.isUnsignedInteger(64))
    return success();
  auto given = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get("axes"));
  SmallVector<int64_t> axes(given ? given.asArrayRef() : ArrayRef<int64_t>());
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Composer with(node, context);
  bool isCompared = element.isSignlessInteger(32) || element.isSignlessInteger(64);
  Value x = isCompared ? node.operands[0] : with.cast(node.operands[0], with.builder.getI64Type());
  for (int64_t axis : axes) {
    if (axis < -type.getRank() || axis >= type.getRank())
      return node.emitError() << "axis " << axis << " is not a dimension of " << type;
    x = with.create("TopK", x,
                    {{"k", with.integer(1)},
                     {"axis", with.integer(axis)},
                     {"largest", with.integer(isLargest)}});
  }
  if (node.integer("keepdims", 1) == 0 && !axes.empty())
    x = with.create("Squeeze", x, {{"axes", with.integers(axes)}});
  results.push_back(with.cast(x, element));
  return success(results.back() != nullptr);
}

LogicalResult tutti::frontend::composeReduceMax(ImportedNode &node, FormContext &context,
                                                Results &results) {
  return composeExtreme(node, context, /*isLargest=*/true, results);
}

LogicalResult tutti::frontend::composeReduceMin(ImportedNode &node, FormContext &context,
                                                Results &results) {
  return composeExtreme(node, context, /*isLargest=*/false, results);
}

LogicalResult tutti::frontend::composeArgMax(ImportedNode &node, FormContext &context,
                                             Results &results) {
  return composeChoice(node, context, /*isLargest=*/true, results);
}

LogicalResult tutti::frontend::composeArgMin(ImportedNode &node, FormContext &context,
                                             Results &results) {
  return composeChoice(node, context, /*isLargest=*/false, results);
}

/// ScatterElements had this name before operator set 11.
LogicalResult tutti::frontend::formScatter(ImportedNode &node, FormContext &) {
  node.op = "ScatterElements";
  return success();
}

/// Along an axis that only a run knows: of the sums along each axis one is chosen. A lookup brings
/// the axis to what it is from the front, and ends the run if there is none.
LogicalResult tutti::frontend::composeCumSum(ImportedNode &node, FormContext &context,
                                             Results &results) {
  StringRef input = node.inputName(1);
  if (input.empty() || context.scope.lookupSizes(input, node.location))
    return formInteger(node, context, "axis", {});
  Value axis = context.scope.lookup(input, node.location);
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  auto axisType = axis ? dyn_cast<RankedTensorType>(axis.getType()) : RankedTensorType();
  if (!axis)
    return failure();
  if (!type || !axisType || !axisType.hasStaticShape() || axisType.getNumElements() != 1)
    return node.emitError() << "its input '" << input << "' (axis) must be one integer, and its "
                            << "operand a tensor whose rank is known";
  Composer with(node, context);
  Type index = context.builder.getI64Type();
  Value place = with.create("Gather", {with.countAlong(type.getRank(), 0), axis},
                            {{"axis", with.integer(0)}});
  Value sum = node.operands[0];
  for (int64_t along = 0; along < type.getRank(); ++along) {
    node.attributes.set("axis", with.integer(along));
    Value one = with.create("CumSum", node.operands[0], node.attributes);
    Value isIt = with.create("Equal", {place, with.number(index, double(along))});
    sum = with.create("Where", {isIt, one, sum});
  }
  results.push_back(sum);
  return success(sum != nullptr);
}

/// The contents of input `index`, of which nothing may depend on data.
static FailureOr<DenseElementsAttr> constantInput(ImportedNode &node, FormContext &context,
                                                  int index, StringRef instead) {
  Value value = context.scope.lookup(node.inputName(index), node.location);
  if (!value)
    return failure();
  DenseElementsAttr content;
  if (matchPattern(value, m_Constant(&content)))
    return content;
  return node.emitError() << "is not supported where its input '" << node.inputName(index)
                          << "' depends on data: the size of its result would, too; " << instead
                          << context.scope.howToGive(node.inputName(index));
}

/// A list of indices.
static Value createIndices(Composer &with, ArrayRef<int64_t> shape, ArrayRef<int64_t> indices) {
  auto type = RankedTensorType::get(shape, with.builder.getI64Type());
  return tutti::onnx::ConstantOp::create(with.builder, with.node.location,
                                         DenseElementsAttr::get(type, indices));
}

/// A lookup of what a constant says is taken.
LogicalResult tutti::frontend::composeCompress(ImportedNode &node, FormContext &context,
                                               Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (!type)
    return node.emitError() << "the shape of its input '" << node.inputName(0) << "' is not known";
  auto condition = constantInput(node, context, 1,
                                 "multiply by the condition, or choose with Where, instead of "
                                 "taking elements out");
  if (failed(condition))
    return failure();
  SmallVector<int64_t> taken;
  for (auto [index, isTaken] : llvm::enumerate(condition->getValues<bool>()))
    if (isTaken)
      taken.push_back(static_cast<int64_t>(index));
  Composer with(node, context);
  Value data = node.operands[0];
  bool isFlat = !node.attributes.get("axis");
  if (isFlat)
    data = with.create("Reshape", data, {{"shape", with.integers(-1)}});
  auto count = static_cast<int64_t>(taken.size());
  results.push_back(with.create("Gather", {data, createIndices(with, {count}, taken)},
                                {{"axis", with.integer(node.integer("axis", 0))}}));
  return success(results.back() != nullptr);
}

static bool isNonZero(Attribute element) {
  if (auto number = dyn_cast<FloatAttr>(element))
    return !number.getValue().isZero();
  return !cast<IntegerAttr>(element).getValue().isZero();
}

/// Where a constant is not 0: an index along each dimension for each such element.
LogicalResult tutti::frontend::composeNonZero(ImportedNode &node, FormContext &context,
                                              Results &results) {
  auto content = constantInput(node, context, 0,
                               "choose elements with Where, or multiply by a "
                               "mask, instead of listing their places");
  if (failed(content))
    return failure();
  ArrayRef<int64_t> shape = content->getType().getShape();
  int64_t rank = std::max<int64_t>(shape.size(), 1);
  SmallVector<SmallVector<int64_t>> places(rank);
  for (auto [number, element] : llvm::enumerate(content->getValues<Attribute>())) {
    if (!isNonZero(element))
      continue;
    auto rest = static_cast<int64_t>(number);
    for (int64_t axis = rank - 1; axis >= 0; --axis) {
      int64_t size = shape.empty() ? 1 : shape[axis];
      places[axis].push_back(rest % size);
      rest /= size;
    }
  }
  SmallVector<int64_t> flat;
  for (ArrayRef<int64_t> along : places)
    llvm::append_range(flat, along);
  Composer with(node, context);
  results.push_back(createIndices(with, {rank, static_cast<int64_t>(places.front().size())}, flat));
  return success();
}

/// Along the time, entry i of a sequence is entry length - 1 - i of it; what is after the sequence
/// stays.
LogicalResult tutti::frontend::composeReverseSequence(ImportedNode &node, FormContext &context,
                                                      Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  int64_t time = node.integer("time_axis", 0), batch = node.integer("batch_axis", 1);
  if (!type || type.getRank() < 2 || time + batch != 1 || time * batch != 0)
    return node.emitError()
           << "needs a tensor of rank 2 or more, and time_axis and batch_axis that "
              "are 0 and 1, got "
           << node.operands[0].getType() << ", " << time << " and " << batch;
  Composer with(node, context);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(order[0], order[1]);
  auto exchange = [&](Value value) {
    return time == 1 ? value : with.create("Transpose", value, {{"perm", with.integers(order)}});
  };
  Type number = with.builder.getI64Type();
  Value data = exchange(node.operands[0]);
  Value place = with.countOf(data, 1, /*after=*/0);
  Value lengths =
      with.create("Unsqueeze", with.cast(node.operands[1], number), {{"axes", with.integers(1)}});
  Value last = with.create("Sub", {lengths, with.number(number, 1)});
  Value isWithin = with.create("Less", {place, lengths});
  Value from = with.create("Where", {isWithin, with.create("Sub", {last, place}), place});
  Value tuples = with.create("Unsqueeze", from, {{"axes", with.integers(2)}});
  Value reversed = with.create("GatherND", {data, tuples}, {{"batch_dims", with.integer(1)}});
  results.push_back(exchange(reversed));
  return success(results.back() != nullptr);
}

/// Whether `value` is 0, 1, 2, ..., as Range is made of sizes that vary.
static bool isCount(Value value) {
  auto sum = value.getDefiningOp<tutti::onnx::CumSumOp>();
  auto ones = sum ? sum.getX().getDefiningOp<tutti::onnx::ExpandOp>() : tutti::onnx::ExpandOp();
  return ones && sum.getAxis() == 0 && sum.getExclusive() != 0 && sum.getReverse() == 0 &&
         typeOf(sum).getRank() == 1 && matchPattern(ones.getInput(), m_One());
}

/// If `isIt` holds for one of `first` and `second`, the other one; else null.
static Value otherThan(Value first, Value second, llvm::function_ref<bool(Value)> isIt) {
  return isIt(first) ? second : isIt(second) ? first : Value();
}

/// The index of each sample if `places` are those of elements in samples of `size` elements that
/// lie one after the other: n * size + index.
static Value indexInSample(Value places, int64_t size) {
  auto isBegin = [&](Value value) {
    auto product = value.getDefiningOp<tutti::onnx::MulOp>();
    Value times = product ? otherThan(product.getA(), product.getB(), isCount) : Value();
    DenseIntElementsAttr factor;
    return times && matchPattern(times, m_Constant(&factor)) && factor.getNumElements() == 1 &&
           factor.getValues<APInt>()[0].getSExtValue() == size;
  };
  auto sum = places.getDefiningOp<tutti::onnx::AddOp>();
  return sum ? otherThan(sum.getA(), sum.getB(), isBegin) : Value();
}

/// x[torch.arange(n), index], which an exporter writes as rows of all samples, is a lookup in each
/// sample.
LogicalResult tutti::frontend::composeGather(ImportedNode &node, FormContext &context,
                                             Results &results) {
  auto flat = node.operands[0].getDefiningOp<tutti::onnx::FlattenOp>();
  auto type = flat ? dyn_cast<RankedTensorType>(flat.getInput().getType()) : RankedTensorType();
  if (node.integer("axis", 0) != 0 || !type || flat.getAxis() != 2 || type.getRank() < 2 ||
      !type.isDynamicDim(0) || type.isDynamicDim(1))
    return success();
  Value index = indexInSample(node.operands[1], type.getDimSize(1));
  auto samples = [&](Value value) { return context.termOf({value, 0}); };
  if (!index || typeOf(index).getRank() != 1 || !typeOf(index).isDynamicDim(0) ||
      samples(index) != samples(flat.getInput()) || samples(node.operands[1]) != samples(index))
    return success();
  Composer with(node, context);
  Value tuples = with.create("Unsqueeze", index, {{"axes", with.integers(1)}});
  Value found =
      with.create("GatherND", {flat.getInput(), tuples}, {{"batch_dims", with.integer(1)}});
  results.push_back(type.getRank() == 2
                        ? with.create("Unsqueeze", found, {{"axes", with.integers(1)}})
                        : with.create("Flatten", found, {{"axis", with.integer(1)}}));
  return success(results.back() != nullptr);
}
