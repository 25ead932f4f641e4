// collective-compress: gradients travel as 16-bit floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Wire.h"
#include "dialects/train/Train.h"
#include "lib/analysis/CollectiveMotion.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/GradientChain.h"
#include "passes/communication/Passes.h"
#include "passes/communication/Residuals.h"

#include "mlir/IR/TypeUtilities.h"

namespace tutti::communication {
#define GEN_PASS_DEF_COLLECTIVECOMPRESSPASS
#include "passes/communication/Passes.h.inc"
} // namespace tutti::communication

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;
using namespace tutti::program;

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The bytes of `type`; none while its shape is not known.
static std::optional<int64_t> countBytes(Type type) {
  auto shaped = cast<ShapedType>(type);
  if (!shaped.hasStaticShape())
    return std::nullopt;
  return shaped.getNumElements() * shaped.getElementTypeBitWidth() / 8;
}

static std::optional<ReductionKind> getReduction(Operation *op) {
  if (auto reduce = dyn_cast<AllReduceOp>(op))
    return reduce.getReduction();
  if (auto reduce = dyn_cast<ReduceScatterOp>(op))
    return reduce.getReduction();
  return std::nullopt;
}

/// The same reduction, or the sum, of other inputs.
static Operation *createReduction(OpBuilder &builder, Operation *like, bool asSum,
                                  ValueRange inputs, ArrayRef<Type> results) {
  ReductionKind kind = asSum ? ReductionKind::sum : *getReduction(like);
  Location loc = like->getLoc();
  if (auto reduce = dyn_cast<AllReduceOp>(like))
    return AllReduceOp::create(builder, loc, TypeRange(results), kind, inputs, ValueRange(),
                               reduce.getGroup());
  auto reduce = cast<ReduceScatterOp>(like);
  return ReduceScatterOp::create(builder, loc, TypeRange(results), kind, reduce.getAxis(), inputs,
                                 ValueRange(), reduce.getGroup());
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

static constexpr llvm::StringLiteral kNoGradient = "it is no gradient";

namespace {
struct CollectiveCompress : communication::impl::CollectiveCompressPassBase<CollectiveCompress> {
  using CollectiveCompressPassBase::CollectiveCompressPassBase;

  void runOnOperation() override {
    CollectiveMotion motion(getOperation(), getAnalysis<UniformityAnalysis>());
    gradients = findReducedGradients(getOperation());
    factors.clear();
    feedback = ErrorFeedback();
    hasCompressed = false;
    SmallVector<BucketOpInterface> reductions;
    getOperation().walk([&](BucketOpInterface op) {
      if (!getReduction(op) || !op.getDestinations().empty())
        return;
      if (StringRef reason = getReasonToStay(op, motion); !reason.empty())
        for (unsigned index = 0; index < op.getInputs().size(); ++index)
          remarkKept(op, index, reason);
      else
        reductions.push_back(op);
    });
    for (BucketOpInterface op : reductions)
      if (failed(compress(op)))
        return signalPassFailure();
    feedback.apply();
    if (!hasCompressed)
      markAllAnalysesPreserved();
    if (!reductions.empty() && !hasCompressed)
      mlir::emitWarning(getOperation().getLoc())
          << "compress=" << spell(getWireType()) << " has no effect: no gradient is compressed; "
          << whyKept;
  }

private:
  /// Why `op` stays as a whole. A rank that is in no set would take no mean; of a group that is
  /// made at run time it is not known.
  static StringRef getReasonToStay(BucketOpInterface op, const CollectiveMotion &motion) {
    StringRef reason = motion.getReasonToStay(op);
    if (reason.empty() && !isEveryRankMember(op, op.getGroupAttr()))
      return "not every rank is in a set of its group";
    return reason;
  }

  /// Why input `index` stays as it is; empty if it is compressed.
  std::string getReasonToKeep(BucketOpInterface op, unsigned index) {
    Type type = op.getInputs()[index].getType(), element = getElementTypeOrSelf(type);
    ReductionKind kind = *getReduction(op);
    if (!isa<FloatType>(element))
      return "integers are summed exactly";
    if (!gradients.contains(op.getOutputs()[index]))
      return kNoGradient.str();
    if (element.getIntOrFloatBitWidth() <= 16)
      return "it is that narrow already";
    if (kind != ReductionKind::sum && kind != ReductionKind::mean)
      return "only sums and means are compressed";
    if (isa<AsyncOp>(op->getParentOp()))
      return "it is asynchronous: compress before collective-overlap";
    std::optional<int64_t> bytes = countBytes(type);
    if (bytes && *bytes < minBytes)
      return ("its " + Twine(*bytes) + " bytes are fewer than min-bytes=" + Twine(minBytes)).str();
    return "";
  }

  /// What input `index` is to the reader of a remark.
  std::string describe(BucketOpInterface op, unsigned index) {
    auto gradient = gradients.find(op.getOutputs()[index]);
    if (gradient == gradients.end())
      return (op->getName().stripDialect() + " of " + spell(op.getInputs()[index].getType())).str();
    if (!gradient->second.optimizer)
      return "marked gradient";
    return gradient->second.name.empty() ? "gradient"
                                         : "gradient of \"" + gradient->second.name + "\"";
  }

  void remarkKept(BucketOpInterface op, unsigned index, StringRef reason) {
    ++keptTensors;
    Type element = getElementTypeOrSelf(op.getInputs()[index]);
    std::string text =
        describe(op, index) + " stays " + spell(element) + " on the wire: " + reason.str();
    remark::missed(op.getInputs()[index].getLoc(), remarkBy(getArgument(), op)) << text;
    if (whyKept.empty() || reason != kNoGradient)
      whyKept = text;
  }

  bool hasCompressed = false;
  std::string whyKept; ///< the last remark on a gradient that is not compressed

  void remarkCompressed(BucketOpInterface op, unsigned index) {
    ++compressedTensors;
    hasCompressed = true;
    Type element = getElementTypeOrSelf(op.getInputs()[index]);
    std::string text = describe(op, index) + " travels as " + spell(getWireType()) +
                       " instead of " + spell(element);
    if (auto bytes = countBytes(op.getInputs()[index].getType()))
      text += ": " + std::to_string(*bytes * 16 / element.getIntOrFloatBitWidth()) +
              " bytes instead of " + std::to_string(*bytes);
    remark::passed(op.getInputs()[index].getLoc(), remarkBy(getArgument(), op)) << text;
  }

  LogicalResult compress(BucketOpInterface op) {
    SmallVector<unsigned> kept, narrowed;
    for (unsigned index = 0; index < op.getInputs().size(); ++index) {
      std::string reason = getReasonToKeep(op, index);
      (reason.empty() ? narrowed : kept).push_back(index);
      if (!reason.empty())
        remarkKept(op, index, reason);
    }
    if (narrowed.empty())
      return success();
    OpBuilder builder(op);
    SmallVector<Value> results(op.getOutputs());
    if (failed(replaceNarrowed(builder, op, narrowed, results)))
      return failure();
    replaceKept(builder, op, kept, results);
    op->replaceAllUsesWith(results);
    op->erase();
    return success();
  }

  void replaceKept(OpBuilder &builder, BucketOpInterface op, ArrayRef<unsigned> kept,
                   MutableArrayRef<Value> results) {
    if (kept.empty())
      return;
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    for (unsigned index : kept) {
      inputs.push_back(op.getInputs()[index]);
      types.push_back(op.getOutputs()[index].getType());
    }
    Operation *rest = createReduction(builder, op, /*asSum=*/false, inputs, types);
    for (auto [index, result] : llvm::zip(kept, rest->getResults()))
      results[index] = result;
  }

  /// The mean is taken before the narrow sum, which could overflow else.
  LogicalResult replaceNarrowed(OpBuilder &builder, BucketOpInterface op,
                                ArrayRef<unsigned> narrowed, MutableArrayRef<Value> results) {
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    for (unsigned index : narrowed) {
      remarkCompressed(op, index);
      FailureOr<Value> narrow = buildNarrow(op, index);
      if (failed(narrow))
        return failure();
      inputs.push_back(*narrow);
      types.push_back(cast<ShapedType>(op.getOutputs()[index].getType()).clone(getWireType()));
    }
    Operation *sum = createReduction(builder, op, /*asSum=*/true, inputs, types);
    for (auto [index, result] : llvm::zip(narrowed, sum->getResults())) {
      OpBuilder behind(findFirstUser(op.getOutputs()[index], op));
      auto wide =
          arith::ExtFOp::create(behind, op->getLoc(), op.getOutputs()[index].getType(), result);
      wide->setAttr(kWire, builder.getUnitAttr());
      results[index] = wide;
    }
    return success();
  }

  /// Narrow values stand where the wide ones are made, and are widened where they are used: the
  /// reductions between can wait for each other, and be one bucket.
  FailureOr<Value> buildNarrow(BucketOpInterface op, unsigned index) {
    Value value = op.getInputs()[index];
    Location loc = value.getLoc();
    OpBuilder builder(op);
    Operation *producer = value.getDefiningOp();
    if (producer && producer->getBlock() == op->getBlock())
      builder.setInsertionPointAfter(producer);
    if (*getReduction(op) == ReductionKind::mean)
      value = train::ScaleOp::create(builder, loc, value.getType(), value, getFactor(op, value));
    Type type = cast<ShapedType>(value.getType()).clone(getWireType());
    GradientUse &use = gradients[op.getOutputs()[index]];
    if (errorFeedback)
      return feedback.narrow(builder, op, use, value, type);
    auto narrow = arith::TruncFOp::create(builder, loc, type, value);
    narrow->setAttr(kWire, builder.getUnitAttr());
    return narrow.getResult();
  }

  /// One over the number of ranks, once for each block, group and element type.
  Value getFactor(BucketOpInterface op, Value value) {
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

  Type getWireType() {
    Builder builder(&getContext());
    return type == WireType::F16 ? Type(builder.getF16Type()) : Type(builder.getBF16Type());
  }

  llvm::DenseMap<Value, GradientUse> gradients;
  ErrorFeedback feedback;
  llvm::DenseMap<std::pair<Block *, std::pair<Attribute, Type>>, Value> factors;
};
} // namespace
