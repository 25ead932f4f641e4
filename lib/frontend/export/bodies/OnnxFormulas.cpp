// Operators of the dialect `onnx` that neither ai.onnx nor com.microsoft has: gradients that look
// at a tensor for its shape, and statistics over a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/onnx/Onnx.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti::frontend;

using tutti::onnx::Window;

static std::string list(ArrayRef<int64_t> values) { return FormulaText::list(values); }

/// `dY` repeated along the axes of a reduction.
template <typename Reduction> static std::string repeated(Reduction op) {
  SmallVector<int64_t> axes = op.getReducedAxes();
  bool isKept = op.getKeepdims() || axes.empty();
  std::string aligned = isKept ? "x0" : "Unsqueeze(x0, " + list(axes) + ")";
  return "Expand(" + aligned + ", Shape(x1))";
}

static LogicalResult write(tutti::onnx::ReduceSumGradOp op, FormulaText &text) {
  text << "y0 = " + repeated(op);
  return success();
}

static LogicalResult write(tutti::onnx::ReduceMeanGradOp op, FormulaText &text) {
  text << "y0 = " + repeated(op) + " / CastLike(Size(x1) / Size(x0), x0)";
  return success();
}

/// Elements of X are numbered; those that the slice took say where those of dY go.
static LogicalResult write(tutti::onnx::SliceGradOp op, FormulaText &text) {
  int64_t count = static_cast<int64_t>(op.getStarts().size());
  std::string axes = op.getAxes() ? list(*op.getAxes()) : FormulaText::list(0, count);
  std::string steps = op.getSteps() ? ", " + list(*op.getSteps()) : "";
  text << "numbers = Reshape(Range(0, Size(x1), 1), Shape(x1))";
  text << "places = Slice(numbers, " + list(op.getStarts()) + ", " + list(op.getEnds()) + ", " +
              axes + steps + ")";
  text << "zeros = CastLike(ConstantOfShape(Unsqueeze(Size(x1), [0])), x0)";
  text << "flat = ScatterElements<axis = 0>(zeros, Reshape(places, [-1]), Reshape(x0, [-1]))";
  text << "y0 = Reshape(flat, Shape(x1))";
  return success();
}

/// Attributes of a pool with every default resolved, in the form of a call.
static std::string windowAttributes(const Window &window) {
  SmallVector<int64_t> pads(window.padsBegin.begin(), window.padsBegin.end());
  llvm::append_range(pads, window.padsEnd);
  return "kernel_shape = " + list(window.kernel) + ", strides = " + list(window.strides) +
         ", pads = " + list(pads);
}

/// Pools for means have them since operator set 19.
static std::string dilationAttribute(const Window &window) {
  bool isDense = llvm::all_of(window.dilations, [](int64_t dilation) { return dilation == 1; });
  return isDense ? "" : ", dilations = " + list(window.dilations);
}

/// The pool says which element it chose, numbered over the whole tensor.
static LogicalResult write(tutti::onnx::MaxPoolGradOp op, FormulaText &text) {
  Window window = op.getWindow();
  text << "largest, places = MaxPool<" + windowAttributes(window) +
              ", dilations = " + list(window.dilations) +
              ", ceil_mode = " + std::to_string(op.getCeilMode()) + ">(x1)";
  text << "zeros = CastLike(ConstantOfShape(Unsqueeze(Size(x1), [0])), x0)";
  text << "flat = ScatterElements<axis = 0, reduction = \"add\">(zeros, Reshape(places, [-1]), "
          "Reshape(x0, [-1]))";
  text << "y0 = Reshape(flat, Shape(x1))";
  return success();
}

static int64_t product(ArrayRef<int64_t> values) { return llvm::product_of(values); }

/// `share`: what each element of a window gets.
static void addShare(tutti::onnx::AveragePoolGradOp op, const Window &window, FormulaText &text) {
  std::string size = FormulaText::number(static_cast<double>(product(window.kernel)));
  if (op.getCountIncludePad()) {
    text << "share = x0 / " + size;
    return;
  }
  text << "ones = Expand(1.0, Shape(x1))";
  text << "inside = AveragePool<" + windowAttributes(window) + dilationAttribute(window) +
              ", count_include_pad = 1>(ones)";
  text << "share = x0 / (inside * " + size + ")";
}

