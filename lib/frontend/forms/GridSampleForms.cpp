// Images looked up at points between their pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {

enum class Mode { Nearest, Linear, Cubic };
enum class Padding { Zeros, Border, Reflection };

/// One of the pixels around a point, along one dimension.
struct Neighbour {
  Value place;  ///< as a float, perhaps outside of the image
  Value weight; ///< null: 1
};

class GridSampling {
public:
  GridSampling(ImportedNode &node, FormContext &context) : node(node), with(node, context) {}

  LogicalResult read();
  Value compute();

private:
  Value number(double value) { return with.number(element, value); }
  Value binary(StringRef op, Value a, Value b) { return with.create(op, {a, b}); }
  Value select(Value condition, Value a, Value b) {
    return with.create("Where", {condition, a, b});
  }

  Value coordinate(int64_t which, int64_t size);
  Value bring(Value place, int64_t size);
  Value reflect(Value place, int64_t size);
  SmallVector<Neighbour> neighboursOf(Value place, int64_t size);
  SmallVector<Value> cubicWeights(Value fraction);
  Value pick(ArrayRef<Neighbour> pixel);
  Value lastUnit(Value value) {
    return with.create("Unsqueeze", value, {{"axes", with.integers(int64_t(sizes.size()) + 1)}});
  }

  ImportedNode &node;
  Composer with;
  Type element;
  Mode mode;
  Padding padding;
  bool alignsCorners = false;
  int64_t channels = 0;
  SmallVector<int64_t> sizes; ///< of an image, without its channels
  Value pixels;               ///< [N, all pixels, channels]
};

} // namespace

LogicalResult GridSampling::read() {
  auto x = dyn_cast<RankedTensorType>(node.operands[0].getType());
  auto grid = dyn_cast<RankedTensorType>(node.operands[1].getType());
  int64_t rank = x && grid && x.getRank() == grid.getRank() ? x.getRank() : 0;
  if ((rank != 4 && rank != 5) ||
      llvm::is_contained(x.getShape().drop_front(), ShapedType::kDynamic) ||
      grid.getDimSize(rank - 1) != rank - 2)
    return node.emitError()
           << "is supported for images [batch, channels, height, width] whose sizes but the batch "
              "are known, and points [batch, height, width, 2], or with a depth in front of the "
              "height, and points of 3, not for "
           << node.operands[0].getType() << " and " << node.operands[1].getType();
  auto word = [&](StringRef name, StringRef otherwise) {
    auto given = dyn_cast_or_null<StringAttr>(node.attributes.get(name));
    return given ? given.getValue() : otherwise;
  };
  auto foundMode = llvm::StringSwitch<std::optional<Mode>>(word("mode", "linear"))
                       .Cases({"linear", "bilinear"}, Mode::Linear)
                       .Case("nearest", Mode::Nearest)
                       .Cases({"cubic", "bicubic"}, Mode::Cubic)
                       .Default(std::nullopt);
  auto foundPadding = llvm::StringSwitch<std::optional<Padding>>(word("padding_mode", "zeros"))
                          .Case("zeros", Padding::Zeros)
                          .Case("border", Padding::Border)
                          .Case("reflection", Padding::Reflection)
                          .Default(std::nullopt);
  if (!foundMode || !foundPadding)
    return node.emitError() << "has mode '" << word("mode", "linear") << "' and padding_mode '"
                            << word("padding_mode", "zeros")
                            << "'; linear, nearest, cubic and zeros, border, reflection are known";
  mode = *foundMode;
  padding = *foundPadding;
  alignsCorners = node.integer("align_corners", 0) != 0;
  element = x.getElementType();
  channels = x.getDimSize(1);
  sizes.assign(x.getShape().begin() + 2, x.getShape().end());
  if (mode == Mode::Cubic && sizes.size() == 3)
    return node.emitError() << "has mode 'cubic', which images of three dimensions have not";
  return success();
}

/// From -1 to 1 to the places of pixels.
Value GridSampling::coordinate(int64_t which, int64_t size) {
  Value index = with.number(with.builder.getI64Type(), double(which));
  int64_t last = int64_t(sizes.size()) + 1;
  Value given = with.cast(
      with.create("Gather", {node.operands[1], index}, {{"axis", with.integer(last)}}), element);
  Value fromZero = binary("Add", given, number(1));
  if (alignsCorners)
    return binary("Mul", fromZero, number(double(size - 1) / 2));
  return binary("Mul", binary("Sub", binary("Mul", fromZero, number(double(size))), number(1)),
                number(0.5));
}

/// A mirror at both ends: of the first and last pixel, or of their outer edges.
Value GridSampling::reflect(Value place, int64_t size) {
  double low = alignsCorners ? 0 : -0.5, span = alignsCorners ? double(size - 1) : double(size);
  if (span == 0)
    return binary("Mul", place, number(0));
  Value above = binary("Sub", place, number(low));
  Value isBelow = binary("Less", above, number(0));
  Value far = select(isBelow, with.create("Neg", above), above);
  Value rest = with.create("Mod", {far, number(span)}, {{"fmod", with.integer(1)}});
  Value flips = with.create("Floor", binary("Div", far, number(span)));
  Value half = with.create("Floor", binary("Mul", flips, number(0.5)));
  Value isEven = binary("Equal", flips, binary("Mul", half, number(2)));
  return select(isEven, binary("Add", rest, number(low)), binary("Sub", number(span + low), rest));
}

