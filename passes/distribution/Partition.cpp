// Cuts values into parts, from the value that is asked for back to the reduction of its inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/Partition.h"

#include "dialects/collective/Effects.h"
#include "dialects/interfaces/Pointwise.h"
#include "lib/program/Exchange.h"
#include "lib/program/plan/Buckets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

Partition::Partition(func::FuncOp function, const UniformityAnalysis &uniformity,
                     FlatSymbolRefAttr world, int64_t ranks)
    : function(function), uniformity(uniformity), world(world), ranks(ranks) {
  for (auto [place, op] : llvm::enumerate(function.getBody().front()))
    places[&op] = place;
}

RankedTensorType Partition::getPartType(Type whole) const {
  auto type = cast<RankedTensorType>(whole);
  return RankedTensorType::get({llvm::divideCeilSigned(type.getNumElements(), ranks)},
                               type.getElementType());
}

int64_t Partition::getRowBytes(Value whole) const {
  RankedTensorType part = getPartType(whole.getType());
  return llvm::divideCeilSigned(part.getNumElements() * part.getElementTypeBitWidth(), 8) * ranks;
}

bool Partition::isFilledUp(Value whole) const {
  return cast<RankedTensorType>(whole.getType()).getNumElements() % ranks != 0;
}

void Partition::setArgumentToPart(BlockArgument argument) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  auto whole = UnrealizedConversionCastOp::create(builder, argument.getLoc(), argument.getType(),
                                                  ValueRange());
  argument.replaceAllUsesWith(whole.getResult(0));
  argument.setType(getPartType(argument.getType()));
  parts[whole.getResult(0)] = argument;
  arguments.push_back(whole);
}

void Partition::setVariableToPart(BlockArgument argument) {
  setArgumentToPart(argument);
  variables.push_back(arguments.back()->getResult(0));
}

//===----------------------------------------------------------------------===//
// What computes a part
//===----------------------------------------------------------------------===//

static bool haveEqualShape(Value a, Value b) {
  auto left = dyn_cast<RankedTensorType>(a.getType()),
       right = dyn_cast<RankedTensorType>(b.getType());
  return left && right && left.getShape() == right.getShape();
}

/// Whether each element of the results depends on that element of the operands of the same shape.
/// The depth is limited: each step computes on parts what others still use whole.
bool Partition::isCuttable(Operation *op) const {
  constexpr unsigned kReach = 32; // further than scales, clips and selects go
  if (optimizers.contains(op))
    return true;
  return isPointwise(op) && depth < kReach && isMemoryEffectFree(op) && op->getNumResults() == 1;
}

/// The constant `value` in another shape; null unless all its elements are equal.
static Value buildFilled(OpBuilder &builder, Value value, RankedTensorType type) {
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(builder, value.getLoc(), constant.resizeSplat(type));
  auto like = value.getDefiningOp<train::FullLikeOp>();
  if (!like)
    return nullptr;
  auto element = FloatAttr::get(type.getElementType(), like.getValue().convertToDouble());
  return arith::ConstantOp::create(builder, value.getLoc(), DenseElementsAttr::get(type, element));
}

Value Partition::getPart(Value whole) {
  if (Value known = parts.lookup(whole))
    return known;
  Value part = buildPart(whole);
  // Slices are kept apart: they move to their first user.
  if (!slices.contains(whole))
    parts[whole] = part;
  return part;
}

Value Partition::buildPart(Value whole) {
  auto result = dyn_cast<OpResult>(whole);
  if (!result || result.getOwner()->getBlock() != &function.getBody().front())
    return slice(whole);
  Operation *op = result.getOwner();
  OpBuilder builder(op);
  if (Value filled = buildFilled(builder, whole, getPartType(whole.getType())))
    return filled;
  if (isCuttable(op))
    return cut(result);
  if (isKind(op, {CommunicationKind::Broadcast})) {
    Value input = cast<collective::BucketOpInterface>(op).getInputs()[result.getResultNumber()];
    return uniformity.isUniform(input) ? getPart(input) : slice(whole);
  }
  bool isReduced = isKind(op, {CommunicationKind::AllReduce}) && getForm(op)->group == world;
  return isReduced ? scatter(result) : slice(whole);
}

