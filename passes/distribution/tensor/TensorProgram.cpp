// Local types, and the operations between what a value is and what its user wants it to be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/TensorProgram.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"
#include "lib/analysis/Remarks.h"
#include "lib/layout/Transfer.h"
#include "lib/program/Exchange.h"
#include "lib/stablehlo/Ops.h"
#include "passes/distribution/tensor/Vocabulary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

RankedTensorType tutti::distribution::getBlockType(Type type, int64_t dimension, int64_t parts) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dimension] = train::getBlockSize(shape[dimension], parts);
  return tensor.clone(shape);
}

bool tutti::distribution::isBlockOf(Type local, Type whole, const Layout &layout, int64_t parts) {
  auto type = dyn_cast<RankedTensorType>(whole);
  if (!type || !isa<RankedTensorType>(local) || !layout.isShard())
    return local == whole;
  return TensorCut{layout.dimension, layout.outer}.fits(type, parts) &&
         getBlockType(type, layout.dimension, parts) == local;
}

/// `value` with the dimensions `first` and 0 exchanged.
static Value exchangeDimensions(OpBuilder &builder, Value value, int64_t first) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  std::swap(order[0], order[first]);
  SmallVector<int64_t> shape;
  for (int64_t dimension : order)
    shape.push_back(typeOf(value).getDimSize(dimension));
  OperationState transpose(value.getLoc(), onnx::TransposeOp::getOperationName());
  transpose.addOperands(value);
  transpose.addAttribute("perm", builder.getDenseI64ArrayAttr(order));
  transpose.addTypes(typeOf(value).clone(shape));
  return builder.create(transpose)->getResult(0);
}

static Value reshape(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> entries(shape);
  llvm::replace(entries, ShapedType::kDynamic, int64_t(-1));
  OperationState state(value.getLoc(), onnx::ReshapeOp::getOperationName());
  state.addOperands(value);
  state.addAttribute("shape", builder.getDenseI64ArrayAttr(entries));
  state.addTypes(typeOf(value).clone(shape));
  return builder.create(state)->getResult(0);
}

/// `value` with the ranges of a dimension, `outer` of them, as a dimension of their own before it.
static Value separateRanges(OpBuilder &builder, Value value, TensorCut along) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[along.dimension] /= along.outer;
  shape.insert(shape.begin() + along.dimension, along.outer);
  return reshape(builder, value, shape);
}

/// The inverse.
static Value joinRanges(OpBuilder &builder, Value value, TensorCut along) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape.erase(shape.begin() + along.dimension);
  shape[along.dimension] *= along.outer;
  return reshape(builder, value, shape);
}

Value tutti::distribution::repeatSplat(OpBuilder &builder, Value splat, RankedTensorType type) {
  DenseElementsAttr all;
  if (matchPattern(splat, m_Constant(&all)))
    return arith::ConstantOp::create(builder, splat.getLoc(), all.resizeSplat(type));
  Operation *op = splat.getDefiningOp();
  if (stablehlo::isKind(op, "constant"))
    return stablehlo::createConstant(
        builder, splat.getLoc(), cast<DenseElementsAttr>(op->getAttr("value")).resizeSplat(type));
  Operation *repeated = builder.clone(*op);
  repeated->getResult(0).setType(type);
  return repeated->getResult(0);
}

Value tutti::distribution::takeBlock(OpBuilder &builder, Value whole, TensorCut along,
                                     int64_t parts, FlatSymbolRefAttr neighbours) {
  Location loc = whole.getLoc();
  if (isSplat(whole))
    return repeatSplat(builder, whole, getBlockType(whole.getType(), along.dimension, parts));
  if (along.outer > 1) {
    Value ranges = separateRanges(builder, whole, along);
    return joinRanges(builder, takeBlock(builder, ranges, {along.dimension + 1}, parts, neighbours),
                      along);
  }
  if (along.dimension > 0) { // a block is a slice of memory where it is of the outermost dimension
    Value turned = exchangeDimensions(builder, whole, along.dimension);
    return exchangeDimensions(builder, takeBlock(builder, turned, {0}, parts, neighbours),
                              along.dimension);
  }
  Operation *user = builder.getInsertionBlock()->getParentOp();
  Value rank = program::getFactoryOf(user, neighbours).createRank(builder, loc, neighbours);
  Value count = arith::ConstantIndexOp::create(builder, loc, parts);
  return train::PieceOp::create(builder, loc, getBlockType(whole.getType(), 0, parts), rank, count,
                                whole, 0);
}

