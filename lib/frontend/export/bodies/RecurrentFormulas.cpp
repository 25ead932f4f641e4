// Gradients of recurrent layers: all steps, one after another, and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/onnx/Onnx.h"
#include "lib/diagnostics/Refusal.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace tutti::frontend;
using tutti::Refusal;

/// Each step is some thirty nodes.
static constexpr int64_t mostSteps = 256;

namespace {

/// Names of the operands of a gradient; empty where it has none.
struct LayerNames {
  std::string dy, dh, dc, x, w, r, b, h, c, p;
};

/// What the steps of one direction hand on to the one before: names, or empty for zero.
struct StepsBack {
  std::string dh, dc; ///< of the state before
  std::string dr, dp; ///< gradients of R and P, summed over the steps so far
};

/// Writes one layer; the kinds differ in what they do in a step, and back.
class LayerWriter {
public:
  explicit LayerWriter(FormulaText &text) : text(text) {}
  virtual ~LayerWriter() = default;

  LayerNames names;
  int64_t steps = 0, hidden = 0;
  int gates = 1;
  bool isReverse = false, isBoth = false, isLstm = false;

  void write();

protected:
  /// The state after step `k` of `way`, from `h` (and `c`), with `a` from the input.
  virtual void writeStep(const std::string &at, const std::string &a, const std::string &h,
                         const std::string &c) = 0;
  /// Writes the gradients of what the gates add up, once of the part from the input (`zx`) and once
  /// of the part from the state (`zh`), and adds the step to the gradients in `back`, which then
  /// holds those of the state before it.
  virtual void writeBack(const std::string &at, const std::string &h, const std::string &c,
                         StepsBack &back) = 0;

  std::string plus(const std::string &a, const std::string &b) {
    return a.empty() ? b : b.empty() ? a : a + " + " + b;
  }
  std::string fromHidden(const std::string &h) {
    return "MatMul(" + h + ", rt" + way + ")" + (names.b.empty() ? "" : " + bh" + way);
  }
  /// Adds what one step says to a sum of all.
  void addTo(std::string &sum, const std::string &name, const std::string &at,
             const std::string &value) {
    text << name + at + " = " + plus(sum, value);
    sum = name + at;
  }
  static std::string turned(const std::string &value) {
    return "Transpose<perm = [1, 0]>(" + value + ")";
  }
  std::string way; ///< which direction

private:
  void writeWay(int number, bool isBackwards);
  std::string stack(ArrayRef<std::string> values) {
    std::string all;
    for (const std::string &value : values)
      all += (all.empty() ? "Unsqueeze(" : ", Unsqueeze(") + value + ", [0])";
    return "Concat<axis = 0>(" + all + ")";
  }
  std::string ofWay(const std::string &name, int number) {
    return "Gather(" + name + ", " + std::to_string(number) + ")";
  }

protected:
  FormulaText &text;
};

} // namespace

