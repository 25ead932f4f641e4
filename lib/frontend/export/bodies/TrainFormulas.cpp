// Operations of the dialect `train` that are no optimizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/train/Train.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

static std::string operandName(unsigned index) { return "x" + std::to_string(index); }

/// Operand `index` in f32, or f64 if it is.
static std::string wide(Operation *op, unsigned index) {
  Type element = tensorType(op->getOperand(index)).getElementType();
  Type target = element.isF64() ? element : Type(Float32Type::get(op->getContext()));
  return FormulaText::cast(operandName(index), target);
}

/// `s`, the sum of all squares of all operands in f32.
static void addSumOfSquares(Operation *op, FormulaText &text) {
  std::string sum;
  for (unsigned index = 0; index < op->getNumOperands(); ++index) {
    std::string term = "s" + std::to_string(index), element = "e" + std::to_string(index);
    text << element + " = " +
                FormulaText::cast(operandName(index), Float32Type::get(op->getContext()));
    text << term + " = ReduceSum<keepdims = 0>(" + element + " * " + element + ")";
    sum += (index ? " + " : "") + term;
  }
  text << "s = " + sum;
}

static LogicalResult write(train::UnscaleOp op, FormulaText &text) {
  text << "g = " + wide(op, 0);
  text << "y0 = CastLike(g * CastLike(CastLike(1.0, x1) / x1, g), x0)";
  return success();
}

/// What is no finite number differs from itself, or its difference is no number.
static LogicalResult write(train::AllFiniteOp op, FormulaText &text) {
  std::string all;
  for (unsigned index = 0; index < op->getNumOperands(); ++index) {
    std::string wrong = "n" + std::to_string(index), element = "e" + std::to_string(index);
    text << element + " = " + wide(op, index);
    text << wrong + " = ReduceSum<keepdims = 0>(" +
                FormulaText::cast("Not(Equal(" + element + " - " + element + ", CastLike(0.0, " +
                                      element + ")))",
                                  Float32Type::get(op.getContext())) +
                ")";
    std::string isFinite = "Equal(" + wrong + ", CastLike(0.0, " + wrong + "))";
    all = index ? "And(" + all + ", " + isFinite + ")" : isFinite;
  }
  text << "y0 = " + all;
  return success();
}

static LogicalResult write(train::GlobalNormOp op, FormulaText &text) {
  addSumOfSquares(op, text);
  text << "y0 = Sqrt(s)";
  return success();
}

static LogicalResult write(train::SumOfSquaresOp op, FormulaText &text) {
  addSumOfSquares(op, text);
  text << "y0 = Identity(s)";
  return success();
}

static LogicalResult write(train::ClipOp op, FormulaText &text) {
  text << "room = CastLike(" + FormulaText::number(op.getMaxNorm()) +
              ", x1) / (x1 + CastLike(1e-06, x1))";
  text << "y0 = x0 * CastLike(Min(room, CastLike(1.0, x1)), x0)";
  return success();
}

static LogicalResult write(train::SelectOp, FormulaText &text) {
  text << "y0 = Where(x0, x1, x2)";
  return success();
}

/// A scale that would leave the normal numbers of f32 stays.
static LogicalResult write(train::UpdateLossScaleOp op, FormulaText &text) {
  text << "count = x1 + 1";
  text << "isFull = And(x2, Equal(count, " + std::to_string(op.getGrowthInterval()) + "))";
  text << "changed = Where(x2, Where(isFull, x0 * " + FormulaText::number(op.getGrowthFactor()) +
              ", x0), x0 * " + FormulaText::number(op.getBackoffFactor()) + ")";
  text << "isNormal = And(LessOrEqual(changed, 3.4028234663852886e38), "
          "GreaterOrEqual(changed, 1.1754943508222875e-38))";
  text << "y0 = Where(isNormal, changed, x0)";
  text << "y1 = Where(Or(Not(x2), isFull), 0, count)";
  return success();
}

static LogicalResult write(train::MarkGradientOp, FormulaText &text) {
  text << "y0 = Identity(x0)";
  return success();
}

static LogicalResult write(train::FullLikeOp op, FormulaText &text) {
  text << "y0 = Expand(" + FormulaText::number(op.getValue()) + ", Shape(x0))";
  return success();
}

static LogicalResult write(train::ScaleOp, FormulaText &text) {
  text << "y0 = x0 * x1";
  return success();
}