Value tutti::distribution::gatherBlocks(OpBuilder &builder, Value part, TensorCut along,
                                        int64_t parts, FlatSymbolRefAttr neighbours) {
  if (along.outer > 1) {
    Value ranges = separateRanges(builder, part, along);
    return joinRanges(
        builder, gatherBlocks(builder, ranges, {along.dimension + 1}, parts, neighbours), along);
  }
  SmallVector<int64_t> shape(typeOf(part).getShape());
  shape[along.dimension] *= parts;
  Type type = typeOf(part).clone(shape);
  CommunicationForm form{CommunicationKind::AllGather, neighbours, std::nullopt, along.dimension};
  return program::createExchange(builder, part.getLoc(), builder.getInsertionBlock()->getParentOp(),
                                 form, part, type)
      ->getResult(0);
}

/// As many groups of channels as the operands have: one for each piece as large as that which an
/// output takes.
template <typename Op> static void setGroups(Op convolution) {
  int64_t channels = typeOf(convolution.getX()).getDimSize(1);
  int64_t taken = typeOf(convolution.getW()).getDimSize(1);
  if (!ShapedType::isDynamic(channels) && taken > 0 && channels % taken == 0)
    convolution.setGroup(channels / taken);
}

void tutti::distribution::setShape(Operation *op) {
  auto fit = [&](ArrayRef<int64_t> given) {
    RankedTensorType type = typeOf(op->getResult(0));
    SmallVector<int64_t> shape(given);
    int64_t more = type.getRank() - int64_t(shape.size()); // aligned at the last, as in numpy
    for (auto [i, size] : llvm::enumerate(shape))
      if (int64_t place = int64_t(i) + more; size > 0 && place >= 0 && !type.isDynamicDim(place))
        size = type.getDimSize(place);
    return shape;
  };
  if (auto reshape = dyn_cast<onnx::ReshapeOp>(op))
    reshape.setShape(fit(reshape.getShape()));
  if (auto expand = dyn_cast<onnx::ExpandOp>(op))
    expand.setShape(fit(expand.getShape()));
  if (auto convolution = dyn_cast<onnx::ConvOp>(op))
    setGroups(convolution);
  if (auto gradient = dyn_cast<onnx::ConvGradOp>(op))
    setGroups(gradient);
  if (auto split = dyn_cast<onnx::SplitOp>(op)) {
    SmallVector<int64_t> sizes(split.getSplit());
    int64_t rank = typeOf(split.getInput()).getRank(), axis = split.getAxis();
    for (auto [size, output] : llvm::zip_equal(sizes, split.getOutputs()))
      if (int64_t own = typeOf(output).getDimSize(axis < 0 ? axis + rank : axis);
          !ShapedType::isDynamic(own))
        size = own;
    split.setSplit(sizes);
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult TensorProgram::rewrite() {
  Block &body = step.getBody().front();
  isOfStablehlo =
      llvm::any_of(body, [](Operation &op) { return !stablehlo::getKind(&op).empty(); });
  for (auto [number, along] : placement.getCut()) {
    BlockArgument argument = body.getArgument(number);
    argument.setType(getBlockType(argument.getType(), along.dimension, placement.getParts()));
  }
  SmallVector<Operation *> all; // a loop before what is in it
  body.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  llvm::for_each(all, [&](Operation *op) { rewriteOp(op); });
  for (Operation *op : ofVocabulary)
    sums += rewriteVocabulary(op, placement.getParts(), neighbours);
  eraseUnused();
  Operation *end = body.getTerminator();
  step.setFunctionType(
      FunctionType::get(step.getContext(), body.getArgumentTypes(), end->getOperandTypes()));
  return failure(isBroken);
}

void TensorProgram::rewriteOp(Operation *op) {
  const Transfer *transfer = placement.getTransfer(op);
  if (!transfer)
    return;
  for (auto [operand, wanted] : llvm::zip_equal(op->getOpOperands(), transfer->operands))
    operand.set(getAs(operand.get(), wanted, op));
  auto isShard = [](const Layout &layout) { return layout.isShard(); };
  bool isLocal =
      llvm::any_of(transfer->operands, isShard) || llvm::any_of(transfer->results, isShard);
  if (!isLocal || op->hasTrait<OpTrait::IsTerminator>())
    return;
  if (isa<scf::ForOp>(op))
    return makeLoopLocal(op);
  if (isa<train::GlobalNormOp, train::AllFiniteOp>(op))
    return measureParts(op, *transfer);
  makeLocal(op, *transfer);
}

/// Gives results that are parts their local types, and `op` the attributes that go with them.
void TensorProgram::makeLocal(Operation *op, const Transfer &transfer) {
  for (auto [result, layout] : llvm::zip_equal(op->getResults(), transfer.results))
    if (layout.isShard())
      result.setType(getBlockType(result.getType(), layout.dimension, placement.getParts()));
  setShape(op);
  if (!transfer.operands.empty() && transfer.operands.front().isShard())
    stablehlo::fitSizes(op, transfer.operands.front().dimension);
  if (isOfVocabulary(op, transfer)) // which others replace, that take what it cannot
    return ofVocabulary.push_back(op);
  if (succeeded(mlir::verify(op)))
    return;
  mlir::emitError(op->getLoc())
      << "'" << op->getName() << "' cannot be computed on parts; name the "
      << "variables that mesh=tp:" << placement.getParts()
      << " shall cut with tensor=NAME=DIMENSION, without those that it takes";
  isBroken = true;
}

/// What a loop carries is as large as the zeros with which it begins.
void TensorProgram::makeLoopLocal(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  for (auto [result, argument, init] :
       llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs(), loop.getInitArgs())) {
    argument.setType(init.getType());
    result.setType(init.getType());
  }
}

/// Whole gradients count once, not once on each neighbour.
void TensorProgram::measureParts(Operation *op, const Transfer &transfer) {
  SmallVector<Value> parts, whole;
  for (auto [operand, layout] : llvm::zip_equal(op->getOperands(), transfer.operands))
    (layout.isShard() ? parts : whole).push_back(operand);
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  auto combine = [&](Reduction reduction, Value found) {
    ++sums;
    return program::createAllReduce(builder, op->getLoc(), op, reduction, found, neighbours)
        .front();
  };
  Value found;
  if (isa<train::AllFiniteOp>(op)) {
    auto number = RankedTensorType::get({}, builder.getI32Type());
    Value own = train::AllFiniteOp::create(builder, op->getOperands());
    Value least = combine(Reduction::Min, arith::ExtUIOp::create(builder, number, own));
    found = arith::TruncIOp::create(builder, op->getResult(0).getType(), least);
  } else {
    Value sum = combine(Reduction::Sum, train::SumOfSquaresOp::create(builder, parts));
    if (!whole.empty())
      sum = arith::AddFOp::create(builder, sum, train::SumOfSquaresOp::create(builder, whole));
    found = math::SqrtOp::create(builder, sum);
  }
  op->getResult(0).replaceAllUsesWith(found);
  op->erase();
}

void TensorProgram::eraseUnused() {
  SmallVector<Operation *> all;
  step.getBody().front().walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  for (Operation *op : llvm::reverse(all))
    if (op->use_empty() && !op->hasTrait<OpTrait::IsTerminator>() &&
        (isComputed(op) || isMemoryEffectFree(op)))
      op->erase();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

OpBuilder tutti::distribution::builderAfter(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    return builder;
  }
  return OpBuilder::atBlockBegin(cast<BlockArgument>(value).getOwner());
}

/// What a rank has of `value`: itself, or its tokens of the sum.
Value TensorProgram::getHeld(Value value) {
  if (!placement.isScattered(value))
    return getCorrected(value);
  Value &held = scatters[value];
  if (held)
    return held;
  Layout layout = placement.getLayout(value);
  CommunicationForm form{CommunicationKind::ReduceScatter, neighbours, Reduction::Sum,
                         layout.dimension};
  OpBuilder builder = builderAfter(value);
  remark::passed(value.getLoc(), remarkBy("distribute-tensor", step))
      << "the parts of neighbours are reduced here, and each keeps the sum of its tokens";
  return held = program::createExchange(
                    builder, value.getLoc(), step, form, getCorrected(value),
                    getBlockType(value.getType(), layout.dimension, placement.getParts()))
                    ->getResult(0);
}

/// Values that are made here are whole.
Value TensorProgram::getAs(Value value, const Layout &wanted, Operation *user) {
  Layout layout = placement.getLayout(value);
  bool isThere = layout.kind == wanted.kind && layout.dimension == wanted.dimension &&
                 layout.outer == wanted.outer;
  if (wanted.isPartial())
    return getCorrected(value); // whole zeros are a sum
  if (isThere)
    return getHeld(value);
  Value whole = layout.isReplicate() ? getCorrected(value) : getWhole(value, user);
  return wanted.isShard() ? getPiece(whole, {wanted.dimension, wanted.outer}) : whole;
}

Value TensorProgram::getWhole(Value value, Operation *user) {
  if (Value known = wholes.lookup(value))
    return known;
  Layout layout = placement.getLayout(value);
  Value whole;
  if (layout.isShard())
    whole = gather(getHeld(value), layout);
  else if (layout.isSum() && !cut.contains(value) && placement.getExcess(value) == 0 &&
           value.getDefiningOp() && !value.getDefiningOp<scf::ForOp>())
    whole = computeWhole(value, user);
  else
    whole = reduce(getCorrected(value), layout.reduction);
  return wholes[value] = whole;
}

/// Linear operations after the place where the sum is taken; they stand before the first user.
Value TensorProgram::computeWhole(Value value, Operation *user) {
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(placement.getLayout(operand).isReplicate() ? operand
                                                                  : getWhole(operand, user));
  while (user->getBlock() != op->getBlock())
    user = user->getParentOp();
  OpBuilder builder(user);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

Value tutti::distribution::adjustScale(OpBuilder &builder, Value value, Scale from, Scale to,
                                       int64_t parts) {
  if (from == to)
    return value;
  auto scalar = RankedTensorType::get({}, typeOf(value).getElementType());
  double factor = std::pow(double(parts), to.share - from.share);
  Value number = arith::ConstantOp::create(
      builder, value.getLoc(),
      DenseElementsAttr::get(scalar, builder.getFloatAttr(scalar.getElementType(), factor)));
  return train::ScaleOp::create(builder, value.getLoc(), value.getType(), value, number);
}

/// `value`, or what is no longer too large.
Value TensorProgram::getCorrected(Value value) {
  Scale excess = placement.getExcess(value);
  if (excess == 0)
    return value;
  Value &known = corrected[value];
  if (!known) {
    OpBuilder builder = builderAfter(value);
    known = adjustScale(builder, value, excess, 0, placement.getParts());
  }
  return known;
}

Value TensorProgram::reduce(Value value, Reduction reduction) {
  Type element = typeOf(value).getElementType();
  bool isReducible =
      isa<FloatType>(element) || element.isSignlessInteger(32) || element.isSignlessInteger(64);
  if (!isReducible) {
    mlir::emitError(value.getLoc())
        << "its " << spellReduction(reduction) << " over neighbouring ranks is of " << element
        << ", which ranks cannot reduce; leave mesh away";
    isBroken = true;
    return value;
  }
  OpBuilder builder = builderAfter(value);
  ++sums;
  remark::passed(value.getLoc(), remarkBy("distribute-tensor", step))
      << "the parts of neighbours are reduced here";
  return program::createAllReduce(builder, value.getLoc(), step, reduction, value, neighbours)
      .front();
}

Value TensorProgram::gather(Value value, const Layout &layout) {
  OpBuilder builder = builderAfter(value);
  ++gathers;
  remark::analysis(value.getLoc(), remarkBy("distribute-tensor", step))
      << "a value in parts is needed whole: it is gathered from neighbours";
  return gatherBlocks(builder, value, {layout.dimension, layout.outer}, placement.getParts(),
                      neighbours);
}

Value TensorProgram::getPiece(Value whole, TensorCut along) {
  Value &piece = pieces[{whole, {along.dimension, along.outer}}];
  if (piece)
    return piece;
  OpBuilder builder = builderAfter(whole);
  auto scatter = whole.getDefiningOp<train::ScatterRowsOp>();
  if (scatter && along == TensorCut{0})
    return piece = scatterBlock(builder, scatter, placement.getParts(), neighbours);
  bool isKnown = step.getContext()->getLoadedDialect<onnx::OnnxDialect>() || isSplat(whole);
  piece = isKnown ? takeBlock(builder, whole, along, placement.getParts(), neighbours) : whole;
  if (isKnown && (!isOfStablehlo || !piece.getDefiningOp() ||
                  !stablehlo::getKind(piece.getDefiningOp()).empty()))
    return piece;
  mlir::emitError(whole.getLoc())
      << "neighbours take their parts of a value that all of them have, which is not supported in "
      << (isKnown ? "steps of StableHLO" : "programs without operations of ONNX")
      << "; name other variables in the rules of distribute-tensor, or leave distribute-mesh away";
  isBroken = true;
  return piece;
}