void LayerWriter::writeWay(int number, bool isBackwards) {
  way = std::to_string(number);
  auto nameOf = [&](StringRef name, int64_t k) {
    return name.str() + way + "n" + std::to_string(k);
  };
  int64_t width = gates * hidden;
  text << "w" + way + " = " + ofWay(names.w, number);
  text << "r" + way + " = " + ofWay(names.r, number);
  text << "rt" + way + " = " + turned("r" + way);
  std::string inputs = "MatMul(" + names.x + ", " + turned("w" + way) + ")";
  if (!names.b.empty()) {
    text << "b" + way + " = " + ofWay(names.b, number);
    text << "bh" + way + " = Slice(b" + way + ", " + FormulaText::list({width}) + ", " +
                FormulaText::list({2 * width}) + ")";
    inputs += " + Slice(b" + way + ", [0], " + FormulaText::list({width}) + ")";
  }
  text << "a" + way + " = " + inputs;
  if (!names.p.empty())
    text << "pi" + way + ", po" + way + ", pf" + way + " = Split<axis = 0>(" +
                ofWay(names.p, number) + ")";
  text << nameOf("h", 0) + " = " + (names.h.empty() ? "zero" : ofWay(names.h, number));
  if (isLstm)
    text << nameOf("c", 0) + " = " + (names.c.empty() ? "zero" : ofWay(names.c, number));
  auto timeOf = [&](int64_t k) { return std::to_string(isBackwards ? steps - 1 - k : k); };
  for (int64_t k = 0; k < steps; ++k)
    writeStep(way + "n" + std::to_string(k + 1), "Gather(a" + way + ", " + timeOf(k) + ")",
              nameOf("h", k), nameOf("c", k));

  StepsBack back;
  SmallVector<std::string> fromX, fromH;
  back.dh = names.dh.empty() ? "" : ofWay(names.dh, number);
  back.dc = names.dc.empty() ? "" : ofWay(names.dc, number);
  for (int64_t k = steps - 1; k >= 0; --k) {
    std::string at = way + "n" + std::to_string(k + 1);
    std::string own =
        names.dy.empty() ? "" : ofWay("Gather(" + names.dy + ", " + timeOf(k) + ")", number);
    std::string all = plus(back.dh, own);
    text << "dh" + at + " = " + (all.empty() ? "zero" : all);
    writeBack(at, nameOf("h", k), nameOf("c", k), back);
    fromX.push_back("zx" + at);
    fromH.push_back("zh" + at);
  }
  if (!isBackwards)
    std::reverse(fromX.begin(), fromX.end());
  text << "zx" + way + " = " + stack(fromX);
  text << "dx" + way + " = MatMul(zx" + way + ", w" + way + ")";
  std::string rows = "Reshape(zx" + way + ", " + FormulaText::list({-1, width}) + ")";
  std::string columns =
      "Reshape(" + names.x + ", Concat<axis = 0>([-1], Gather(Shape(" + names.x + "), [2])))";
  text << "dw" + way + " = MatMul(" + turned(rows) + ", " + columns + ")";
  text << "db" + way + " = Concat<axis = 0>(ReduceSum<keepdims = 0>(zx" + way +
              ", [0, 1]), ReduceSum<keepdims = 0>(" + stack(fromH) + ", [0, 1]))";
  text << "dr" + way + " = " + back.dr;
  text << "dh" + way + " = " + back.dh;
  if (isLstm) {
    text << "dc" + way + " = " + back.dc;
    text << "dp" + way + " = " + back.dp;
  }
}

/// In the order of the results of the operation.
void LayerWriter::write() {
  text << "zero = CastLike(ConstantOfShape(Concat<axis = 0>(Gather(Shape(" + names.x + "), [1]), " +
              FormulaText::list({hidden}) + ")), " + names.x + ")";
  int ways = isBoth ? 2 : 1;
  for (int number = 0; number < ways; ++number)
    writeWay(number, isReverse || number == 1);
  text << (isBoth ? "y0 = dx0 + dx1" : "y0 = dx0");
  static constexpr StringLiteral of[] = {"dw", "dr", "db", "dh", "dc", "dp"};
  for (auto [index, name] : llvm::enumerate(ArrayRef(of).take_front(isLstm ? 6 : 4))) {
    SmallVector<std::string> values;
    for (int number = 0; number < ways; ++number)
      values.push_back(name.str() + std::to_string(number));
    text << "y" + std::to_string(index + 1) + " = " + stack(values);
  }
}