/// Shares stand `stride` apart, zeros between them; a pool with stride 1 then sums what each
/// element gets, for the windows that reach it lie in a window before it.
static LogicalResult write(tutti::onnx::AveragePoolGradOp op, FormulaText &text) {
  Window window = op.getWindow();
  ArrayRef<int64_t> out = tensorType(op.getDY()).getShape().drop_front(2);
  ArrayRef<int64_t> in = tensorType(op.getX()).getShape().drop_front(2);
  bool isKnown =
      llvm::none_of(out, ShapedType::isDynamic) && llvm::none_of(in, ShapedType::isDynamic);
  if (op.getCeilMode() || !isKnown)
    return refuseExport(op, op.getCeilMode()
                                ? "with ceil_mode, windows end outside of the padding"
                                : "the size of a window's dimension varies; only that of the "
                                  "batch may");
  addShare(op, window, text);
  size_t rank = window.kernel.size();
  SmallVector<int64_t> split = {-1}, joined = {-1, 1};
  SmallVector<int64_t> gapsBefore(1 + 2 * rank, 0), gapsAfter = {0}, before = {0, 0},
                                                    after = {0, 0};
  for (size_t i = 0; i < rank; ++i) {
    split.append({out[i], 1});
    gapsAfter.append({0, window.strides[i] - 1});
    joined.push_back(out[i] * window.strides[i]);
    before.push_back(window.getExtent(i) - 1 - window.padsBegin[i]);
    after.push_back(in[i] + window.padsBegin[i] - joined.back());
  }
  llvm::append_range(gapsBefore, gapsAfter);
  llvm::append_range(before, after);
  SmallVector<int64_t> single(rank, 1);
  text << "apart = Reshape(Pad(Reshape(share, " + list(split) + "), " + list(gapsBefore) + "), " +
              list(joined) + ")";
  text << "sums = AveragePool<kernel_shape = " + list(window.kernel) +
              ", strides = " + list(single) + dilationAttribute(window) + ">(Pad(apart, " +
              list(before) + "))";
  text << "y0 = Reshape(sums * " +
              FormulaText::number(static_cast<double>(product(window.kernel))) + ", Shape(x1))";
  return success();
}

// Statistics of a batch: over all dimensions but that of the channels.

static std::string batchAxes(Value x) {
  SmallVector<int64_t> axes = {0};
  for (int64_t axis = 2; axis < tensorType(x).getRank(); ++axis)
    axes.push_back(axis);
  return list(axes);
}

/// A value of each channel, so that it broadcasts.
static std::string byChannel(const Twine &name, Value x) {
  return "Unsqueeze(" + name.str() + ", " + FormulaText::list(1, tensorType(x).getRank() - 1) + ")";
}

static std::string sum(const Twine &value, Value x) {
  return "ReduceSum<keepdims = 0>(" + value.str() + ", " + batchAxes(x) + ")";
}

/// `y0`, the mean of `value`, which has the shape of x0.
static void addMean(const Twine &value, Value x, FormulaText &text) {
  text << "total = " + sum(value, x);
  text << "y0 = total / CastLike(Size(x0) / Size(total), x0)";
}

static LogicalResult write(tutti::onnx::BatchMeanOp op, FormulaText &text) {
  addMean("x0", op.getX(), text);
  return success();
}

static LogicalResult write(tutti::onnx::BatchVarianceOp op, FormulaText &text) {
  text << "far = x0 - " + byChannel("x1", op.getX());
  addMean("far * far", op.getX(), text);
  return success();
}

static LogicalResult write(tutti::onnx::BatchCovarianceOp op, FormulaText &text) {
  Value x = op.getX();
  addMean("x0 * ((x1 - " + byChannel("x2", x) + ") * " + byChannel("x3", x) + ")", x, text);
  return success();
}

