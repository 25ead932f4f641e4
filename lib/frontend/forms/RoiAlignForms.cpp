// Parts of images, cut out at edges between pixels and brought to one size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"

#include <array>

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// The two pixels around each sampled place, along one dimension; all float, of one shape.
struct Around {
  Value low, high;       ///< places of pixels
  Value nearer, farther; ///< their weights
  Value isInside;

  std::array<std::pair<Value, Value>, 2> both() const {
    return {std::pair(low, nearer), std::pair(high, farther)};
  }
};

class RoiAlignment {
public:
  RoiAlignment(ImportedNode &node, FormContext &context)
      : node(node), with(node, context), opset(context.opset) {}

  LogicalResult read();
  Value compute();
  /// The same where each region says how many points a bin has: as many as it has pixels, begun
  /// ones included. A point is between pixels of two rows and two columns, so that their sums are
  /// two products of matrices, with what each row and each column counts, and their maxima two
  /// maxima, along rows and along columns.
  Value computeAdaptive();
  bool isAdaptive() const { return ratio <= 0; }

private:
  /// What rows (or columns) count at each point of a bin, and which of them a point is between,
  /// both [R, bins, points, size]; how many points a bin has along them, [R, 1, 1], and how many of
  /// these are inside the image, [R, bins, 1].
  struct Shares {
    SmallVector<std::pair<Value, Value>, 2> weights; ///< where a point is next to, and its weight
    Value points, inside;
  };
  Shares sharesAlong(int64_t first, int64_t bins, int64_t size);
  Value meanOf(const Shares &rows, const Shares &columns, Value image);
  Value largestOf(const Shares &rows, const Shares &columns, Value image);
  Value reduce(StringRef op, Value value, int64_t axis) {
    return with.create(op, value, {{"axes", with.integers(axis)}, {"keepdims", with.integer(0)}});
  }

  Value number(double value) { return with.number(element, value); }
  Value binary(StringRef op, Value a, Value b) { return with.create(op, {a, b}); }
  Value unsqueeze(Value value, ArrayRef<int64_t> axes) {
    return with.create("Unsqueeze", value, {{"axes", with.integers(axes)}});
  }

  Value corner(int64_t which);
  Value placesAlong(int64_t first, int64_t bins);
  Around findAround(Value places, int64_t size, ArrayRef<int64_t> axes);
  Value pick(Value row, Value column);

  ImportedNode &node;
  Composer with;
  int64_t opset;
  Type element;
  int64_t bins[2], ratio = 0; ///< height, width
  double scale = 1;
  bool isShifted = false, isMax = false;
  int64_t channels = 0, height = 0, width = 0;
  Value pixels; ///< [N * height * width, channels]
  Value image;  ///< of each region, [R, 1, 1, 1, 1]: where it begins among the pixels
};

} // namespace

LogicalResult RoiAlignment::read() {
  auto x = dyn_cast<RankedTensorType>(node.operands[0].getType());
  auto regions = dyn_cast<RankedTensorType>(node.operands[1].getType());
  if (!x || !regions || x.getRank() != 4 || regions.getRank() != 2 || regions.getDimSize(1) != 4 ||
      llvm::is_contained(x.getShape().drop_front(), ShapedType::kDynamic))
    return node.emitError() << "needs images [batch, channels, height, width] whose sizes but the "
                               "batch are known, and regions [count, 4], got "
                            << node.operands[0].getType() << " and " << node.operands[1].getType();
  ratio = node.integer("sampling_ratio", 0);
  auto word = [&](StringRef name, StringRef otherwise) {
    auto given = dyn_cast_or_null<StringAttr>(node.attributes.get(name));
    return given ? given.getValue() : otherwise;
  };
  auto factor = dyn_cast_or_null<FloatAttr>(node.attributes.get("spatial_scale"));
  scale = factor ? factor.getValueAsDouble() : 1;
  StringRef mode = word("mode", "avg"), transformation = word("coordinate_transformation_mode", "");
  if (mode != "avg" && mode != "max")
    return node.emitError() << "has mode '" << mode << "'; avg and max are known";
  isMax = mode == "max";
  isShifted = transformation == "half_pixel" || (transformation.empty() && opset >= 16);
  bins[0] = node.integer("output_height", 1);
  bins[1] = node.integer("output_width", 1);
  element = x.getElementType();
  channels = x.getDimSize(1), height = x.getDimSize(2), width = x.getDimSize(3);
  return success();
}

/// Coordinate `which` of each region, [R], in pixels.
Value RoiAlignment::corner(int64_t which) {
  Value index = with.number(with.builder.getI64Type(), double(which));
  Value given = with.cast(
      with.create("Gather", {node.operands[1], index}, {{"axis", with.integer(1)}}), element);
  return binary("Sub", binary("Mul", given, number(scale)), number(isShifted ? 0.5 : 0));
}