namespace {

class RnnWriter : public LayerWriter {
public:
  using LayerWriter::LayerWriter;
  bool isRelu = false;

private:
  void writeStep(const std::string &at, const std::string &a, const std::string &h,
                 const std::string &) override {
    text << "h" + at + (isRelu ? " = Relu(" : " = Tanh(") + a + " + " + fromHidden(h) + ")";
  }
  void writeBack(const std::string &at, const std::string &h, const std::string &,
                 StepsBack &back) override {
    if (isRelu)
      text << "on" + at + " = Greater(h" + at + ", 0.0)";
    text << "zx" + at + " = dh" + at + " * " +
                (isRelu ? "CastLike(on" + at + ", h" + at + ")"
                        : "(1.0 - h" + at + " * h" + at + ")");
    text << "zh" + at + " = zx" + at;
    addTo(back.dr, "dr", at, "MatMul(" + turned("zh" + at) + ", " + h + ")");
    text << "eh" + at + " = MatMul(zh" + at + ", r" + way + ")";
    back.dh = "eh" + at;
  }
};

class GruWriter : public LayerWriter {
public:
  using LayerWriter::LayerWriter;
  bool resetsAfter = false; ///< linear_before_reset

private:
  void writeStep(const std::string &at, const std::string &a, const std::string &h,
                 const std::string &) override {
    text << "az" + at + ", ar" + at + ", an" + at + " = Split<axis = 1>(" + a + ")";
    text << "uz" + at + ", ur" + at + ", un" + at + " = Split<axis = 1>(" + fromHidden(h) + ")";
    text << "z" + at + " = Sigmoid(az" + at + " + uz" + at + ")";
    text << "g" + at + " = Sigmoid(ar" + at + " + ur" + at + ")";
    std::string fromReset = "g" + at + " * un" + at;
    if (!resetsAfter) {
      text << "k" + at + " = g" + at + " * " + h;
      text << "vz" + at + ", vr" + at + ", vn" + at + " = Split<axis = 1>(" + fromHidden("k" + at) +
                  ")";
      fromReset = "vn" + at;
    }
    text << "n" + at + " = Tanh(an" + at + " + " + fromReset + ")";
    text << "h" + at + " = (1.0 - z" + at + ") * n" + at + " + z" + at + " * " + h;
  }
  void writeBack(const std::string &at, const std::string &h, const std::string &,
                 StepsBack &back) override {
    std::string dh = "dh" + at, z = "z" + at, g = "g" + at, n = "n" + at;
    std::string ofReset = g + " * (1.0 - " + g + ")";
    text << "dz" + at + " = " + dh + " * (" + h + " - " + n + ") * " + z + " * (1.0 - " + z + ")";
    text << "dn" + at + " = " + dh + " * (1.0 - " + z + ") * (1.0 - " + n + " * " + n + ")";
    if (resetsAfter) {
      text << "dg" + at + " = dn" + at + " * un" + at + " * " + ofReset;
    } else {
      text << "rz" + at + ", rr" + at + ", rn" + at + " = Split<axis = 0>(r" + way + ")";
      text << "dk" + at + " = MatMul(dn" + at + ", rn" + at + ")";
      text << "dg" + at + " = dk" + at + " * " + h + " * " + ofReset;
    }
    auto together = [&](const std::string &last) {
      return "Concat<axis = 1>(dz" + at + ", dg" + at + ", " + last + ")";
    };
    text << "zx" + at + " = " + together("dn" + at);
    text << "zh" + at + " = " + together(resetsAfter ? "dn" + at + " * " + g : "dn" + at);
    std::string kept = dh + " * " + z;
    if (resetsAfter) {
      addTo(back.dr, "dr", at, "MatMul(" + turned("zh" + at) + ", " + h + ")");
      text << "eh" + at + " = " + kept + " + MatMul(zh" + at + ", r" + way + ")";
    } else {
      addTo(back.dr, "dr", at,
            "Concat<axis = 0>(MatMul(" + turned("dz" + at) + ", " + h + "), MatMul(" +
                turned("dg" + at) + ", " + h + "), MatMul(" + turned("dn" + at) + ", k" + at +
                "))");
      text << "eh" + at + " = " + kept + " + MatMul(dz" + at + ", rz" + at + ") + MatMul(dg" + at +
                  ", rr" + at + ") + dk" + at + " * " + g;
    }
    back.dh = "eh" + at;
  }
};

class LstmWriter : public LayerWriter {
public:
  using LayerWriter::LayerWriter;

private:
  /// What a peephole adds.
  std::string peep(StringRef gate, const std::string &memory) {
    return names.p.empty() ? "" : " + p" + gate.str() + way + " * " + memory;
  }
  void writeStep(const std::string &at, const std::string &a, const std::string &h,
                 const std::string &c) override {
    text << "ai" + at + ", ao" + at + ", af" + at + ", ac" + at + " = Split<axis = 1>(" + a +
                " + " + fromHidden(h) + ")";
    text << "i" + at + " = Sigmoid(ai" + at + peep("i", c) + ")";
    text << "f" + at + " = Sigmoid(af" + at + peep("f", c) + ")";
    text << "g" + at + " = Tanh(ac" + at + ")";
    text << "c" + at + " = f" + at + " * " + c + " + i" + at + " * g" + at;
    text << "o" + at + " = Sigmoid(ao" + at + peep("o", "c" + at) + ")";
    text << "q" + at + " = Tanh(c" + at + ")";
    text << "h" + at + " = o" + at + " * q" + at;
  }
  void writeBack(const std::string &at, const std::string &h, const std::string &c,
                 StepsBack &back) override {
    std::string dh = "dh" + at, i = "i" + at, f = "f" + at, g = "g" + at, o = "o" + at,
                q = "q" + at, dm = "dm" + at;
    text << "do" + at + " = " + dh + " * " + q + " * " + o + " * (1.0 - " + o + ")";
    text << dm + " = " + plus(back.dc, dh + " * " + o + " * (1.0 - " + q + " * " + q + ")") +
                peep("o", "do" + at);
    text << "di" + at + " = " + dm + " * " + g + " * " + i + " * (1.0 - " + i + ")";
    text << "df" + at + " = " + dm + " * " + c + " * " + f + " * (1.0 - " + f + ")";
    text << "dg" + at + " = " + dm + " * " + i + " * (1.0 - " + g + " * " + g + ")";
    text << "zx" + at + " = Concat<axis = 1>(di" + at + ", do" + at + ", df" + at + ", dg" + at +
                ")";
    text << "zh" + at + " = zx" + at;
    addTo(back.dr, "dr", at, "MatMul(" + turned("zh" + at) + ", " + h + ")");
    addTo(back.dp, "dp", at,
          "ReduceSum<keepdims = 0>(Concat<axis = 1>(di" + at + " * " + c + ", do" + at + " * c" +
              at + ", df" + at + " * " + c + "), [0])");
    text << "ec" + at + " = " + dm + " * " + f + peep("i", "di" + at) + peep("f", "df" + at);
    text << "eh" + at + " = MatMul(zh" + at + ", r" + way + ")";
    back.dh = "eh" + at;
    back.dc = "ec" + at;
  }
};

} // namespace

