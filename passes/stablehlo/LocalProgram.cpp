// Local types, and the operations between what a value is and what its user wants it to be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/LocalProgram.h"

#include "dialects/collective/Collective.h"
#include "lib/analysis/Remarks.h"
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

static constexpr StringLiteral kPass = "stablehlo-distribute";

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// `type` with dimension `axis` divided by `ranks`.
static RankedTensorType getLocalType(RankedTensorType type, int64_t axis, int64_t ranks) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= ranks;
  return RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
}

/// Gives results that are parts their local types, and `op` the attributes that go with them.
static void makeLocal(Operation *op, const Transfer &transfer, int64_t ranks) {
  for (auto [result, layout] : llvm::zip_equal(op->getResults(), transfer.results))
    if (layout.isShard())
      result.setType(
          getLocalType(cast<RankedTensorType>(result.getType()), layout.dimension, ranks));
  if (transfer.operands.empty() || !transfer.operands.front().isShard())
    return;
  fitSizes(op, transfer.operands.front().dimension);
}

LogicalResult LocalProgram::rewrite() {
  Block &body = step.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (Layout layout = placement.getLayout(argument); layout.isShard())
      argument.setType(getLocalType(typeOf(argument), layout.dimension, placement.getRanks()));
  rewriteBlock(body);
  Operation *end = body.getTerminator();
  for (OpOperand &operand : end->getOpOperands())
    operand.set(getAs(operand.get(), Layout::replicate(), end));
  eraseUnused(body);
  step.setFunctionType(
      FunctionType::get(step.getContext(), body.getArgumentTypes(), end->getOperandTypes()));
  return failure(isBroken);
}

void LocalProgram::rewriteBlock(Block &block) {
  SmallVector<Operation *> ops = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    rewriteOp(op);
}

void LocalProgram::rewriteOp(Operation *op) {
  const Transfer *transfer = placement.getTransfer(op);
  if (!transfer) {
    if (op->getParentOp() != step || op->getNextNode()) { // the return of the step has none
      mlir::emitError(op->getLoc()) << "'" << op->getName() << "' was not placed; this is a fault "
                                    << "of stablehlo-distribute";
      isBroken = true;
    }
    return;
  }
  for (auto [operand, wanted] : llvm::zip_equal(op->getOpOperands(), transfer->operands))
    operand.set(getAs(operand.get(), wanted, op));
  bool isControl = isKind(op, "while") || isKind(op, "if") || isKind(op, "case");
  if (isControl)
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments())
        if (Layout layout = placement.getLayout(argument); layout.isShard())
          argument.setType(getLocalType(typeOf(argument), layout.dimension, placement.getRanks()));
      rewriteBlock(region.front());
    }
  if (!transfer->results.empty())
    makeLocal(op, *transfer, placement.getRanks());
}

Value LocalProgram::getAs(Value value, const Layout &wanted, Operation *user) {
  Layout layout = placement.getLayout(value);
  if (layout == wanted || wanted.isPartial()) // whole zeros are a sum as they are
    return value;
  if (wanted.isReplicate())
    return getWhole(value, user);
  return getPart(layout.isReplicate() ? value : getWhole(value, user), wanted.dimension);
}

OpBuilder LocalProgram::builderAfter(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    return builder;
  }
  return OpBuilder::atBlockBegin(cast<BlockArgument>(value).getOwner());
}

Value LocalProgram::getWhole(Value value, Operation *user) {
  if (Value known = wholes.lookup(value))
    return known;
  Layout layout = placement.getLayout(value);
  OpBuilder builder = builderAfter(value);
  Value whole;
  if (layout.isShard())
    whole = gather(builder, value, layout.dimension);
  else if (layout.isSum() && !cut.contains(value) && value.getDefiningOp())
    whole = computeWhole(value, user);
  else
    whole = reduce(builder, value, layout.reduction);
  wholes[value] = whole;
  return whole;
}

/// Linear operations after the place where the sum is taken. They stand before the first user, so
/// that several sums can wait for each other. Users come in the order of the program.
Value LocalProgram::computeWhole(Value value, Operation *user) {
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(placement.getLayout(operand).isReplicate() ? operand
                                                                  : getWhole(operand, user));
  OpBuilder builder(value.getParentBlock()->findAncestorOpInBlock(*user));
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// How StableHLO and ranks call a reduction.
static std::pair<StringRef, collective::ReductionKind> findNames(Reduction reduction) {
  using collective::ReductionKind;
  if (reduction == Reduction::Max)
    return {"maximum", ReductionKind::max};
  if (reduction == Reduction::Min)
    return {"minimum", ReductionKind::min};
  return {"add", ReductionKind::sum};
}

static bool isReducible(Type element) {
  return element.isF16() || element.isBF16() || element.isF32() || element.isF64() ||
         element.isSignlessInteger(8) || element.isUnsignedInteger(8) ||
         element.isSignlessInteger(16) || element.isSignlessInteger(32) ||
         element.isSignlessInteger(64);
}

/// Truth values travel as bytes: `or` is the largest of them, `and` the smallest.
Value LocalProgram::reduce(OpBuilder &builder, Value value, Reduction reduction) {
  Location loc = value.getLoc();
  Type element = typeOf(value).getElementType();
  bool isBit = element.isInteger(1);
  auto [name, kind] = findNames(reduction);
  if (!isBit && !isReducible(element)) {
    mlir::emitError(loc) << "its " << name << " over ranks is of " << element
                         << ", which ranks cannot reduce; convert it to a signless integer or a "
                            "float of at least 16 bits before";
    isBroken = true;
    return value;
  }
  Value input = value;
  Type bytes = typeOf(value).clone(builder.getI8Type());
  if (isBit)
    input = create(builder, loc, "convert", bytes, value)->getResult(0);
  Value sum = collective::AllReduceOp::create(builder, loc, kind, input, world)->getResult(0);
  ++sums;
  remark::passed(loc, remarkBy(kPass, step)) << "the ranks' own values are reduced here: "
                                             << counted(typeOf(value).getNumElements(), "element");
  if (isBit)
    sum = create(builder, loc, "convert", value.getType(), sum)->getResult(0);
  return sum;
}

Value LocalProgram::gather(OpBuilder &builder, Value value, int64_t axis) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[axis] *= placement.getRanks();
  Type type = RankedTensorType::get(shape, typeOf(value).getElementType());
  ++gathers;
  remark::analysis(value.getLoc(), remarkBy(kPass, step))
      << "a value of every sample is needed whole: it is gathered from the ranks";
  return collective::AllGatherOp::create(builder, value.getLoc(), TypeRange(type),
                                         builder.getI64IntegerAttr(axis), ValueRange(value),
                                         ValueRange(), world)
      ->getResult(0);
}