/// The operation of which `whole` is a result, computed on parts, beside it.
Value Partition::cut(OpResult whole) {
  Operation *op = whole.getOwner(), *consumerBefore = consumer;
  consumer = op;
  ++depth;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (haveEqualShape(operand, whole))
      mapping.map(operand, getPart(operand));
  --depth;
  consumer = consumerBefore;
  OpBuilder builder(op);
  Operation *clone = builder.clone(*op, mapping);
  places[clone] = places.lookup(op);
  for (auto [result, part] : llvm::zip(op->getResults(), clone->getResults())) {
    part.setType(getPartType(result.getType()));
    parts[result] = part;
  }
  replaced.push_back(op);
  return parts[whole];
}

Value Partition::flatten(OpBuilder &builder, Value whole) const {
  int64_t length = getPartType(whole.getType()).getNumElements() * ranks;
  auto type = cast<RankedTensorType>(whole.getType());
  if (type.getShape() == ArrayRef(length))
    return whole;
  return program::getFactoryOf(function, world).createRow(builder, whole.getLoc(), whole, length);
}

/// Where what is reduced is made, not where the reduction stands: the whole lives no longer.
Value Partition::scatter(OpResult reduced) {
  auto op = cast<collective::BucketOpInterface>(reduced.getOwner());
  OpBuilder builder(op);
  Value input = op.getInputs()[reduced.getResultNumber()];
  builder.setInsertionPointAfterValue(input);
  Value row = flatten(builder, input);
  CommunicationForm form = {CommunicationKind::ReduceScatter, world, getForm(op)->reduction};
  Operation *scatter = program::createExchange(builder, reduced.getLoc(), function, form, row,
                                               getPartType(reduced.getType()));
  scattered[reduced] = scatter;
  return scatter->getResult(0);
}

Value Partition::getOffset(int64_t length) {
  Value &offset = offsets[length];
  if (offset)
    return offset;
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  if (!rank)
    rank = program::getFactoryOf(function, world).createRank(builder, function.getLoc(), world);
  builder.setInsertionPointAfterValue(rank);
  Value factor = arith::ConstantIndexOp::create(builder, function.getLoc(), length);
  return offset = arith::MulIOp::create(builder, function.getLoc(), rank, factor);
}

/// A slice is placed directly before its first user, so that a flattened copy is live only there.
Value Partition::slice(Value whole) {
  Operation *point = consumer ? consumer : function.getBody().front().getTerminator();
  auto &[known, before] = slices[whole];
  if (known.empty()) {
    before = point;
    OpBuilder builder(point);
    RankedTensorType type = getPartType(whole.getType());
    Value row = flatten(builder, whole);
    OpFoldResult offset = getOffset(type.getNumElements());
    OpFoldResult size = builder.getIndexAttr(type.getNumElements()), one = builder.getIndexAttr(1);
    if (row != whole)
      known.push_back(row.getDefiningOp());
    known.push_back(
        tensor::ExtractSliceOp::create(builder, whole.getLoc(), type, row, offset, size, one));
  } else if (isBefore(point, before)) {
    before = point;
    for (Operation *op : known)
      op->moveBefore(point);
  }
  return known.back()->getResult(0);
}

//===----------------------------------------------------------------------===//
// Whole values of parts
//===----------------------------------------------------------------------===//

/// After the part or, if only the return uses the whole, before the return, together with others.
static void setGatherPoint(OpBuilder &builder, Value whole, Value part) {
  Operation *end = part.getParentBlock()->getTerminator();
  bool isOnlyReturned =
      llvm::all_of(whole.getUsers(), [&](Operation *user) { return user == end; });
  if (isOnlyReturned)
    builder.setInsertionPoint(end);
  else
    builder.setInsertionPointAfterValue(part);
}

Value Partition::gather(Value whole) {
  Value &known = gathered[whole];
  if (known)
    return known;
  Value part = getPart(whole);
  OpBuilder builder(function.getContext());
  setGatherPoint(builder, whole, part);
  return known = putTogether(builder, whole, createGather(builder, whole)->getResult(0));
}

Operation *Partition::createGather(OpBuilder &builder, Value whole) const {
  int64_t length = getPartType(whole.getType()).getNumElements() * ranks;
  auto row = RankedTensorType::get({length}, getElementTypeOrSelf(whole));
  CommunicationForm form = {CommunicationKind::AllGather, world};
  return program::createExchange(builder, whole.getLoc(), function, form, parts.lookup(whole), row);
}