/// What a formula does not say of a layer.
template <typename Op> static Refusal whyNotWritten(Op op, ArrayRef<StringRef> activations) {
  int64_t steps = tensorType(op.getX()).getDimSize(0);
  if (op.getLayout() != 0)
    return "its layout is 1; layout 0 is written";
  if (ShapedType::isDynamic(steps) || steps > mostSteps)
    return "all steps of its sequence are written, of which there must be a known number up to " +
           std::to_string(mostSteps);
  if (op.getSequenceLens())
    return "its sequences have lengths of their own";
  if (op.getClip() || op.getActivationAlpha() || op.getActivationBeta())
    return "its activations have bounds or factors";
  if (op.getActivations())
    for (auto [index, name] : llvm::enumerate(*op.getActivations()))
      if (!cast<StringAttr>(name).getValue().equals_insensitive(
              activations[index % activations.size()]))
        return "it has other activations than the usual ones";
  return {};
}

/// Operands by their place in the definition, of which some are absent.
template <typename Op> static void nameOperands(Op op, bool isLstm, LayerNames &names) {
  SmallVector<std::string *> places = {&names.dy, &names.dh};
  std::string lengths;
  if (isLstm)
    places.push_back(&names.dc);
  places.append({&names.x, &names.w, &names.r, &names.b, &lengths, &names.h});
  if (isLstm)
    places.append({&names.c, &names.p});
  for (auto [index, name] : llvm::enumerate(places))
    if (auto [first, count] = op.getODSOperandIndexAndLength(index); count > 0)
      *name = "x" + std::to_string(first);
}

template <typename Writer, typename Op>
static LogicalResult writeLayer(Op op, int gates, Writer &writer, const Refusal &refusal) {
  if (refusal)
    return refuseExport(op, refusal.reason() +
                                "; export the model before --train, or what was trained by "
                                "dist-run --export");
  writer.gates = gates;
  writer.isLstm = gates == 4;
  nameOperands(op, writer.isLstm, writer.names);
  writer.steps = tensorType(op.getX()).getDimSize(0);
  writer.hidden = tensorType(op.getR()).getDimSize(2);
  writer.isReverse = op.getDirection() == "reverse";
  writer.isBoth = op.getDirection() == "bidirectional";
  writer.write();
  return success();
}

static LogicalResult write(tutti::onnx::RNNGradOp op, FormulaText &text) {
  RnnWriter writer(text);
  writer.isRelu = op.getActivations() && !op.getActivations()->empty() &&
                  cast<StringAttr>((*op.getActivations())[0]).getValue().equals_insensitive("Relu");
  return writeLayer(op, 1, writer, whyNotWritten(op, {writer.isRelu ? "Relu" : "Tanh"}));
}

static LogicalResult write(tutti::onnx::GRUGradOp op, FormulaText &text) {
  GruWriter writer(text);
  writer.resetsAfter = op.getLinearBeforeReset() != 0;
  return writeLayer(op, 3, writer, whyNotWritten(op, {"Sigmoid", "Tanh"}));
}

static LogicalResult write(tutti::onnx::LSTMGradOp op, FormulaText &text) {
  LstmWriter writer(text);
  Refusal refusal = whyNotWritten(op, {"Sigmoid", "Tanh", "Tanh"});
  if (op.getInputForget() != 0)
    refusal = "its gate of forgetting is that of the input";
  return writeLayer(op, 4, writer, refusal);
}

LogicalResult tutti::frontend::writeRecurrentFormula(Operation *op, FormulaText &text) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tutti::onnx::RNNGradOp, tutti::onnx::GRUGradOp, tutti::onnx::LSTMGradOp>(
          [&](auto known) { return write(known, text); });
}
