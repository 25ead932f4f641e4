// How the window attributes of convolutions and pools are resolved and checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

/// Checks that `values` has `size` entries, each at least `least`.
static LogicalResult checkEntries(const Inference &infer, StringRef name, ArrayRef<int64_t> values,
                                  size_t size, int64_t least) {
  if (values.size() != size)
    return infer.error("has ", values.size(), " entries in ", name, ", but needs ", size);
  for (int64_t value : values)
    if (value < least)
      return infer.error("has ", value, " in ", name, ", but the least is ", least);
  return success();
}

/// Chooses pads so that the window has ceil(in / stride) positions.
static LogicalResult padToSame(const Inference &infer, Window &window, ArrayRef<int64_t> spatial,
                               bool upper) {
  for (auto [i, in] : llvm::enumerate(spatial)) {
    if (ShapedType::isDynamic(in))
      return infer.error("needs static spatial dimensions for auto_pad SAME, but they are ",
                         toString(spatial));
    int64_t positions = llvm::divideCeil(in, window.strides[i]);
    int64_t total =
        std::max<int64_t>((positions - 1) * window.strides[i] + window.getExtent(i) - in, 0);
    window.padsBegin[i] = upper ? total / 2 : total - total / 2;
    window.padsEnd[i] = total - window.padsBegin[i];
  }
  return success();
}

static LogicalResult resolvePads(const Inference &infer, Window &window,
                                 const WindowAttributes &attributes, ArrayRef<int64_t> spatial) {
  size_t rank = spatial.size();
  window.padsBegin.assign(rank, 0);
  window.padsEnd.assign(rank, 0);
  StringRef mode = attributes.autoPad;
  if (mode != "NOTSET" && attributes.pads)
    return infer.error("has both pads and auto_pad ", mode, "; drop one of them");
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
    return padToSame(infer, window, spatial, mode == "SAME_UPPER");
  if (mode != "NOTSET" && mode != "VALID")
    return infer.error("has auto_pad '", mode,
                       "', which is not one of NOTSET, VALID, SAME_UPPER, SAME_LOWER");
  if (!attributes.pads)
    return success();
  if (failed(checkEntries(infer, "pads", *attributes.pads, 2 * rank, 0)))
    return failure();
  llvm::copy(attributes.pads->take_front(rank), window.padsBegin.begin());
  llvm::copy(attributes.pads->drop_front(rank), window.padsEnd.begin());
  return success();
}

FailureOr<Window> tutti::onnx::resolveWindow(const Inference &infer,
                                             const WindowAttributes &attributes,
                                             ArrayRef<int64_t> spatial) {
  size_t rank = spatial.size();
  SmallVector<int64_t, 3> ones(rank, 1);
  Window window;
  window.kernel = llvm::to_vector<3>(attributes.kernel);
  // Before the size of W is known, its window is one that sees more than an element.
  llvm::replace(window.kernel, ShapedType::kDynamic, int64_t(2));
  window.strides = llvm::to_vector<3>(attributes.strides.value_or(ones));
  window.dilations = llvm::to_vector<3>(attributes.dilations.value_or(ones));
  if (failed(checkEntries(infer, "kernel_shape", window.kernel, rank, 1)) ||
      failed(checkEntries(infer, "strides", window.strides, rank, 1)) ||
      failed(checkEntries(infer, "dilations", window.dilations, rank, 1)) ||
      failed(resolvePads(infer, window, attributes, spatial)))
    return failure();
  return window;
}

FailureOr<Shape> tutti::onnx::slideWindow(const Inference &infer, const Window &window,
                                          ArrayRef<int64_t> spatial, bool ceilMode) {
  Shape positions;
  for (auto [i, in] : llvm::enumerate(spatial)) {
    if (ShapedType::isDynamic(in)) {
      positions.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t room = in + window.padsBegin[i] + window.padsEnd[i] - window.getExtent(i);
    if (room < 0)
      return infer.error("has a window that spans ", window.getExtent(i), " elements of dimension ",
                         i + 2, ", which has only ", in, " and ",
                         window.padsBegin[i] + window.padsEnd[i], " of padding");
    int64_t steps = ceilMode ? llvm::divideCeil(room, window.strides[i]) : room / window.strides[i];
    // A last window that would see nothing but padding at the end is left out.
    if (ceilMode && steps * window.strides[i] >= in + window.padsBegin[i])
      --steps;
    positions.push_back(steps + 1);
  }
  return positions;
}