/// Of one device the part is the whole; a program of several has none of these any more.
template <typename Part> static LogicalResult writePart(Part, FormulaText &text) {
  text << "y0 = Identity(x0)";
  return success();
}
static LogicalResult write(train::BatchTotalOp op, FormulaText &text) {
  return writePart(op, text);
}
static LogicalResult write(train::BatchShareOp op, FormulaText &text) {
  return writePart(op, text);
}
static LogicalResult write(train::BatchSumOp op, FormulaText &text) { return writePart(op, text); }
static LogicalResult write(train::BatchGatherOp op, FormulaText &text) {
  return writePart(op, text);
}
static LogicalResult write(train::BatchPieceOp op, FormulaText &text) {
  return writePart(op, text);
}
static LogicalResult write(train::BatchScatterOp op, FormulaText &text) {
  return writePart(op, text);
}

static LogicalResult write(train::PieceOp op, FormulaText &text) {
  std::string axis = std::to_string(op.getAxis());
  text << "s = Gather(Shape(x2), " + axis + ") / x1";
  text << "y0 = Slice(x2, Unsqueeze(x0 * s, [0]), Unsqueeze((x0 + 1) * s, [0]), [" + axis + "])";
  return success();
}

static LogicalResult write(train::BatchWeightOp op, FormulaText &) {
  return refuseExport(op, "the share of a rank follows from the number of ranks, which a graph "
                          "does not know; export the program for one number of ranks, or with "
                          "another batch-policy than weighted");
}

static LogicalResult write(train::AccuracyOp op, FormulaText &text) {
  Builder builder(op.getContext());
  text << "best = ArgMax<axis = 1, keepdims = 0>(x0)";
  text << "y0 = " + FormulaText::cast("Equal(best, " +
                                          FormulaText::cast("x1", builder.getI64Type()) + ")",
                                      builder.getF32Type());
  return success();
}

static LogicalResult write(train::MicroBatchOp op, FormulaText &text) {
  std::string parts = std::to_string(op.getParts());
  text << "s = Gather(Shape(x1), 0) / " + parts;
  text << "y0 = Slice(x1, Unsqueeze(x0 * s, [0]), Unsqueeze((x0 + 1) * s, [0]), [0])";
  return success();
}

static LogicalResult write(train::PutMicroBatchOp op, FormulaText &text) {
  text << "s = Gather(Shape(x1), 0) / " + std::to_string(op.getParts());
  text << "before = Slice(x1, [0], Unsqueeze(x2 * s, [0]), [0])";
  text << "after = Slice(x1, Unsqueeze((x2 + 1) * s, [0]), [9223372036854775807], [0])";
  text << "y0 = Concat<axis = 0>(before, x0, after)";
  return success();
}

static LogicalResult write(train::ZeroBatchOp op, FormulaText &text) {
  ArrayRef<int64_t> row = tensorType(op.getResult()).getShape().drop_front();
  if (llvm::any_of(row, ShapedType::isDynamic))
    return refuseExport(op, "more than the batch varies; fix the other sizes of the inputs");
  text << "shape = Concat<axis = 0>(Gather(Shape(x0), [0]), " + FormulaText::list(row) + ")";
  text << "y0 = " + FormulaText::cast("ConstantOfShape(shape)",
                                      tensorType(op.getResult()).getElementType());
  return success();
}

static LogicalResult write(train::GradientOp op, FormulaText &) {
  return refuseExport(op, "only the algorithm of a step has gradients; expand them first "
                          "(--train-expand-gradients)");
}

LogicalResult tutti::frontend::writeTrainFormula(Operation *op, FormulaText &text) {
  if (isa<tutti::OptimizerOpInterface>(op))
    return writeOptimizerFormula(op, text);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<train::UnscaleOp, train::AllFiniteOp, train::GlobalNormOp, train::SumOfSquaresOp,
            train::ClipOp, train::SelectOp, train::UpdateLossScaleOp, train::MarkGradientOp,
            train::FullLikeOp, train::ScaleOp, train::BatchTotalOp, train::BatchShareOp,
            train::BatchSumOp, train::BatchGatherOp, train::BatchPieceOp, train::BatchScatterOp,
            train::PieceOp, train::BatchWeightOp, train::AccuracyOp, train::MicroBatchOp,
            train::PutMicroBatchOp, train::ZeroBatchOp, train::GradientOp>(
          [&](auto known) { return write(known, text); })
      .Default([&](Operation *other) { return writeRowsFormula(other, text); });
}
