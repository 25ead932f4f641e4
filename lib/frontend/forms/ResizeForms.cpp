// Resize and Upsample, expressed by lookups: along each dimension, an element of the result is a
// sum of elements of the input, with weights that are known at import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/forms/SliceForms.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// Element i of the result gets `weights[i]` of element `indices[i]`.
struct Tap {
  SmallVector<int64_t> indices;
  SmallVector<double> weights;
};

/// One dimension that changes.
struct Resized {
  int64_t axis, size, result;
  double scale, begin = 0, end = 1; ///< the last two are of the region that is cut out
};

class Resizing {
public:
  Resizing(ImportedNode &node, FormContext &context)
      : with(node, context), node(node), context(context), mode(text("mode", "nearest")),
        rounding(text("nearest_mode", "round_prefer_floor")),
        coordinates(text("coordinate_transformation_mode", "half_pixel")),
        policy(text("keep_aspect_ratio_policy", "stretch")) {
    if (node.op == "Upsample" || context.opset < 11) { // before there was a choice
      coordinates = "asymmetric";
      rounding = "floor";
    }
    if (mode == "bilinear")
      mode = "linear";
  }

  LogicalResult read();
  Value compute();

private:
  StringRef text(StringRef name, StringRef otherwise) const {
    auto attribute = dyn_cast_or_null<StringAttr>(node.attributes.get(name));
    return attribute ? attribute.getValue() : otherwise;
  }
  double number(StringRef name, double otherwise) const {
    auto attribute = dyn_cast_or_null<FloatAttr>(node.attributes.get(name));
    return attribute ? attribute.getValueAsDouble() : otherwise;
  }
  RankedTensorType type() const { return cast<RankedTensorType>(node.operands[0].getType()); }

  FailureOr<SmallVector<double>> floats(int index, StringRef what);
  LogicalResult checkModes();
  LogicalResult readResults();
  LogicalResult readRegion();
  LogicalResult readAxes();
  LogicalResult readScales(ArrayRef<double> scales);
  LogicalResult readSizes(const Sizes &sizes);
  LogicalResult readSizesAlike(const Sizes &sizes);
  LogicalResult add(int64_t axis, int64_t result, double scale);

  double originOf(const Resized &one, int64_t i) const;
  double roundOrigin(double origin) const;
  double stretchOf(const Resized &one) const;
  int64_t firstAround(const Resized &one) const;
  SmallVector<double> weightsAround(const Resized &one, double fraction) const;
  SmallVector<Tap> tapsOf(const Resized &one) const;
  Value resize(Value value, const Resized &one);
  Value repeat(Value value, const Resized &one, int64_t times);
  Value weigh(Value value, const Resized &one, const Tap &tap);
  Value outsideOf(Value value, const Resized &one);

  Composer with;
  ImportedNode &node;
  FormContext &context;
  StringRef mode, rounding, coordinates, policy;
  SmallVector<int64_t> axes;
  SmallVector<Resized> changes;
};

} // namespace

/// The contents of an input that is constant, or computed from constants and known sizes.
FailureOr<SmallVector<double>> Resizing::floats(int index, StringRef what) {
  auto numbers = context.scope.lookupFloats(node.inputName(index), node.location);
  if (!numbers)
    return node.emitError() << "its input '" << node.inputName(index) << "' (" << what
                            << ") must be constant floats, because a compiled program needs it"
                            << context.scope.howToKnow(node.inputName(index));
  return *numbers;
}

LogicalResult Resizing::checkModes() {
  auto isOneOf = [&](StringRef name, StringRef value, ArrayRef<StringRef> known) -> LogicalResult {
    if (llvm::is_contained(known, value))
      return success();
    return node.emitError() << name << " = '" << value << "' is not supported; "
                            << llvm::join(known, ", ") << " are";
  };
  if (failed(isOneOf("mode", mode, {"nearest", "linear", "cubic"})) ||
      failed(isOneOf("nearest_mode", rounding,
                     {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})) ||
      failed(isOneOf("coordinate_transformation_mode", coordinates,
                     {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                      "tf_half_pixel_for_nn", "tf_crop_and_resize", "half_pixel_symmetric"})))
    return failure();
  if (failed(isOneOf("keep_aspect_ratio_policy", policy, {"stretch", "not_larger", "not_smaller"})))
    return failure();
  if (mode != "nearest" && !isa<FloatType>(type().getElementType()))
    return node.emitError() << "mode = '" << mode << "' is for floats, not for " << type();
  return success();
}

