// Images looked up at points between their pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/forms/SizeForms.h"

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
  /// What is looked up from then on, linearly, with zeros around it: [batch, channels, ...].
  void lookInto(Value image);
  /// What stands at `places`, one along each dimension of the image, all of one shape: that shape,
  /// and channels.
  Value at(ArrayRef<Value> places);

private:
  Value number(double value) { return with.number(element, value); }
  Value binary(StringRef op, Value a, Value b) { return with.create(op, {a, b}); }
  Value select(Value condition, Value a, Value b) {
    return with.create("Where", {condition, a, b});
  }

  void flatten(Value image);
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

void GridSampling::flatten(Value image) {
  auto rank = int64_t(sizes.size()) + 2;
  SmallVector<int64_t> last = {0};
  llvm::append_range(last, llvm::seq<int64_t>(2, rank));
  last.push_back(1);
  Value channelsLast = with.create("Transpose", image, {{"perm", with.integers(last)}});
  pixels = with.create("Reshape", channelsLast,
                       {{"shape", with.integers({0, llvm::product_of(sizes), channels})}});
}

void GridSampling::lookInto(Value image) {
  if (!image)
    return;
  mode = Mode::Linear;
  padding = Padding::Zeros;
  element = typeOf(image).getElementType();
  channels = typeOf(image).getDimSize(1);
  sizes.assign(typeOf(image).getShape().begin() + 2, typeOf(image).getShape().end());
  flatten(image);
}

Value GridSampling::at(ArrayRef<Value> places) {
  SmallVector<SmallVector<Neighbour>> around;
  for (auto [place, size] : llvm::zip_equal(places, sizes))
    around.push_back(neighboursOf(place, size));
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
  return sum;
}

Value GridSampling::compute() {
  flatten(node.operands[0]);
  auto rank = int64_t(sizes.size()) + 2;
  SmallVector<Value> places;
  for (auto [axis, size] : llvm::enumerate(sizes)) // points say the last dimension first
    places.push_back(coordinate(int64_t(sizes.size() - 1 - axis), size));
  SmallVector<int64_t> back = {0, rank - 1};
  llvm::append_range(back, llvm::seq<int64_t>(1, rank - 1));
  return with.create("Transpose", at(places), {{"perm", with.integers(back)}});
}

LogicalResult tutti::frontend::composeGridSample(ImportedNode &node, FormContext &context,
                                                 Results &results) {
  GridSampling sampling(node, context);
  if (failed(sampling.read()))
    return failure();
  results.push_back(sampling.compute());
  return success(results.back() != nullptr);
}

/// From -1 to 1 along `size` pixels: their centres, or from the first one to the last one.
static SmallVector<double> centresOf(int64_t size, bool alignsCorners) {
  SmallVector<double> centres(size);
  for (int64_t i = 0; i < size; ++i)
    centres[i] = alignsCorners ? (size > 1 ? 2 * double(i) / double(size - 1) - 1 : 0)
                               : (2 * double(i) + 1) / double(size) - 1;
  return centres;
}

