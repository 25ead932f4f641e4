// A size that is no dimension of any tensor becomes that of a vector: a multiple of a dimension is
// a matrix in one row, a sum is two vectors joined, a part is a slice. So the layout of the vector
// says what a part of the batch has of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/SizeForms.h"

using namespace mlir;
using namespace tutti::frontend;

static constexpr int64_t theEnd = std::numeric_limits<int64_t>::max();

/// More ones than these are no part of a size.
static constexpr int64_t mostAdded = 1 << 24;

Location tutti::frontend::explained(Location location, StringRef text) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto chain = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  if (!chain)
    return FusedLoc::get(location.getContext(), {location},
                         StringAttr::get(location.getContext(), text));
  return FusedLoc::get(location.getContext(), fused.getLocations(),
                       StringAttr::get(location.getContext(), chain.getValue() + ", " + text));
}

Value SizeBuilder::number(const SizeTerm &size) {
  return context.scope.makeSize(size, RankedTensorType::get({}, context.builder.getI64Type()),
                                node.location);
}

SizeTerm SizeBuilder::sizeAlong(Value value, int64_t axis) {
  int64_t size = typeOf(value).getDimSize(axis);
  return ShapedType::isDynamic(size) ? context.canonical(SizeTerm{{value, axis}})
                                     : SizeTerm::number(size);
}

static Value onesOfNumber(Composer &with, int64_t count) {
  return with.integersAlong(SmallVector<int64_t>(count, 1), 0);
}

bool tutti::frontend::isWhatANumberLeaves(const SizeTerm &size) {
  return !size.made && size.times < 0 && size.plus > 0;
}

/// times * dimension + plus.
Value SizeBuilder::onesOfSum(const SizeTerm &size) {
  if (isWhatANumberLeaves(size))
    return onesOfDifference(SizeTerm::number(size.plus), SizeTerm{size.dimension, -size.times, 0});
  if (size.times < 1 || size.times > mostAdded || std::abs(size.plus) > mostAdded)
    return node.emitError() << "it has a dimension of " << size.times << " times a size that varies"
                            << kFixSizes,
           nullptr;
  bool isOne = size.times == 1;
  SmallVector<int64_t> shape =
      isOne ? SmallVector<int64_t>{-1} : SmallVector<int64_t>{-1, size.times};
  Value ones =
      with.create("Expand", {with.integersAlong({1}, isOne ? 0 : 1), size.dimension.tensor},
                  {{"shape", with.integers(shape)}, {"axis", with.integer(size.dimension.axis)}});
  if (!isOne)
    ones = with.create("Reshape", ones, {{"shape", with.integers(-1)}});
  if (size.plus > 0)
    return with.create("Concat", {ones, onesOfNumber(with, size.plus)},
                       {{"axis", with.integer(0)}});
  return size.plus == 0 ? ones
                        : with.create("Slice", ones,
                                      {{"starts", with.integers(-size.plus)},
                                       {"ends", with.integers(theEnd)}});
}

/// One more than `size` floats, as what a convolution along one dimension takes.
Value SizeBuilder::column(const SizeTerm &size) {
  Value longer =
      with.create("Concat", {ones(size), onesOfNumber(with, 1)}, {{"axis", with.integer(0)}});
  return with.create("Unsqueeze", with.cast(longer, context.builder.getF32Type()),
                     {{"axes", with.integers({0, 1})}});
}

/// A convolution is as much shorter than what it is of as its kernel is longer than one.
Value SizeBuilder::onesOfDifference(const SizeTerm &size, const SizeTerm &other) {
  Value longer = column(size), shorter = column(other);
  Location location = explained(node.location, "where a size would be less than 0: choose a batch, "
                                               "or sizes, from which as much can be taken");
  Operation *conv = longer && shorter
                        ? createInferred(context.builder, location, "Conv", {longer, shorter}, {})
                        : nullptr;
  Value sums = conv ? conv->getResult(0) : Value();
  Value flat = with.create("Reshape", sums, {{"shape", with.integers(-1)}});
  Value equal = with.create("Equal", {flat, flat});
  return with.create("Slice", with.cast(equal, context.builder.getI64Type()),
                     {{"starts", with.integers(1)}, {"ends", with.integers(theEnd)}});
}

Value SizeBuilder::refuse(const SizeOperation &size) {
  return node.emitError() << "it has a dimension that is computed by " << size.op
                          << " from sizes that vary" << kFixSizes,
         nullptr;
}

/// The smaller one of a size and a number is a part of as many ones; the larger one is what the
/// smaller one leaves of both.
Value SizeBuilder::onesOfLimited(const SizeOperation &size) {
  bool isFirst = size.first.isNumber();
  const SizeTerm &limit = isFirst ? size.first : size.second;
  const SizeTerm &limited = isFirst ? size.second : size.first;
  if (limit.plus < 0)
    return ones(size.op == "Min" ? limit : limited);
  if (size.op == "Min")
    return with.create("Slice", ones(limited),
                       {{"starts", with.integers(0)}, {"ends", with.integers(limit.plus)}});
  auto both = combine("Add", limited, limit, context.termOf);
  auto smaller = combine("Min", limited, limit, context.termOf);
  return both && smaller ? onesOfDifference(*both, *smaller) : refuse(size);
}