Value LocalProgram::getPart(Value value, int64_t axis) {
  if (Value known = parts.lookup({value, axis}))
    return known;
  OpBuilder builder = builderAfter(value);
  Value part = makePart(builder, value, axis);
  parts[{value, axis}] = part;
  return part;
}

namespace {
/// Whether all blocks of a whole value along `axis` are alike, so that any rank can compute a
/// smaller one. Looks as far as `depth` operations back.
class Alike {
public:
  explicit Alike(int64_t axis) : axis(axis) {}

  bool contains(Value value, unsigned depth = 16) {
    if (auto found = known.find({value, depth}); found != known.end())
      return found->second;
    bool isAlike = depth > 0 && value.getDefiningOp() && look(value, value.getDefiningOp(), depth);
    return known[{value, depth}] = isAlike;
  }

private:
  bool look(Value value, Operation *op, unsigned depth) {
    if (isKind(op, "constant"))
      return stablehlo::isSplat(value);
    if (isKind(op, "iota"))
      return getInteger(op, "iota_dimension") != axis;
    if (isKind(op, "broadcast_in_dim"))
      return !llvm::is_contained(getIntegers(op, "broadcast_dimensions"), axis);
    return isElementwise(getKind(op)) && op->getNumResults() == 1 &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return typeOf(operand).getRank() == 0 ||
                    (typeOf(operand).getRank() == typeOf(value).getRank() &&
                     contains(operand, depth - 1));
           });
  }

  int64_t axis;
  llvm::DenseMap<std::pair<Value, unsigned>, bool> known;
};
} // namespace

Value LocalProgram::makePart(OpBuilder &builder, Value value, int64_t axis) {
  if (!Alike(axis).contains(value))
    return sliceByRank(builder, value, axis);
  Operation *op = value.getDefiningOp();
  RankedTensorType type = getLocalType(typeOf(value), axis, placement.getRanks());
  if (isKind(op, "constant")) {
    auto elements = cast<DenseElementsAttr>(op->getAttr("value"));
    return createConstant(builder, value.getLoc(),
                          DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  }
  Operation *copy = builder.clone(*op);
  copy->getResult(0).setType(type);
  if (isElementwise(getKind(op)))
    for (OpOperand &operand : copy->getOpOperands())
      if (typeOf(operand.get()).getRank() > 0)
        operand.set(getPart(operand.get(), axis));
  return copy->getResult(0);
}

Value LocalProgram::getRank() {
  if (rank)
    return rank;
  auto builder = OpBuilder::atBlockBegin(&step.getBody().front());
  Type unsignedType = builder.getIntegerType(32, /*isSigned=*/false);
  Operation *id =
      create(builder, step.getLoc(), "replica_id", RankedTensorType::get({}, unsignedType), {});
  Type type = RankedTensorType::get({}, builder.getI32Type());
  rank = create(builder, step.getLoc(), "convert", type, id->getResults())->getResult(0);
  return rank;
}

Value LocalProgram::getOffset(OpBuilder &builder, Location loc, int64_t local) {
  Value id = getRank();
  if (id.getParentBlock() == builder.getInsertionBlock() &&
      !id.getDefiningOp()->isBeforeInBlock(&*builder.getInsertionPoint()))
    builder.setInsertionPointAfter(id.getDefiningOp());
  auto type = RankedTensorType::get({}, builder.getI32Type());
  Value size = createConstant(builder, loc, DenseElementsAttr::get(type, int32_t(local)));
  return create(builder, loc, "multiply", type, {id, size})->getResult(0);
}

Value LocalProgram::sliceByRank(OpBuilder &builder, Value value, int64_t axis) {
  Location loc = value.getLoc();
  RankedTensorType type = getLocalType(typeOf(value), axis, placement.getRanks());
  Value offset = getOffset(builder, loc, type.getDimSize(axis));
  auto scalar = RankedTensorType::get({}, builder.getI32Type());
  Value zero = createConstant(builder, loc, DenseElementsAttr::get(scalar, int32_t(0)));
  SmallVector<Value> operands(type.getRank() + 1, zero);
  operands[0] = value;
  operands[axis + 1] = offset;
  auto sizes = builder.getNamedAttr("slice_sizes", builder.getDenseI64ArrayAttr(type.getShape()));
  return create(builder, loc, "dynamic_slice", type, operands, sizes)->getResult(0);
}

void LocalProgram::eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isKind(&op, "while") || isKind(&op, "if") || isKind(&op, "case"))
      for (Region &region : op.getRegions())
        eraseUnused(region.front());
    if (op.use_empty() && op.getNumResults() > 0 && isPure(getKind(&op)))
      op.erase();
  }
}
