// Loops of a step that neighbouring ranks share: in what order operations stand, and what is
// carried.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/TensorPlacement.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The operation around `inner`, or itself, that is in `block`; null if none is.
static Operation *findIn(Block *block, Operation *inner) {
  while (inner && inner->getBlock() != block)
    inner = inner->getParentOp();
  return inner;
}

/// An operation comes before those in its regions.
bool TensorPlacement::IsEarlier::operator()(Operation *a, Operation *b) const {
  if (a == b)
    return false;
  Operation *around = a;
  for (; around; around = around->getParentOp())
    if (Operation *other = findIn(around->getBlock(), b))
      return around == other ? around == a : around->isBeforeInBlock(other);
  return false;
}

/// Operations of loops are placed one by one; those of branches with what is around them.
Operation *TensorPlacement::getPlacedUser(OpOperand &use) const {
  Operation *user = use.getOwner(), *whole = getBlock().getParentOp();
  for (Operation *around = user->getParentOp(); around != whole; around = around->getParentOp())
    if (!isa<scf::ForOp>(around))
      user = around;
  return user;
}

//===----------------------------------------------------------------------===//
// What loops carry
//===----------------------------------------------------------------------===//

std::optional<CarriedSum> tutti::distribution::findCarriedSum(Operation *op) {
  auto loop = dyn_cast_or_null<scf::ForOp>(op->getParentOp());
  if (!loop || !isSum(op) || !op->hasOneUse())
    return std::nullopt;
  OpOperand &use = *op->getResult(0).use_begin();
  if (use.getOwner() != loop.getBody()->getTerminator())
    return std::nullopt;
  unsigned index = use.getOperandNumber();
  BlockArgument argument = loop.getRegionIterArg(index);
  if (!argument.hasOneUse() || findFirstSum(argument, op->getResult(0)) != op ||
      !isZero(loop.getInitArgs()[index]))
    return std::nullopt;
  return CarriedSum{argument, index, op->getOperand(op->getOperand(0) == argument ? 1 : 0)};
}

/// A carried sum has the layout of the values that are added to it.
void TensorPlacement::carryLike(Value carried, Value value) {
  layouts[carried] = getLayout(value);
  if (tokens.contains(value))
    tokens.insert(carried);
}

/// What a loop adds up of parts, or of summands, is carried as such; everything else is whole.
void TensorPlacement::placeYield(Operation *yield) {
  auto loop = cast<scf::ForOp>(yield->getParentOp());
  Transfer ends{SmallVector<Layout>(yield->getNumOperands()), {}};
  Transfer whole{SmallVector<Layout>(loop->getNumOperands()),
                 SmallVector<Layout>(loop->getNumResults())};
  for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
    Operation *source = value.getDefiningOp();
    if (!source || source->getBlock() != loop.getBody() || !findCarriedSum(source))
      continue;
    Layout layout = getLayout(value);
    ends.operands[index] = whole.operands[loop.getNumControlOperands() + index] =
        whole.results[index] = layout;
    carryLike(loop->getResult(index), value);
  }
  transfers[yield] = std::move(ends);
  transfers[loop] = std::move(whole);
}

void TensorPlacement::carrySums(const llvm::DenseSet<Value> &sums) {
  llvm::DenseSet<Value> taken = sums; // and what is computed of sums that are taken
  for (Operation *op : getPlaced()) {
    const Transfer &transfer = transfers[op];
    std::optional<CarriedSum> carried = findCarriedSum(op);
    bool isPassedOn = false, areTaken = true;
    for (auto [operand, wanted] : llvm::zip_equal(op->getOperands(), transfer.operands)) {
      if (!wanted.isSum() || (carried && operand == carried->argument))
        continue;
      isPassedOn = true;
      areTaken &= taken.contains(operand);
    }
    if (!isPassedOn || !areTaken || isa<scf::ForOp, scf::YieldOp>(op))
      continue;
    taken.insert(op->result_begin(), op->result_end());
    if (carried)
      carryWhole(op, *carried);
  }
}

/// Unless something goes on with summands after the loop.
void TensorPlacement::carryWhole(Operation *sum, const CarriedSum &carried) {
  Operation *loop = sum->getParentOp(), *yield = sum->getBlock()->getTerminator();
  Value result = loop->getResult(carried.index);
  for (OpOperand &use : result.getUses())
    if (const Transfer *transfer = getTransfer(use.getOwner()))
      if (transfer->operands[use.getOperandNumber()].isSum())
        return;
  Layout whole = Layout::replicate(getLayout(result).scale);
  layouts[carried.argument] = layouts[sum->getResult(0)] = layouts[result] = whole;
  transfers[sum] = {{whole, whole}, {whole}};
  transfers[yield].operands[carried.index] = whole;
  Transfer &ends = transfers[loop];
  ends.results[carried.index] = whole;
  ends.operands[cast<scf::ForOp>(loop).getNumControlOperands() + carried.index] = whole;
}