/// What is gathered as a row, in the form of `whole`.
Value Partition::putTogether(OpBuilder &builder, Value whole, Value row) const {
  auto type = cast<RankedTensorType>(whole.getType());
  if (row.getType() == type)
    return row;
  return program::getFactoryOf(function, world).createFromRow(builder, whole.getLoc(), row, type);
}

/// All regions are found before the first gather is added: the order of a block is numbered once.
/// Gathers for one operation stand side by side.
void Partition::gatherVariables() {
  if (variables.empty())
    return;
  UseRegions regions(function);
  regions.recompute(variables);
  SmallVector<GatheredValue> found;
  for (Value whole : variables)
    found.push_back({whole, getRowBytes(whole), regions.find(whole)});
  kept = distribution::keepGathered(function, found, keptBytes);
  llvm::DenseMap<Operation *, Operation *> places; // the operation before which its gathers end
  for (const GatheredValue &value : found)
    for (const UseRegion &region : value.regions)
      gatherFor(region, value.whole, places);
}

void Partition::gatherFor(const UseRegion &region, Value whole,
                          llvm::DenseMap<Operation *, Operation *> &places) {
  Operation *&point = places.try_emplace(region.first, region.first).first->second;
  OpBuilder builder(point);
  Operation *gather = createGather(builder, whole);
  gather->setAttr(collective::kRegather, builder.getI64IntegerAttr(region.number));
  builder.setInsertionPoint(region.first);
  Value again = putTogether(builder, whole, gather->getResult(0));
  if (point == region.first && again.getDefiningOp() != gather)
    point = again.getDefiningOp();
  for (OpOperand *use : region.uses)
    use->set(again);
  ++variableGathers;
}

static bool isUnused(OpResult result) { return result.use_empty(); }

SmallVector<Partition::WholeUse> Partition::finish() {
  SmallVector<WholeUse> wholeUses;
  for (Operation *op : llvm::reverse(replaced)) {
    if (optimizers.contains(op)) // its states are sharded now
      for (OpResult result : op->getResults())
        if (!isUnused(result))
          result.replaceAllUsesWith(gather(result));
    if (op->use_empty())
      op->erase();
  }
  gatherVariables();
  for (Operation *whole : arguments) {
    if (!whole->use_empty())
      whole->getResult(0).replaceAllUsesWith(gather(whole->getResult(0)));
    whole->erase();
  }
  for (auto [reduced, op] : scattered)
    if (!isUnused(reduced))
      wholeUses.push_back({reduced, *reduced.user_begin()});
  return wholeUses;
}

void Partition::keepWhole(OpResult reduced) {
  Operation *scatter = scattered.lookup(reduced);
  OpBuilder builder(scatter);
  consumer = *scatter->user_begin();
  for (Operation *user : scatter->getUsers())
    if (isBefore(user, consumer))
      consumer = user;
  scatter->getResult(0).replaceAllUsesWith(slice(reduced));
  Operation *row = scatter->getOperand(0).getDefiningOp();
  scatter->erase();
  if (row && isOpTriviallyDead(row))
    row->erase();
}

/// Leaves out of `bucket` the buffers whose results nothing uses.
static void dropUnused(collective::BucketOpInterface bucket) {
  llvm::SmallBitVector kept(bucket.getInputs().size());
  llvm::SmallSetVector<Value, 4> unused;
  for (auto [member, output] : llvm::enumerate(bucket.getOutputs())) {
    kept[member] = !output.use_empty();
    if (output.use_empty())
      unused.insert(bucket.getInputs()[member]);
  }
  (void)program::keepMembers(bucket, kept);
  for (Value input : unused)
    if (Operation *op = input.getDefiningOp(); op && isOpTriviallyDead(op))
      op->erase();
}

void tutti::distribution::dropUnusedBuffers(func::FuncOp function) {
  SmallVector<collective::BucketOpInterface> buckets;
  for (Operation &op : function.getBody().front())
    if (isKind(&op, {CommunicationKind::Broadcast, CommunicationKind::AllReduce}))
      buckets.push_back(cast<collective::BucketOpInterface>(op));
  llvm::for_each(buckets, dropUnused);
}
