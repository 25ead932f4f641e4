// Narrow sums between two conversions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/communication/GradientCompression.h"

#include "dialects/collective/Wire.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/Train.h"
#include "lib/program/plan/Buckets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;
using namespace tutti::program;

std::optional<int64_t> communication::countBytes(Type type) {
  auto shaped = cast<ShapedType>(type);
  if (!shaped.hasStaticShape())
    return std::nullopt;
  return shaped.getNumElements() * shaped.getElementTypeBitWidth() / 8;
}

std::optional<Reduction> communication::getReduction(Operation *op) {
  std::optional<CommunicationForm> form = getForm(op);
  bool isOfAll = form && (form->kind == CommunicationKind::AllReduce ||
                          form->kind == CommunicationKind::ReduceScatter);
  return isOfAll ? form->reduction : std::nullopt;
}

/// The sum of `inputs`, over the group of `like` and along its axis; null where its dialect has
/// none.
static Operation *createSum(OpBuilder &builder, Operation *like, ValueRange inputs,
                            ArrayRef<Type> results) {
  CommunicationForm form = *getForm(like);
  form.reduction = Reduction::Sum;
  return getFactory(like)->create(builder, like->getLoc(), form, inputs, results);
}

/// The first operation of the block of `op` that uses `value`; `op` if there is none.
static Operation *findFirstUser(Value value, Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    if (inBlock && (!first || inBlock->isBeforeInBlock(first)))
      first = inBlock;
  }
  return first ? first : op;
}

GradientCompression::GradientCompression(ModuleOp module, WireFormat format)
    : format(format), gradients(findReducedGradients(module)) {}

Refusal GradientCompression::whyKept(BucketOpInterface op, unsigned index) const {
  Type type = op.getInputs()[index].getType(), element = getElementTypeOrSelf(type);
  Reduction kind = *getReduction(op);
  if (!isa<FloatType>(element))
    return "integers are summed exactly";
  if (!gradients.contains(op.getOutputs()[index]))
    return kNoGradient;
  if (element.getIntOrFloatBitWidth() <= 16)
    return "it is that narrow already";
  if (kind != Reduction::Sum && kind != Reduction::Mean)
    return "only sums and means are compressed";
  if (!getFactory(op) || !getFactory(op, op.getGroupAttr()))
    return "its dialect has no CommunicationDialectInterface, which would make the sum";
  if (kind == Reduction::Mean && !getFactory(op, op.getGroupAttr())->asks(RankQuestion::Size))
    return "its dialect cannot ask for the number of ranks, by which the sum is divided";
  if (isStartedApart(op))
    return "it is asynchronous: compress before collective-overlap";
  std::optional<int64_t> bytes = countBytes(type);
  if (bytes && *bytes < format.minBytes)
    return "its " + Twine(*bytes) + " bytes are fewer than min-bytes=" + Twine(format.minBytes);
  return {};
}

std::string GradientCompression::describe(BucketOpInterface op, unsigned index) const {
  auto gradient = gradients.find(op.getOutputs()[index]);
  if (gradient == gradients.end()) {
    std::string text;
    llvm::raw_string_ostream(text) << spellKind(op) << " of " << op.getInputs()[index].getType();
    return text;
  }
  if (!gradient->second.optimizer)
    return "marked gradient";
  return gradient->second.name.empty() ? "gradient"
                                       : "gradient of \"" + gradient->second.name + "\"";
}

LogicalResult GradientCompression::narrow(BucketOpInterface op,
                                          const llvm::SmallBitVector &narrowed) {
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (unsigned index : narrowed.set_bits()) {
    FailureOr<Value> narrow = buildNarrow(op, index);
    if (failed(narrow))
      return failure();
    inputs.push_back(*narrow);
    types.push_back(cast<ShapedType>(op.getOutputs()[index].getType()).clone(format.type));
  }
  OpBuilder builder(op);
  Operation *sum = createSum(builder, op, inputs, types);
  if (!sum)
    return mlir::emitError(op.getLoc())
           << "the dialect of '" << op->getName() << "' makes no " << spellKind(op) << " sum of "
           << format.type << ", which compression needs";
  for (auto [index, result] : llvm::zip_equal(narrowed.set_bits(), sum->getResults())) {
    Value output = op.getOutputs()[index];
    OpBuilder after(findFirstUser(output, op));
    auto wide = arith::ExtFOp::create(after, op->getLoc(), output.getType(), result);
    wide->setAttr(kWire, builder.getUnitAttr());
    output.replaceAllUsesWith(wide);
  }
  keepMembers(op, ~llvm::SmallBitVector(narrowed));
  return success();
}

/// Narrow values stand where the wide ones are made, and are widened where they are used: the
/// reductions between can wait for each other, and be one bucket.
FailureOr<Value> GradientCompression::buildNarrow(BucketOpInterface op, unsigned index) {
  Value value = op.getInputs()[index];
  Location loc = value.getLoc();
  OpBuilder builder(op);
  Operation *producer = value.getDefiningOp();
  if (producer && producer->getBlock() == op->getBlock())
    builder.setInsertionPointAfter(producer);
  if (*getReduction(op) == Reduction::Mean)
    value = train::ScaleOp::create(builder, loc, value.getType(), value, getFactor(op, value));
  Type type = cast<ShapedType>(value.getType()).clone(format.type);
  if (format.errorFeedback)
    return feedback.narrow(builder, op, gradients[op.getOutputs()[index]], value, type);
  auto narrow = arith::TruncFOp::create(builder, loc, type, value);
  narrow->setAttr(kWire, builder.getUnitAttr());
  return narrow.getResult();
}

/// One over the number of ranks, once for each block, group and element type.
Value GradientCompression::getFactor(BucketOpInterface op, Value value) {
  Type type = getElementTypeOrSelf(value);
  Value &factor = factors[{op->getBlock(), {op.getGroupAttr(), type}}];
  if (factor)
    return factor;
  OpBuilder builder = OpBuilder::atBlockBegin(op->getBlock());
  Location loc = op.getLoc();
  Value ranks = createGroupSize(builder, loc, op.getGroupAttr(), type);
  Value one = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, 1.0));
  Value inverse = arith::DivFOp::create(builder, loc, one, ranks);
  factor = tensor::FromElementsOp::create(builder, loc, RankedTensorType::get({}, type), inverse);
  return factor;
}