/// Those that scales and sizes are of.
LogicalResult Resizing::readAxes() {
  int64_t rank = type().getRank();
  axes = llvm::to_vector(llvm::seq(rank));
  auto given = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get("axes"));
  if (!given)
    return success();
  axes.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  for (int64_t &axis : axes) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
      return node.emitError() << "its axes are no dimensions of " << type();
  }
  return success();
}

LogicalResult Resizing::add(int64_t axis, int64_t result, double scale) {
  int64_t size = type().getDimSize(axis);
  if (ShapedType::isDynamic(size) || size < 1 || result < 1)
    return node.emitError() << "cannot resize dimension " << axis << " of " << type() << " to "
                            << result << " elements; its size must be known and not 0";
  changes.push_back({axis, size, result, scale});
  return success();
}

LogicalResult Resizing::readScales(ArrayRef<double> scales) {
  if (scales.size() != axes.size())
    return node.emitError() << "needs " << axes.size() << " scales, got " << scales.size();
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    bool changes = scale != 1 || coordinates == "tf_crop_and_resize";
    int64_t size = type().getDimSize(axis);
    if (changes && !ShapedType::isDynamic(size) &&
        failed(add(axis, static_cast<int64_t>(std::floor(double(size) * scale)), scale)))
      return failure();
    if (scale != 1 && ShapedType::isDynamic(size))
      return add(axis, -1, scale);
  }
  return success();
}

LogicalResult Resizing::readSizes(const Sizes &sizes) {
  if (sizes.values.size() != axes.size())
    return node.emitError() << "needs " << axes.size() << " sizes, got " << sizes.values.size();
  if (policy != "stretch")
    return readSizesAlike(sizes);
  for (auto [axis, result] : llvm::zip_equal(axes, sizes.values)) {
    int64_t size = type().getDimSize(axis);
    bool stays = result == size && coordinates != "tf_crop_and_resize";
    if (!stays && !(ShapedType::isDynamic(size) && result == size) &&
        failed(add(axis, result, double(result) / double(size))))
      return failure();
  }
  return success();
}

/// All by the one scale with which none is larger, or none smaller, than its size.
LogicalResult Resizing::readSizesAlike(const Sizes &sizes) {
  std::optional<double> scale;
  for (auto [axis, result] : llvm::zip_equal(axes, sizes.values)) {
    int64_t size = type().getDimSize(axis);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(result) || size < 1)
      return node.emitError() << "keep_aspect_ratio_policy = '" << policy
                              << "' needs the sizes that it scales to be known and not 0, which "
                              << "dimension " << axis << " of " << type()
                              << " is not; name the others in axes";
    double own = double(result) / double(size);
    scale = !scale ? own : policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  for (int64_t axis : axes) {
    double length = *scale * double(type().getDimSize(axis));
    if (*scale != 1 && failed(add(axis, static_cast<int64_t>(std::floor(length + 0.5)), *scale)))
      return failure();
  }
  return success();
}

LogicalResult Resizing::read() {
  if (!isa<RankedTensorType>(node.operands[0].getType()))
    return node.emitError() << "the shape of its input '" << node.inputName(0) << "' is not known";
  if (failed(checkModes()) || failed(readAxes()) || failed(readResults()))
    return failure();
  return coordinates == "tf_crop_and_resize" ? readRegion() : success();
}

/// By sizes or by scales.
LogicalResult Resizing::readResults() {
  bool isOld = node.op == "Upsample" || context.opset < 11; // X, scales
  if (!isOld && !node.inputName(3).empty()) {
    std::optional<Sizes> sizes = context.scope.lookupSizes(node.inputName(3), node.location);
    if (sizes)
      return readSizes(*sizes);
    return node.emitError() << "its input '" << node.inputName(3) << "' (sizes) must be constant "
                            << "integers or be computed from sizes"
                            << context.scope.howToKnow(node.inputName(3));
  }
  if (auto list = dyn_cast_or_null<DenseF32ArrayAttr>(node.attributes.get("scales")))
    return readScales(SmallVector<double>(list.asArrayRef().begin(), list.asArrayRef().end()));
  auto scales = floats(isOld ? 1 : 2, "scales");
  return failed(scales) ? failure() : readScales(*scales);
}

