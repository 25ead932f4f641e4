// Sequence parallelism: what lies between two pairs of products is computed token by token.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/TensorPlacement.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

/// Activations are samples x tokens x features.
static constexpr int64_t kTokens = 1;

static bool hasTokens(Value value, int64_t parts) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 3 && isa<FloatType>(type.getElementType()) &&
         TensorCut{kTokens}.fits(type, parts);
}

/// The elements of `value`, where a size that is not known counts as one.
static int64_t countKnown(Value value) {
  int64_t elements = 1;
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (int64_t size : type.getShape())
      elements *= ShapedType::isDynamic(size) ? 1 : size;
  return elements;
}

/// A bias: it is added to each row.
static bool isRow(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 1;
}

/// Gives rows (samples and tokens) x features the shape that the only user of `rows`, or of them
/// and a bias, gives them, before the bias is added. Null if none does. The values are the same.
Value TensorPlacement::restoreTokens(Value rows) {
  auto type = dyn_cast<RankedTensorType>(rows.getType());
  if (!type || type.getRank() != 2 || !rows.hasOneUse())
    return {};
  Operation *user = *rows.user_begin();
  auto bias = dyn_cast<onnx::AddOp>(user);
  if (bias && bias->hasOneUse() && isRow(bias->getOperand(bias->getOperand(0) == rows)))
    user = *bias->user_begin();
  else
    bias = {};
  auto reshape = dyn_cast<onnx::ReshapeOp>(user);
  auto shaped = reshape ? dyn_cast<RankedTensorType>(reshape.getType()) : RankedTensorType();
  if (!shaped || !hasTokens(reshape.getResult(), parts) ||
      shaped.getShape().back() != type.getShape().back())
    return {};
  if (!bias)
    return reshape.getResult();
  OpBuilder builder(bias);
  Operation *restored = numbered(builder.clone(*reshape), bias);
  restored->setOperand(0, rows);
  Operation *added = numbered(builder.clone(*bias), bias);
  added->replaceUsesOfWith(rows, restored->getResult(0));
  added->getResult(0).setType(restored->getResult(0).getType());
  reshape.replaceAllUsesWith(added->getResult(0));
  for (Operation *op : {reshape.getOperation(), bias.getOperation()}) {
    transfers.erase(op);
    layouts.erase(op->getResult(0));
    op->erase();
  }
  return restored->getResult(0);
}

FailureOr<bool> TensorPlacement::scatterTokens(const llvm::DenseSet<Value> &sums) {
  for (Value value : sums) {
    Value sum = hasTokens(value, parts) ? value : restoreTokens(value);
    if (sum && sum.getDefiningOp())
      scatterable.insert(sum);
  }
  if (scatterable.empty())
    return false;
  if (failed(place()))
    return failure();
  return true;
}

/// Whether `op` takes a part of a variable, or what is computed with it.
bool TensorPlacement::takesParts(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return getLayout(operand).isShard() && !tokens.contains(operand);
  });
}

/// Whether `value`, in blocks of tokens, is gathered for a product with a part of a variable.
bool TensorPlacement::isGathered(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return takesParts(user); });
}

/// Parts of variables come first: what meets them is gathered. So is what would be summed up over
/// the tokens of a rank, if the sum has more elements than what it is of, or if it is gathered for
/// another reason.
Transfer TensorPlacement::placeTokens(Operation *op, ArrayRef<Layout> given) const {
  SmallVector<Layout> gathered(given);
  bool hasAny = false, isWholeAnyway = true;
  int64_t elements = 0;
  for (auto [layout, operand] : llvm::zip_equal(gathered, op->getOperands())) {
    if (!layout.isShard() || !tokens.contains(operand))
      continue;
    hasAny = true;
    isWholeAnyway &= isGathered(operand);
    elements += countKnown(operand);
    layout = Layout::replicate(layout.scale);
  }
  if (!hasAny || takesParts(op))
    return findRuleTransfer(op, gathered);
  Transfer found = findRuleTransfer(op, given);
  bool sums = false;
  int64_t summed = 0;
  for (auto [layout, result] : llvm::zip_equal(found.results, op->getResults())) {
    sums |= layout.isPartial();
    summed += layout.isPartial() ? countKnown(result) : 0;
  }
  bool isDearer = sums && (isWholeAnyway || summed > elements);
  return isDearer ? findRuleTransfer(op, gathered) : found;
}

/// A sum that is scattered is made of summands, and used in blocks of tokens. A reduction of
/// several values treats each by itself: a result is in blocks of tokens if its own operand is.
void TensorPlacement::noteResults(Operation *op, const Transfer &transfer) {
  bool areApart = isOperandByOperand(op) && op->getNumOperands() == op->getNumResults();
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    const Layout &layout = transfer.results[index];
    bool isOfTokens = areApart ? tokens.contains(op->getOperand(index)) : !takesParts(op);
    bool isLeft = scatterable.contains(result) && layout.isSum();
    layouts[result] = isLeft ? Layout::shard(kTokens, layout.scale) : layout;
    if (isLeft)
      scattered.insert(result);
    if (isLeft || (layout.isShard() && isOfTokens && !tokens.empty()))
      tokens.insert(result);
  }
}