/// A sum of columns of the matrices, the last of them as it is, and each other one times the place
/// of a pixel along one dimension.
LogicalResult tutti::frontend::composeAffineGrid(ImportedNode &node, FormContext &context,
                                                 Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  std::optional<Sizes> sizes = context.scope.lookupSizes(node.inputName(1), node.location);
  auto spatial = sizes ? int64_t(sizes->values.size()) - 2 : 0;
  if (!type || type.getRank() != 3 || (spatial != 2 && spatial != 3) ||
      type.getDimSize(1) != spatial || type.getDimSize(2) != spatial + 1)
    return node.emitError() << "needs matrices [batch, 2, 3] and a size [batch, channels, height, "
                               "width], or matrices [batch, 3, 4] and a size with a depth in front "
                               "of the height; got "
                            << node.operands[0].getType();
  ArrayRef<int64_t> image = ArrayRef(sizes->values).drop_front(2);
  if (llvm::any_of(image, [](int64_t size) { return size < 1; }))
    return node.emitError() << "needs a size of which height and width are known, and not 0"
                            << kFixSizes;
  SizeBuilder built(node, context);
  std::optional<SizeTerm> images = sizes->term(0);
  if (!images ||
      context.canonical(*images) != context.canonical(built.sizeAlong(node.operands[0], 0)))
    return node.emitError() << "needs as many matrices as its size has images, which is not known "
                               "here; give it the size of a tensor of the same batch, as "
                               "affine_grid(theta, x.size()) does";
  Composer with(node, context);
  bool alignsCorners = node.integer("align_corners", 0) != 0;
  SmallVector<int64_t> between = llvm::to_vector(llvm::seq<int64_t>(1, spatial + 1));
  Value sum;
  for (int64_t column = 0; column <= spatial; ++column) {
    Value index = with.number(with.builder.getI64Type(), double(column));
    Value part = with.create("Gather", {node.operands[0], index}, {{"axis", with.integer(2)}});
    part = with.create("Unsqueeze", part, {{"axes", with.integers(between)}});
    if (column < spatial) // points say the last dimension first
      part = with.create(
          "Mul", {part, with.numbersAlong(type.getElementType(),
                                          centresOf(image[spatial - 1 - column], alignsCorners),
                                          column + 1)});
    sum = sum ? with.create("Add", {sum, part}) : part;
  }
  results.push_back(sum);
  return success(sum != nullptr);
}

namespace {

/// A Conv whose taps each look at places of their own.
class DeformableConvolution {
public:
  DeformableConvolution(ImportedNode &node, FormContext &context)
      : node(node), context(context), with(node, context) {}

  LogicalResult read();
  Value compute();

private:
  Value placesAlong(int axis, Value offsets);
  Value lookUp();
  Value multiply(Value seen);
  Value part(Value value, int64_t axis, int64_t index, int64_t size) {
    return with.create("Slice", value,
                       {{"starts", with.integers(index * size)},
                        {"ends", with.integers((index + 1) * size)},
                        {"axes", with.integers(axis)}});
  }
  Value join(ArrayRef<Value> parts, int64_t axis) {
    return parts.size() == 1 ? parts[0]
                             : with.create("Concat", parts, {{"axis", with.integer(axis)}});
  }

  ImportedNode &node;
  FormContext &context;
  Composer with;
  Type element;
  int64_t channels = 0, kernels = 0, group = 1, offsetGroup = 1, taps = 1, pixels = 1;
  SmallVector<int64_t> kernel, out, strides, dilations, pads; ///< height and width
};

} // namespace

LogicalResult DeformableConvolution::read() {
  auto shapeOf = [&](size_t index) {
    auto type = node.operand(index) ? dyn_cast<RankedTensorType>(node.operand(index).getType())
                                    : RankedTensorType();
    bool isKnown = type && type.getRank() == 4 &&
                   !llvm::is_contained(type.getShape().drop_front(), ShapedType::kDynamic);
    return isKnown ? type.getShape() : ArrayRef<int64_t>();
  };
  ArrayRef<int64_t> image = shapeOf(0), weight = shapeOf(1), offset = shapeOf(2), mask = shapeOf(4);
  if (image.empty() || weight.empty() || offset.empty() || ShapedType::isDynamic(weight[0]) ||
      (node.operand(4) && mask.empty()))
    return node.emitError() << "is supported for images [batch, channels, height, width] whose "
                               "sizes but the batch are known, and as many dimensions of its "
                               "other operands";
  element = typeOf(node.operands[0]).getElementType();
  channels = image[1], kernels = weight[0];
  kernel.assign(weight.begin() + 2, weight.end());
  out.assign(offset.begin() + 2, offset.end());
  group = node.integer("group", 1), offsetGroup = node.integer("offset_group", 1);
  auto numbers = [&](StringRef name, int64_t length, int64_t otherwise) {
    auto given = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get(name));
    return given ? llvm::to_vector(given.asArrayRef()) : SmallVector<int64_t>(length, otherwise);
  };
  strides = numbers("strides", 2, 1), dilations = numbers("dilations", 2, 1);
  pads = numbers("pads", 4, 0);
  taps = llvm::product_of(kernel), pixels = llvm::product_of(out);
  bool fits =
      strides.size() == 2 && dilations.size() == 2 && pads.size() == 4 && group > 0 &&
      offsetGroup > 0 && channels % group == 0 && kernels % group == 0 &&
      channels % offsetGroup == 0 && weight[1] == channels / group &&
      offset[1] == offsetGroup * taps * 2 &&
      (mask.empty() || (mask[1] == offsetGroup * taps && mask.drop_front(2) == ArrayRef(out)));
  for (size_t i = 0; fits && i < 2; ++i) {
    int64_t room = image[i + 2] + pads[i] + pads[i + 2] - dilations[i] * (kernel[i] - 1) - 1;
    fits = strides[i] > 0 && dilations[i] > 0 && room >= 0 && out[i] == room / strides[i] + 1;
  }
  if (!fits)
    return node.emitError() << "has offsets, a mask or weights of other sizes than its image, "
                               "kernel, groups, pads, strides and dilations give";
  return success();
}