Value SizeBuilder::onesMade(const SizeOperation &size) {
  const SizeTerm &second = size.second;
  if (size.op == "Sub")
    return onesOfDifference(size.first, second);
  if (size.op == "Add")
    return with.create("Concat", {ones(size.first), ones(second)}, {{"axis", with.integer(0)}});
  if (size.op == "Div" && second.isNumber() && second.plus > 0)
    return with.create("Slice", ones(size.first),
                       {{"starts", with.integers(second.plus - 1)},
                        {"ends", with.integers(theEnd)},
                        {"axes", with.integers(0)},
                        {"steps", with.integers(second.plus)}});
  if (size.op == "Mul") {
    Value rows = with.create("Unsqueeze", ones(size.first), {{"axes", with.integers(1)}});
    Value all = with.create("Expand", {rows, ones(second)}, {{"shape", with.integers({1, -1})}});
    return with.create("Reshape", all, {{"shape", with.integers(-1)}});
  }
  if (size.op == "Mod" && second.isNumber() && second.plus > 0)
    if (auto parts = combine("Div", size.first, second, context.termOf))
      if (auto whole = combine("Mul", *parts, second, context.termOf))
        return onesOfDifference(size.first, *whole);
  if (size.op == "Min" || size.op == "Max")
    if (size.first.isNumber() || second.isNumber())
      return onesOfLimited(size);
  return refuse(size);
}

Value SizeBuilder::ones(const SizeTerm &size) {
  SizeTerm better = size.made ? context.canonical(size) : size;
  if (better.isNumber())
    return better.plus >= 0 && better.plus <= mostAdded
               ? onesOfNumber(with, better.plus)
               : (node.emitError() << "it has a dimension of " << better.plus, Value());
  return better.made ? onesMade(*better.made) : onesOfSum(better);
}

Value SizeBuilder::count(const SizeTerm &size, int64_t after) {
  Value count;
  if (size.isNumber() && size.plus >= 0 && size.plus <= mostAdded)
    return with.countAlong(size.plus, after);
  count = with.create("CumSum", ones(size),
                      {{"axis", with.integer(0)}, {"exclusive", with.integer(1)}});
  if (after == 0)
    return count;
  return with.create("Unsqueeze", count,
                     {{"axes", with.integers(llvm::to_vector(llvm::seq<int64_t>(1, after + 1)))}});
}

namespace {
/// Entries of a shape that are one size.
struct SizeGroup {
  SizeTerm size;
  SmallVector<size_t> entries;
};
} // namespace

/// Whether entry `i` of a shape of `count` is told by the tensor that is expanded.
static bool isOwnSize(RankedTensorType type, size_t i, size_t count) {
  size_t rank = type.getRank();
  return i + rank >= count && type.getDimSize(i + rank - count) != 1;
}

FailureOr<Expansion> SizeBuilder::expand(Value input, const Sizes &shape) {
  size_t count = shape.values.size();
  SmallVector<SizeGroup> groups;
  SmallVector<size_t> own;
  for (auto [i, value] : llvm::enumerate(shape.values)) {
    if (!ShapedType::isDynamic(value))
      continue;
    if (isOwnSize(typeOf(input), i, count)) {
      own.push_back(i);
      continue;
    }
    std::optional<SizeTerm> size = shape.term(i);
    if (!size)
      return node.emitError() << "entry " << i << " of its shape varies, and nothing is known of it"
                              << kFixSizes;
    auto *same = llvm::find_if(groups, [&](const SizeGroup &group) {
      return context.canonical(group.size) == context.canonical(*size);
    });
    if (same == groups.end())
      groups.push_back({*size, {i}});
    else
      same->entries.push_back(i);
  }
  Expansion step{input, {}, 0, {}};
  for (auto [number, group] : llvm::enumerate(groups)) {
    bool isLast = number + 1 == groups.size();
    step.like = group.size.isDimension() ? group.size.dimension.tensor : ones(group.size);
    step.axis = group.size.isDimension() ? group.size.dimension.axis : 0;
    if (!step.like)
      return failure();
    // What the input has already is kept by a 1, also where it turns out to be 1.
    step.shape = isLast ? shape.values : SmallVector<int64_t>(count, 1);
    llvm::replace(step.shape, ShapedType::kDynamic, int64_t(1));
    for (size_t entry : group.entries)
      step.shape[entry] = -1;
    if (isLast)
      break;
    step.input =
        with.create("Expand", {step.input, step.like},
                    {{"shape", with.integers(step.shape)}, {"axis", with.integer(step.axis)}});
    if (!step.input)
      return failure();
  }
  if (groups.empty())
    step.shape = shape.values;
  for (size_t entry : own) {
    size_t axis = entry + typeOf(input).getRank() - count;
    bool isOfLike =
        groups.empty() ||
        (groups.size() == 1 && sizeAlong(input, axis) == context.canonical(groups.front().size));
    step.shape[entry] = isOfLike ? -1 : 1;
  }
  return step;
}