/// With the statistics of more than this batch; without, com.microsoft has it.
static LogicalResult write(tutti::onnx::BatchNormInternalOp op, FormulaText &text) {
  Value x = op.getX();
  std::string kept = FormulaText::number(op.getMomentum()),
              added = FormulaText::number(1 - op.getMomentum().convertToDouble());
  text << "y1 = x3 * " + kept + " + x5 * " + added;
  text << "y2 = x4 * " + kept + " + x6 * " + added;
  text << "y3 = Identity(x5)";
  text << "y4 = 1.0 / Sqrt(x6 + " + FormulaText::number(op.getEpsilon()) + ")";
  text << "n = (x0 - " + byChannel("y3", x) + ") * " + byChannel("y4", x);
  text << "y0 = n * " + byChannel("x1", x) + " + " + byChannel("x2", x);
  return success();
}

static LogicalResult write(tutti::onnx::BatchNormalizationGradOp op, FormulaText &text) {
  Value x = op.getX();
  text << "n = (x1 - " + byChannel("x3", x) + ") * " + byChannel("x4", x);
  text << "y1 = " + sum("x0 * n", x);
  text << "y2 = " + sum("x0", x);
  text << "y0 = " + byChannel("x2 * x4", x) + " * (x0 - " + byChannel("x5", x) + " - n * " +
              byChannel("x6", x) + ")";
  return success();
}

static LogicalResult write(tutti::onnx::FakeQuantizeOp op, FormulaText &text) {
  text << "q = Clip(Round(x0 / x1) + x2, " + FormulaText::number(op.getLow()) + ", " +
              FormulaText::number(op.getHigh()) + ")";
  text << "y0 = (q - x2) * x1";
  return success();
}

/// Of all elements: the operator takes as many as the dimension has.
static LogicalResult write(tutti::onnx::TopKOp op, FormulaText &text) {
  int64_t axis = op.getAxisAttr().getInt();
  axis += axis < 0 ? tensorType(op.getX()).getRank() : 0;
  text << "y0, y1 = TopK<axis = " + std::to_string(axis) +
              ", largest = " + std::to_string(op.getLargest()) + ">(x0, Gather(Shape(x0), " +
              list({axis}) + "))";
  return success();
}

/// ScatterND of ONNX has no batch_dims: tuples begin with the places of their samples here.
static LogicalResult write(tutti::onnx::ScatterNDOp op, FormulaText &text) {
  text << "tuples = Cast<to = 7>(x1)";
  text << "first = Slice(tuples, [0], [1], [-1])";
  text << "ones = Cast<to = 7>(Equal(first, first))";
  std::string places;
  for (int64_t axis = 0; axis < static_cast<int64_t>(op.getBatchDims()); ++axis)
    places += "CumSum<exclusive = 1>(ones, " + std::to_string(axis) + "), ";
  text << "y0 = ScatterND<reduction = \"" + op.getReduction() + "\">(x0, Concat<axis = -1>(" +
              places + "tuples), x2)";
  return success();
}

LogicalResult tutti::frontend::writeOnnxFormula(Operation *op, FormulaText &text) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tutti::onnx::ReduceSumGradOp, tutti::onnx::ReduceMeanGradOp, tutti::onnx::SliceGradOp,
            tutti::onnx::MaxPoolGradOp, tutti::onnx::AveragePoolGradOp, tutti::onnx::BatchMeanOp,
            tutti::onnx::BatchVarianceOp, tutti::onnx::BatchCovarianceOp,
            tutti::onnx::BatchNormInternalOp, tutti::onnx::BatchNormalizationGradOp,
            tutti::onnx::FakeQuantizeOp, tutti::onnx::ScatterNDOp, tutti::onnx::TopKOp>(
          [&](auto known) { return write(known, text); })
      .Case<tutti::onnx::RNNGradOp, tutti::onnx::GRUGradOp, tutti::onnx::LSTMGradOp>(
          [&](Operation *known) { return writeRecurrentFormula(known, text); })
      .Default([](Operation *unknown) {
        return refuseExport(unknown, "neither ai.onnx nor com.microsoft has it, and no operators "
                                     "stand for it");
      });
}