/// Where samples are, [R, bins, ratio]: from coordinate `first` to that of the opposite corner.
Value RoiAlignment::placesAlong(int64_t first, int64_t count) {
  Value begin = corner(first), length = binary("Sub", corner(first + 2), begin);
  if (!isShifted) // as of old, a region has a pixel at least
    length = binary("Max", length, number(1));
  SmallVector<double> bin, part;
  for (int64_t i = 0; i < count; ++i)
    bin.push_back(double(i));
  for (int64_t i = 0; i < ratio; ++i)
    part.push_back((double(i) + 0.5) / double(ratio));
  Value steps =
      binary("Add", with.numbersAlong(element, bin, 1), with.numbersAlong(element, part, 0));
  Value step = binary("Div", unsqueeze(length, {1, 2}), number(double(count)));
  return binary("Add", unsqueeze(begin, {1, 2}), binary("Mul", steps, step));
}

/// Places that are a pixel or more beyond the image are outside; others take the nearest pixels.
Around RoiAlignment::findAround(Value places, int64_t size, ArrayRef<int64_t> axes) {
  places = unsqueeze(places, axes);
  Value last = number(double(size - 1));
  Around around;
  around.isInside = binary("And", binary("LessOrEqual", number(-1), places),
                           binary("LessOrEqual", places, number(double(size))));
  Value positive = binary("Less", number(0), places);
  Value place = with.create("Where", {positive, places, number(0)});
  around.low = binary("Min", with.create("Floor", place), last);
  around.high = binary("Min", binary("Add", around.low, number(1)), last);
  Value isLast = binary("LessOrEqual", last, around.low);
  around.farther = with.create("Where", {isLast, number(0), binary("Sub", place, around.low)});
  around.nearer = binary("Sub", number(1), around.farther);
  return around;
}

/// [R, bins, bins, ratio, ratio, channels].
Value RoiAlignment::pick(Value row, Value column) {
  Value flat = binary("Add", binary("Mul", row, number(double(width))), column);
  Value index = binary("Add", with.cast(flat, with.builder.getI64Type()), image);
  return with.create("Gather", {pixels, index}, {{"axis", with.integer(0)}});
}

Value RoiAlignment::compute() {
  Type integer = with.builder.getI64Type();
  Value last = with.create("Transpose", node.operands[0], {{"perm", with.integers({0, 2, 3, 1})}});
  pixels = with.create("Reshape", last, {{"shape", with.integers({-1, channels})}});
  image = unsqueeze(binary("Mul", with.cast(node.operands[2], integer),
                           with.number(integer, double(height * width))),
                    {1, 2, 3, 4});
  Around rows = findAround(placesAlong(1, bins[0]), height, {2, 4});
  Around columns = findAround(placesAlong(0, bins[1]), width, {1, 3});
  Value isInside = binary("And", rows.isInside, columns.isInside), found;
  auto within = [&](Value place) { // of what is outside nothing counts: any pixel will do
    return with.create("Where", {isInside, place, number(0)});
  };
  for (auto [row, rowWeight] : rows.both())
    for (auto [column, weight] : columns.both()) {
      Value share = with.create("Where", {isInside, binary("Mul", rowWeight, weight), number(0)});
      Value part = binary("Mul", pick(within(row), within(column)), unsqueeze(share, {5}));
      found = found ? binary(isMax ? "Max" : "Add", found, part) : part;
    }
  Value reduced = with.create(isMax ? "ReduceMax" : "ReduceMean", found,
                              {{"axes", with.integers({3, 4})}, {"keepdims", with.integer(0)}});
  return with.create("Transpose", reduced, {{"perm", with.integers({0, 3, 1, 2})}});
}

/// Points lie at least as dense as pixels, and no denser than two of them, which a bin of little
/// more than one pixel has; so at most two more of a bin than there are pixels are inside. The
/// first one of these is found, and as many after it are looked at.
RoiAlignment::Shares RoiAlignment::sharesAlong(int64_t first, int64_t count, int64_t size) {
  Value begin = corner(first), length = binary("Sub", corner(first + 2), begin);
  if (!isShifted)
    length = binary("Max", length, number(1));
  SmallVector<double> bin;
  for (int64_t i = 0; i < count; ++i)
    bin.push_back(double(i));
  Value width = binary("Div", unsqueeze(length, {1, 2}), number(double(count)));
  Value points = with.create("Ceil", width);
  Value some = binary("Max", points, number(1)); // none are counted of a region without them
  Value step = binary("Div", width, some);
  Value start = binary("Add", unsqueeze(begin, {1, 2}),
                       binary("Mul", width, with.numbersAlong(element, bin, 1)));
  Value half = binary("Mul", step, number(0.5));
  Value passed = binary("Div", binary("Sub", number(-1.5), binary("Add", start, half)),
                        binary("Max", step, number(0.25)));
  Value skipped = binary("Max", with.create("Floor", passed), number(0));
  Value place = binary("Add", skipped, with.cast(with.countAlong(size + 6, 0), element));
  Value point = binary("Add", binary("Add", start, half), binary("Mul", place, step));
  Around around = findAround(point, size, {3}); // [R, bins, points, 1]
  Value counts = binary("And", around.isInside, unsqueeze(binary("Less", place, points), {3}));
  Value pixel = with.cast(with.countAlong(size, 0), element);
  Shares shares;
  for (auto [at, weight] : around.both())
    shares.weights.emplace_back(binary("And", counts, binary("Equal", pixel, at)), weight);
  shares.points = points;
  shares.inside = reduce("ReduceSum", with.cast(counts, element), 2);
  return shares;
}