/// All begins, then all ends, as parts of the sizes.
LogicalResult Resizing::readRegion() {
  auto region = floats(1, "roi");
  if (failed(region))
    return failure();
  if (region->size() != 2 * axes.size())
    return node.emitError() << "needs two numbers of roi for each dimension, got "
                            << region->size();
  for (Resized &one : changes) {
    size_t at = llvm::find(axes, one.axis) - axes.begin();
    one.begin = (*region)[at];
    one.end = (*region)[at + axes.size()];
  }
  llvm::erase_if(changes, [](const Resized &one) {
    return one.size == one.result && one.begin == 0 && one.end == 1;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Where an element comes from
//===----------------------------------------------------------------------===//

/// The place in the input that element `i` of the result stands at. The result is as long as the
/// scale says here: as in ONNX's own numbers, it need not be whole.
double Resizing::originOf(const Resized &one, int64_t i) const {
  double last = double(one.size - 1), length = double(one.size) * one.scale;
  if (coordinates == "asymmetric")
    return double(i) / one.scale;
  if (coordinates == "align_corners")
    return length == 1 ? 0 : double(i) * last / (length - 1);
  if (coordinates == "tf_half_pixel_for_nn")
    return (double(i) + 0.5) / one.scale;
  if (coordinates == "tf_crop_and_resize")
    return length == 1 ? 0.5 * (one.begin + one.end) * last
                       : one.begin * last + double(i) * (one.end - one.begin) * last / (length - 1);
  if (coordinates == "pytorch_half_pixel" && one.result == 1)
    return 0;
  double origin = (double(i) + 0.5) / one.scale - 0.5;
  if (coordinates == "half_pixel_symmetric") // the middle stays in the middle
    return origin + double(one.size) / 2 * (1 - double(one.result) / length);
  return origin;
}

double Resizing::roundOrigin(double origin) const {
  if (rounding == "floor")
    return std::floor(origin);
  if (rounding == "ceil")
    return std::ceil(origin);
  return rounding == "round_prefer_ceil" ? std::floor(origin + 0.5) : std::ceil(origin - 0.5);
}

/// By how much antialias narrows the distances that a filter sees: a filter of an image that is
/// made smaller covers as many results as usual, and so more elements.
double Resizing::stretchOf(const Resized &one) const {
  return node.integer("antialias", 0) != 0 ? std::min(one.scale, 1.0) : 1;
}

/// The first element that counts, after the one at or before the place.
int64_t Resizing::firstAround(const Resized &one) const {
  double reach = mode == "linear" ? 1 : 2;
  return static_cast<int64_t>(std::floor(-reach / stretchOf(one))) + 1;
}

/// Of the elements around a place that lies `fraction` after one.
SmallVector<double> Resizing::weightsAround(const Resized &one, double fraction) const {
  double a = number("cubic_coeff_a", -0.75);
  auto weightAt = [&](double t) {
    if (mode == "linear")
      return std::max(0.0, 1 - t);
    if (t <= 1)
      return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0.0;
  };
  double stretch = stretchOf(one), sum = 0;
  SmallVector<double> weights;
  for (int64_t k = firstAround(one); k < 2 - firstAround(one); ++k) {
    weights.push_back(weightAt(std::abs(double(k) - fraction) * stretch));
    sum += weights.back();
  }
  if (stretch < 1)
    for (double &weight : weights)
      weight /= sum;
  return weights;
}

SmallVector<Tap> Resizing::tapsOf(const Resized &one) const {
  int64_t before = mode == "nearest" ? 0 : firstAround(one);
  SmallVector<Tap> taps(mode == "nearest" ? 1 : 2 - 2 * before);
  bool excludes = mode != "nearest" && node.integer("exclude_outside", 0) != 0;
  for (int64_t i = 0; i < one.result; ++i) {
    double origin = originOf(one, i), base = std::floor(origin);
    SmallVector<double> weights = {1};
    if (mode == "nearest")
      base = roundOrigin(origin);
    else
      weights = weightsAround(one, origin - base);
    int64_t first = static_cast<int64_t>(base) + before;
    double sum = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
      int64_t index = first + int64_t(k);
      if (excludes && (index < 0 || index >= one.size))
        weights[k] = 0;
      sum += weights[k];
    }
    for (size_t k = 0; k < weights.size(); ++k) {
      taps[k].indices.push_back(std::clamp<int64_t>(first + int64_t(k), 0, one.size - 1));
      taps[k].weights.push_back(excludes ? weights[k] / sum : weights[k]);
    }
  }
  return taps;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Each element `times` times.
Value Resizing::repeat(Value value, const Resized &one, int64_t times) {
  auto given = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> wide(given.getShape()), flat(given.getRank(), 0);
  wide.insert(wide.begin() + one.axis + 1, times);
  llvm::replace(wide, ShapedType::kDynamic, int64_t(-1));
  for (int64_t i = one.axis; i < given.getRank(); ++i)
    flat[i] = ShapedType::isDynamic(given.getDimSize(i)) ? -1 : given.getDimSize(i);
  flat[one.axis] = one.result;
  Value column = with.create("Unsqueeze", value, {{"axes", with.integers(one.axis + 1)}});
  Value repeated = with.create("Expand", column, {{"shape", with.integers(wide)}});
  return with.create("Reshape", repeated, {{"shape", with.integers(flat)}});
}

Value Resizing::weigh(Value value, const Resized &one, const Tap &tap) {
  Value indices = tutti::onnx::ConstantOp::create(
      with.builder, node.location,
      DenseElementsAttr::get(RankedTensorType::get({one.result}, with.builder.getI64Type()),
                             ArrayRef<int64_t>(tap.indices)));
  Value picked = with.create("Gather", {value, indices}, {{"axis", with.integer(one.axis)}});
  if (llvm::all_of(tap.weights, [](double weight) { return weight == 1; }))
    return picked;
  return with.create("Mul", {picked, with.numbersAlong(type().getElementType(), tap.weights,
                                                       type().getRank() - 1 - one.axis)});
}

/// Where the region that is cut out is beyond the input, a number of its own.
Value Resizing::outsideOf(Value value, const Resized &one) {
  SmallVector<double> isInside;
  for (int64_t i = 0; i < one.result; ++i) {
    double origin = originOf(one, i);
    isInside.push_back(origin >= 0 && origin <= double(one.size - 1) ? 1 : 0);
  }
  if (!llvm::is_contained(isInside, 0.0))
    return value;
  Type element = type().getElementType();
  Value inside = with.cast(
      with.numbersAlong(with.builder.getF32Type(), isInside, type().getRank() - 1 - one.axis),
      with.builder.getI1Type());
  return with.create("Where",
                     {inside, value, with.number(element, number("extrapolation_value", 0))});
}

Value Resizing::resize(Value value, const Resized &one) {
  SmallVector<Tap> taps = tapsOf(one);
  int64_t times = one.result / one.size;
  auto repeats = [&](const Tap &tap) {
    return one.result == times * one.size &&
           llvm::all_of(llvm::enumerate(tap.indices), [&](auto entry) {
             return entry.value() == int64_t(entry.index()) / times;
           });
  };
  if (taps.size() == 1 && repeats(taps.front()))
    return repeat(value, one, times);
  Value sum;
  for (const Tap &tap : taps) {
    Value part = weigh(value, one, tap);
    sum = sum ? with.create("Add", {sum, part}) : part;
  }
  return sum;
}

Value Resizing::compute() {
  Value value = node.operands[0];
  for (const Resized &one : changes)
    value = value ? resize(value, one) : value;
  if (coordinates == "tf_crop_and_resize")
    for (const Resized &one : changes)
      value = value ? outsideOf(value, one) : value;
  return value;
}

LogicalResult tutti::frontend::composeResize(ImportedNode &node, FormContext &context,
                                             Results &results) {
  Resizing resizing(node, context);
  if (failed(resizing.read()))
    return failure();
  results.push_back(resizing.compute());
  return success(results.back() != nullptr);
}