/// Of each tap at each pixel of the result: [batch, taps, pixels].
Value DeformableConvolution::placesAlong(int axis, Value offsets) {
  SmallVector<double> ofTaps, ofPixels;
  for (int64_t tap = 0; tap < taps; ++tap)
    ofTaps.push_back(
        double((axis == 0 ? tap / kernel[1] : tap % kernel[1]) * dilations[axis] - pads[axis]));
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    ofPixels.push_back(double((axis == 0 ? pixel / out[1] : pixel % out[1]) * strides[axis]));
  Value fixed = with.create(
      "Add", {with.numbersAlong(element, ofTaps, 1), with.numbersAlong(element, ofPixels, 0)});
  Value index = with.number(with.builder.getI64Type(), axis);
  Value moved = with.create("Gather", {offsets, index}, {{"axis", with.integer(2)}});
  return with.create("Add", {with.cast(moved, element), fixed});
}

/// What each tap sees: [batch, taps, pixels, channels].
Value DeformableConvolution::lookUp() {
  SmallVector<Value> seen;
  for (int64_t i = 0; i < offsetGroup; ++i) {
    Value offsets = with.create("Reshape", part(node.operands[2], 1, i, taps * 2),
                                {{"shape", with.integers({0, taps, 2, pixels})}});
    GridSampling sampling(node, context);
    sampling.lookInto(part(node.operands[0], 1, i, channels / offsetGroup));
    Value found = sampling.at({placesAlong(0, offsets), placesAlong(1, offsets)});
    if (node.operand(4)) {
      Value mask = with.create("Reshape", part(node.operands[4], 1, i, taps),
                               {{"shape", with.integers({0, taps, pixels, 1})}});
      found = with.create("Mul", {found, with.cast(mask, element)});
    }
    seen.push_back(found);
  }
  return join(seen, 3);
}

/// [batch, pixels, kernels].
Value DeformableConvolution::multiply(Value seen) {
  int64_t each = channels / group;
  SmallVector<Value> products;
  for (int64_t i = 0; i < group; ++i) {
    Value rows =
        with.create("Transpose", part(seen, 3, i, each), {{"perm", with.integers({0, 2, 1, 3})}});
    rows = with.create("Reshape", rows, {{"shape", with.integers({0, pixels, taps * each})}});
    Value weights = with.create("Transpose", part(node.operands[1], 0, i, kernels / group),
                                {{"perm", with.integers({2, 3, 1, 0})}});
    weights =
        with.create("Reshape", weights, {{"shape", with.integers({taps * each, kernels / group})}});
    products.push_back(with.create("MatMul", {rows, weights}));
  }
  return join(products, 2);
}

Value DeformableConvolution::compute() {
  Value sum = multiply(lookUp());
  if (Value bias = node.operand(3))
    sum = with.create("Add", {sum, bias});
  sum = with.create("Transpose", sum, {{"perm", with.integers({0, 2, 1})}});
  return with.create("Reshape", sum, {{"shape", with.integers({0, kernels, out[0], out[1]})}});
}

LogicalResult tutti::frontend::composeDeformConv(ImportedNode &node, FormContext &context,
                                                 Results &results) {
  DeformableConvolution convolution(node, context);
  if (failed(convolution.read()))
    return failure();
  results.push_back(convolution.compute());
  return success(results.back() != nullptr);
}
