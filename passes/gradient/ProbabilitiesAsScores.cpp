// Goes back from a loss to what made its numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/ProbabilitiesAsScores.h"

#include "dialects/onnx/Onnx.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using Loss = Recipe::Loss;

/// The operation that made `value`, after those that leave numbers as they are or nearly so.
static Operation *makerOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (
      op &&
      isa<onnx::IdentityOp, onnx::CastOp, onnx::ReshapeOp, onnx::FlattenOp, onnx::SqueezeOp,
          onnx::UnsqueezeOp, onnx::TransposeOp, onnx::SliceOp, onnx::ClipOp, onnx::DropoutOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// A quotient of exponentials and their sum, as Softmax is written out.
static bool isQuotientOfExponentials(Operation *op) {
  if (!isa<onnx::DivOp>(op))
    return false;
  Operation *dividend = makerOf(op->getOperand(0)), *sum = makerOf(op->getOperand(1));
  return isa_and_nonnull<onnx::ExpOp>(dividend) && isa_and_nonnull<onnx::ReduceSumOp>(sum) &&
         makerOf(sum->getOperand(0)) == dividend;
}

/// "Softmax" or "Sigmoid" if `op` makes probabilities; else empty.
static StringRef squashingOf(Operation *op) {
  if (isa<onnx::SigmoidOp>(op))
    return "Sigmoid";
  bool isExponent =
      isa<onnx::ExpOp>(op) && isa_and_nonnull<onnx::LogSoftmaxOp>(makerOf(op->getOperand(0)));
  return isa<onnx::SoftmaxOp>(op) || isExponent || isQuotientOfExponentials(op) ? "Softmax" : "";
}

/// Whether `op` is a layer whose results may be above 0, as no logarithm of a probability is.
static bool makesScores(Operation *op) {
  if (isa<onnx::AddOp>(op))
    return llvm::any_of(op->getOperands(), [](Value value) {
      return isa_and_nonnull<onnx::MatMulOp>(makerOf(value));
    });
  return isa<onnx::MatMulOp, onnx::GemmOp, onnx::ConvOp, onnx::ReluOp>(op);
}

/// What a recipe's loss takes, and what to do about it where it gets `squashing` instead.
static void warnOfRecipe(Operation *op, Loss loss, StringRef squashing) {
  std::string name = Recipe::nameOf(loss).str();
  if (loss == Loss::NegativeLogLikelihood) {
    op->emitWarning("loss=nll takes logarithms of probabilities, but the model ends in ")
        << (squashing.empty() ? "scores" : squashing)
        << ": what it learns is not to fit the labels; end the model in LogSoftmax, or in scores "
           "and say loss=softmax-cross-entropy";
    return;
  }
  op->emitWarning("loss=")
      << name << " takes scores, but the model ends in " << squashing << ": "
      << (loss == Loss::BinaryCrossEntropy ? "Sigmoid" : "Softmax")
      << " is taken a second time, which learns little; export the model without its last "
      << squashing
      << (squashing == "Softmax" && loss == Loss::SoftmaxCrossEntropy
              ? ", or with LogSoftmax in its place"
              : "");
}

static void warnOfLoss(Value scores, Loss loss) {
  Operation *op = makerOf(scores);
  if (!op)
    return;
  StringRef squashing = squashingOf(op);
  bool isNegative = loss == Loss::NegativeLogLikelihood;
  if (!squashing.empty() || (isNegative && makesScores(op)))
    warnOfRecipe(op, loss, squashing);
}

void tutti::gradient::warnOfProbabilities(ForwardFunction forward, const Recipe &recipe) {
  bool takesScores = recipe.loss == Loss::SoftmaxCrossEntropy ||
                     recipe.loss == Loss::NegativeLogLikelihood ||
                     recipe.loss == Loss::BinaryCrossEntropy;
  ValueRange outputs = forward.returned().getOperands();
  if (takesScores && outputs.size() == 1)
    warnOfLoss(outputs[0], recipe.loss);
  forward.op().walk([](onnx::SoftmaxCrossEntropyLossOp loss) {
    Operation *op = makerOf(loss->getOperand(0));
    StringRef squashing = op ? squashingOf(op) : "";
    if (!squashing.empty())
      loss.emitWarning("SoftmaxCrossEntropyLoss takes scores, but gets what ")
          << squashing << " makes: Softmax is taken a second time, which learns little; export "
          << "the model without the " << squashing << " before its loss";
  });
}