/// Into the image, as the padding says; zeros are outside. At its ends nothing flows back.
Value GridSampling::bring(Value place, int64_t size) {
  if (padding == Padding::Zeros)
    return place;
  if (padding == Padding::Reflection)
    place = reflect(place, size);
  Value first = number(0), last = number(double(size - 1));
  Value below = select(binary("Less", place, last), place, last);
  return select(binary("Less", first, below), below, first);
}

/// Of the four pixels around a place that lies `t` after the second.
SmallVector<Value> GridSampling::cubicWeights(Value t) {
  constexpr double a = -0.75;
  Value one = number(1);
  auto polynomial = [&](Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = binary("Add", binary("Mul", sum, x), number(coefficient));
    return sum;
  };
  auto inner = [&](Value x) { return polynomial(x, {a + 2, -(a + 3), 0, 1}); };
  auto outer = [&](Value x) { return polynomial(x, {a, -5 * a, 8 * a, -4 * a}); };
  Value rest = binary("Sub", one, t);
  return {outer(binary("Add", t, one)), inner(t), inner(rest), outer(binary("Add", rest, one))};
}

SmallVector<Neighbour> GridSampling::neighboursOf(Value place, int64_t size) {
  SmallVector<Neighbour> neighbours;
  if (mode == Mode::Nearest) {
    neighbours.push_back({with.create("Round", bring(place, size)), Value()});
    return neighbours;
  }
  if (mode == Mode::Linear)
    place = bring(place, size);
  Value base = with.create("Floor", place), fraction = binary("Sub", place, base);
  if (mode == Mode::Linear) {
    neighbours.push_back({base, binary("Sub", number(1), fraction)});
    neighbours.push_back({binary("Add", base, number(1)), fraction});
    return neighbours;
  }
  for (auto [index, weight] : llvm::enumerate(cubicWeights(fraction))) {
    Value near = binary("Add", base, number(double(index) - 1));
    neighbours.push_back({bring(near, size), weight});
  }
  return neighbours;
}

/// The weighted pixel; 0 where there is none.
Value GridSampling::pick(ArrayRef<Neighbour> pixel) {
  Value inside, flat, weight;
  for (auto [place, size] : llvm::zip_equal(pixel, sizes)) {
    Value isIn = binary("And", binary("LessOrEqual", number(0), place.place),
                        binary("LessOrEqual", place.place, number(double(size - 1))));
    inside = inside ? binary("And", inside, isIn) : isIn;
    flat =
        flat ? binary("Add", binary("Mul", flat, number(double(size))), place.place) : place.place;
    if (place.weight)
      weight = weight ? binary("Mul", weight, place.weight) : place.weight;
  }
  Value index = with.cast(select(inside, flat, number(0)), with.builder.getI64Type());
  Value picked =
      with.create("GatherND", {pixels, lastUnit(index)}, {{"batch_dims", with.integer(1)}});
  return binary("Mul", picked, lastUnit(select(inside, weight ? weight : number(1), number(0))));
}

Value GridSampling::compute() {
  auto rank = int64_t(sizes.size()) + 2;
  SmallVector<int64_t> last = {0}, back = {0, rank - 1};
  llvm::append_range(last, llvm::seq<int64_t>(2, rank));
  last.push_back(1);
  llvm::append_range(back, llvm::seq<int64_t>(1, rank - 1));
  Value channelsLast = with.create("Transpose", node.operands[0], {{"perm", with.integers(last)}});
  pixels = with.create("Reshape", channelsLast,
                       {{"shape", with.integers({0, llvm::product_of(sizes), channels})}});
  // Points say the last dimension first.
  SmallVector<SmallVector<Neighbour>> around;
  for (auto [axis, size] : llvm::enumerate(sizes))
    around.push_back(neighboursOf(coordinate(int64_t(sizes.size() - 1 - axis), size), size));
  SmallVector<SmallVector<Neighbour>> chosen = {{}};
  for (const SmallVector<Neighbour> &along : around) {
    SmallVector<SmallVector<Neighbour>> longer;
    for (const SmallVector<Neighbour> &prefix : chosen)
      for (const Neighbour &next : along) {
        longer.push_back(prefix);
        longer.back().push_back(next);
      }
    chosen = std::move(longer);
  }
  Value sum;
  for (ArrayRef<Neighbour> pixel : chosen) {
    Value part = pick(pixel);
    sum = sum ? binary("Add", sum, part) : part;
  }
  return with.create("Transpose", sum, {{"perm", with.integers(back)}});
}

LogicalResult tutti::frontend::composeGridSample(ImportedNode &node, FormContext &context,
                                                 Results &results) {
  GridSampling sampling(node, context);
  if (failed(sampling.read()))
    return failure();
  results.push_back(sampling.compute());
  return success(results.back() != nullptr);
}
