// The rules for summands and parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/Shares.h"

#include "dialects/interfaces/Communication.h"
#include "dialects/interfaces/Pointwise.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tutti;
using tutti::train::TrainDialect;

/// Of an argument that varies, by its role.
static Share getArgumentShare(FunctionOpInterface function, unsigned index) {
  auto variable = function.getArgAttrOfType<train::VariableAttr>(index, TrainDialect::kVariable);
  bool isSharded = variable && variable.getPlacement() == train::VariablePlacement::Sharded;
  return isSharded || function.getArgAttr(index, TrainDialect::kInput) ? Share::Part : Share::Own;
}

ShareAnalysis::ShareAnalysis(FunctionOpInterface function, const UniformityAnalysis &uniformity)
    : uniformity(uniformity) {
  if (function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments())
    if (Share share = getArgumentShare(function, argument.getArgNumber()); share != Share::Own)
      shares[argument] = share;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
}

Share ShareAnalysis::get(Value value) const {
  if (uniformity.isUniform(value))
    return Share::Replicated;
  auto found = shares.find(value);
  return found == shares.end() ? Share::Own : found->second;
}

void ShareAnalysis::visit(Operation *op) {
  for (OpResult result : op->getResults())
    if (!uniformity.isUniform(result))
      if (Share share = getResultShare(result); share != Share::Own)
        shares[result] = share;
}

/// What moves or converts the elements of its first operand, and nothing else.
static bool keepsElements(Operation *op) {
  return changesRow(op) ||
         isa<arith::ExtFOp, arith::TruncFOp, tensor::CastOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::ReshapeOp, train::MarkGradientOp>(op);
}

static bool isOnlyOf(ArrayRef<Share> operands, ArrayRef<Share> allowed, Share needed) {
  return llvm::is_contained(operands, needed) &&
         llvm::all_of(operands, [&](Share share) { return llvm::is_contained(allowed, share); });
}

/// Whether the result is a summand where the operands are these.
static bool makesSummand(Operation *op, ArrayRef<Share> operands) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::AddIOp, arith::SubIOp>(op))
    return llvm::all_of(operands, [](Share share) { return share == Share::Partial; });
  bool hasOneSummand = isOnlyOf(operands, {Share::Replicated, Share::Partial}, Share::Partial) &&
                       llvm::count(operands, Share::Partial) == 1;
  if (isa<arith::MulFOp, arith::MulIOp, train::ScaleOp>(op))
    return hasOneSummand;
  if (isa<arith::DivFOp>(op))
    return hasOneSummand && operands.front() == Share::Partial;
  return isa<train::SumOfSquaresOp>(op) &&
         llvm::all_of(operands, [](Share share) { return share == Share::Part; });
}

Share ShareAnalysis::getResultShare(OpResult result) const {
  Operation *op = result.getOwner();
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return get(value); });
  if (auto answers = dyn_cast<ShareOpInterface>(op))
    return answers.getResultShare(result.getResultNumber(), operands);
  if (isKind(op, {CommunicationKind::ReduceScatter, CommunicationKind::Scatter}))
    return Share::Part;
  if (getForm(op) || isa<RankQueryOpInterface>(op))
    return Share::Own;
  if (auto done = dyn_cast<CommunicationDoneOpInterface>(op)) {
    Value promised = findPromised(done, result.getResultNumber());
    return promised ? get(promised) : Share::Own;
  }
  if (isa<train::BatchWeightOp>(op))
    return Share::Partial;
  if (keepsElements(op))
    return operands.front();
  if (isa<tensor::ExtractSliceOp>(op))
    return operands.front() == Share::Replicated ? Share::Part : Share::Own;
  if (makesSummand(op, operands))
    return Share::Partial;
  bool makesPart =
      isPointwise(op) && isOnlyOf(operands, {Share::Replicated, Share::Part}, Share::Part);
  return makesPart ? Share::Part : Share::Own;
}