Value RoiAlignment::meanOf(const Shares &rows, const Shares &columns, Value image) {
  auto total = [&](const Shares &shares) { // [R, 1, bins, size]
    Value sum;
    for (auto [here, weight] : shares.weights) {
      Value part = with.create("Where", {here, weight, number(0)});
      sum = sum ? binary("Add", sum, part) : part;
    }
    return unsqueeze(reduce("ReduceSum", sum, 2), {1});
  };
  Value along = with.create("MatMul", {total(rows), image});
  Value turned = with.create("Transpose", total(columns), {{"perm", with.integers({0, 1, 3, 2})}});
  Value sums = with.create("MatMul", {along, turned});
  Value points = binary("Max", binary("Mul", rows.points, columns.points), number(1));
  return binary("Div", sums, unsqueeze(points, {3}));
}

/// The largest of the pixels next to a point, each times its weight, at any point. A weight is a
/// product of those of a row and a column, and the points of a bin are all pairs of some rows and
/// columns. So of a pixel that is positive the largest weights count, and if no pixel is, of
/// the others the smallest ones. What lies outside of the image is 0, and so are bins without
/// points.
Value RoiAlignment::largestOf(const Shares &rows, const Shares &columns, Value image) {
  auto extreme = [&](const Shares &shares, StringRef op, double otherwise) { // [R, bins, size]
    Value found;
    for (auto [here, weight] : shares.weights) {
      Value part = with.create("Where", {here, weight, number(otherwise)});
      found = found ? binary(op, found, part) : part;
    }
    return reduce(op == "Max" ? "ReduceMax" : "ReduceMin", found, 2);
  };
  // [R, channels, height, width] to [R, channels, bins, bins], the rows first.
  auto overAll = [&](StringRef op, Value ofRows, Value ofColumns, Value pixels, double otherwise) {
    auto over = [&](Value weights, Value values, int64_t axis) {
      Value products = binary("Mul", weights, values);
      if (otherwise != 0) // no weight is larger than 1: what has a larger one is next to no point
        products = with.create(
            "Where", {binary("LessOrEqual", weights, number(1)), products, number(otherwise)});
      return reduce(op, products, axis);
    };
    Value along = over(unsqueeze(ofRows, {1, 4}), unsqueeze(pixels, {2}), 3);
    return over(unsqueeze(ofColumns, {1, 2}), unsqueeze(along, {3}), 4);
  };
  double none = APFloat::getLargest(cast<FloatType>(element).getFloatSemantics()).convertToDouble();
  Value positive = overAll("ReduceMax", extreme(rows, "Max", 0), extreme(columns, "Max", 0),
                           with.create("Relu", image), 0);
  Value negative = overAll("ReduceMin", extreme(rows, "Min", 2), extreme(columns, "Min", 2),
                           with.create("Relu", with.create("Neg", image)), none);
  Value largest = with.create(
      "Where", {binary("Less", number(0), positive), positive, with.create("Neg", negative)});
  auto isWhole = [&](const Shares &shares, ArrayRef<int64_t> axes) {
    Value some = binary("Less", number(0), shares.inside);
    return unsqueeze(binary("And", some, binary("Equal", shares.inside, shares.points)), axes);
  };
  Value isInside = binary(
      "And", isWhole(rows, {1}), // [R, 1, bins, 1] and [R, 1, 1, bins]
      with.create("Transpose", isWhole(columns, {1}), {{"perm", with.integers({0, 1, 3, 2})}}));
  return with.create("Where", {isInside, largest, binary("Max", largest, number(0))});
}

Value RoiAlignment::computeAdaptive() {
  Shares rows = sharesAlong(1, bins[0], height), columns = sharesAlong(0, bins[1], width);
  Value image = with.create("Gather", {node.operands[0], node.operands[2]},
                            {{"axis", with.integer(0)}}); // [R, channels, height, width]
  return isMax ? largestOf(rows, columns, image) : meanOf(rows, columns, image);
}

LogicalResult tutti::frontend::composeRoiAlign(ImportedNode &node, FormContext &context,
                                               Results &results) {
  RoiAlignment alignment(node, context);
  if (failed(alignment.read()))
    return failure();
  results.push_back(alignment.isAdaptive() ? alignment.computeAdaptive() : alignment.compute());
  return success(results.back() != nullptr);
}
