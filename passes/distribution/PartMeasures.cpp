// Measures parts, and combines the results of all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/Partition.h"

#include "dialects/train/Train.h"
#include "lib/program/Exchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
/// What one operation measures: parts of this rank, and what all ranks have.
struct Operands {
  SmallVector<Value> parts, whole;
};
} // namespace

/// Whether the zeros at the end of what was scattered are still zeros in `part`.
static bool endsInZeros(Value part) {
  Operation *op = part.getDefiningOp();
  while (isa_and_nonnull<train::UnscaleOp, train::ScaleOp, train::ClipOp, train::MarkGradientOp,
                         arith::ExtFOp, arith::TruncFOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isKind(op, {CommunicationKind::ReduceScatter});
}

static Operands sortOperands(Operation *measure, const Partition &parts) {
  Operands operands;
  for (Value gradient : measure->getOperands()) {
    Value part = parts.findPart(gradient);
    bool isUsable = part && (!parts.isFilledUp(gradient) || endsInZeros(part));
    (isUsable ? operands.parts : operands.whole).push_back(isUsable ? part : gradient);
  }
  return operands;
}

static Value reduce(ImplicitLocOpBuilder &builder, Reduction reduction, Value found,
                    FlatSymbolRefAttr world) {
  Operation *user = builder.getInsertionBlock()->getParentOp();
  return createAllReduce(builder, builder.getLoc(), user, reduction, found, world).front();
}

/// The minimum of 0 and 1 over the ranks: every backend can reduce integers.
static Value buildFinite(ImplicitLocOpBuilder &builder, const Operands &operands,
                         FlatSymbolRefAttr world) {
  auto number = RankedTensorType::get({}, builder.getI32Type());
  auto truth = RankedTensorType::get({}, builder.getI1Type());
  SmallVector<Value> gradients(operands.parts);
  llvm::append_range(gradients, operands.whole);
  Value own = train::AllFiniteOp::create(builder, gradients);
  Value least =
      reduce(builder, Reduction::Min, arith::ExtUIOp::create(builder, number, own), world);
  return arith::TruncIOp::create(builder, truth, least);
}

/// Gradients that are whole on every rank count once, not once for each rank.
static Value buildSumOfSquares(ImplicitLocOpBuilder &builder, const Operands &operands,
                               FlatSymbolRefAttr world) {
  Value own = train::SumOfSquaresOp::create(builder, operands.parts);
  Value sum = reduce(builder, Reduction::Sum, own, world);
  if (!operands.whole.empty()) {
    Value rest = train::SumOfSquaresOp::create(builder, operands.whole);
    sum = arith::AddFOp::create(builder, sum, rest);
  }
  return sum;
}

static Value build(ImplicitLocOpBuilder &builder, Operation *measure, const Operands &operands,
                   FlatSymbolRefAttr world) {
  if (isa<train::AllFiniteOp>(measure))
    return buildFinite(builder, operands, world);
  Value sum = buildSumOfSquares(builder, operands, world);
  return isa<train::GlobalNormOp>(measure) ? Value(math::SqrtOp::create(builder, sum)) : sum;
}

static bool rewrite(Operation *measure, const Partition &parts, FlatSymbolRefAttr world) {
  Operands operands = sortOperands(measure, parts);
  if (operands.parts.empty())
    return false;
  ImplicitLocOpBuilder builder(measure->getLoc(), measure);
  measure->getResult(0).replaceAllUsesWith(build(builder, measure, operands, world));
  measure->erase();
  return true;
}

unsigned tutti::distribution::measureParts(func::FuncOp step, const Partition &parts,
                                           FlatSymbolRefAttr world) {
  unsigned count = 0;
  for (Operation &op : llvm::make_early_inc_range(step.getBody().front()))
    if (isa<train::AllFiniteOp, train::GlobalNormOp, train::SumOfSquaresOp>(op) &&
        rewrite(&op, parts, world))
      ++count;
  return count;
}
