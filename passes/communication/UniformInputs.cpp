// What a collective gives where all ranks of its group put the same value in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/Uniformity.h"
#include "lib/program/plan/Buckets.h"
#include "passes/communication/Simplifications.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

namespace {
/// One collective whose input is equal on all ranks.
class Replacement {
public:
  Replacement(BucketOpInterface op, bool reassociate)
      : op(op), reassociate(reassociate), builder(op),
        size(lookupGroupSize(op, op.getGroupAttr())) {}

  /// The value of an output for `input`, without communication; null if there is none.
  Value get(Value input, Type output) {
    std::optional<CommunicationForm> form = getForm(op);
    if (!form)
      return {};
    switch (form->kind) {
    case CommunicationKind::AllReduce:
      return getReduction(input, *form->reduction);
    case CommunicationKind::Reduce: // other ranks keep their inputs
      return form->reduction == Reduction::Sum ? Value() : getReduction(input, *form->reduction);
    case CommunicationKind::Broadcast:
      return input;
    case CommunicationKind::AllGather:
      return getCopies(input, cast<RankedTensorType>(output), form->axis);
    default:
      return {};
    }
  }

private:
  /// A mean is not the value that all ranks give, to the bit: the sum may have been rounded, or be
  /// too large.
  Value getReduction(Value input, Reduction reduction) {
    switch (reduction) {
    case Reduction::Mean:
      return reassociate ? input : Value();
    case Reduction::Min:
    case Reduction::Max:
      return input;
    case Reduction::Sum:
      return getMultiple(input);
    case Reduction::Prod:
      return {};
    }
    return {};
  }

  /// Whether the size times a float has the bits of that many equal ones added in rank order. f16
  /// is added in f32 and rounded once: there it holds as long as the type has the size. bf16 is,
  /// too, but the instruction that rounds a product to it takes tiny values for zero on some
  /// machines. In others 2x is exact and 3x rounds once; 4x is exact again, for what 3x was off by
  /// is less than half a unit of 4x, or a tie that goes back; 5x rounds once. 6x may have rounded
  /// twice.
  bool hasExactMultiples(FloatType type) const {
    if (!type.isF16())
      return type.getWidth() > 16 && *size <= 5;
    llvm::APFloat factor(static_cast<double>(*size));
    bool losesInfo = false;
    factor.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return !losesInfo;
  }

  /// `input` times the size, where that has the bits of a sum in rank order.
  Value getMultiple(Value input) {
    auto type = cast<RankedTensorType>(input.getType());
    if (!size || !type.hasStaticShape() || !isEveryRankMember(op, op.getGroupAttr()))
      return {};
    Location loc = op->getLoc();
    if (auto element = dyn_cast<FloatType>(type.getElementType())) {
      if (!hasExactMultiples(element) && !reassociate)
        return {};
      auto factor = DenseElementsAttr::get(type, builder.getFloatAttr(element, *size));
      return arith::MulFOp::create(builder, loc, input,
                                   arith::ConstantOp::create(builder, loc, factor));
    }
    if (!type.getElementType().isSignlessInteger())
      return {};
    auto element = cast<IntegerType>(type.getElementType());
    auto number = llvm::APInt(64, *size).trunc(element.getWidth());
    auto factor = DenseElementsAttr::get(type, IntegerAttr::get(element, number));
    return arith::MulIOp::create(builder, loc, input,
                                 arith::ConstantOp::create(builder, loc, factor));
  }

  Value getCopies(Value input, RankedTensorType output, int64_t axis) {
    constexpr int64_t most = 16;
    auto type = cast<RankedTensorType>(input.getType());
    if (!size || *size > most || !type.hasStaticShape() || !output.hasStaticShape())
      return {};
    Location loc = op->getLoc();
    // Zeros, and nothing undefined: the proof of uniformity does not see that all is overwritten.
    Value copies = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(output));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    auto sizes = llvm::map_to_vector(type.getShape(), [&](int64_t length) -> OpFoldResult {
      return builder.getIndexAttr(length);
    });
    for (int64_t member = 0; member < *size; ++member) {
      SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
      offsets[axis] = builder.getIndexAttr(member * type.getDimSize(axis));
      copies = tensor::InsertSliceOp::create(builder, loc, input, copies, offsets, sizes, strides);
    }
    return copies;
  }

  BucketOpInterface op;
  bool reassociate;
  OpBuilder builder;
  std::optional<int64_t> size;
};
} // namespace

/// Whether all ranks of the group of `op` hold the same `value`: all ranks of the world do, or it
/// was given to all members before.
static bool isUniformInGroup(Value value, BucketOpInterface op,
                             const UniformityAnalysis &uniformity) {
  if (uniformity.isUniform(value))
    return true;
  using Kind = CommunicationKind;
  Operation *origin = value.getDefiningOp();
  return isKind(origin, {Kind::AllReduce, Kind::Broadcast, Kind::AllGather}) &&
         getForm(origin)->group == op.getGroupAttr() &&
         meansSameRanks(op.getGroupAttr(), origin, op);
}

static unsigned replaceInputs(BucketOpInterface op, bool reassociate,
                              const UniformityAnalysis &uniformity) {
  if (op.getInputs().size() > 1 && !getFactory(op))
    return 0; // nobody makes it without the inputs that are replaced
  Replacement replacement(op, reassociate);
  llvm::SmallBitVector kept(op.getInputs().size(), true);
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (!isUniformInGroup(input, op, uniformity))
      continue;
    Value output = op.getOutputs()[i];
    Value local = replacement.get(input, output.getType());
    if (!local || local.getType() != output.getType())
      continue;
    output.replaceAllUsesWith(local);
    kept.reset(i);
  }
  unsigned replaced = kept.size() - kept.count();
  if (replaced > 0)
    program::keepMembers(op, kept);
  return replaced;
}

bool communication::replaceUniformInputs(ModuleOp module, const CollectiveMotion &motion,
                                         const UniformityAnalysis &uniformity, bool reassociate,
                                         Counts &counts) {
  SmallVector<BucketOpInterface> ops;
  module.walk([&](BucketOpInterface op) {
    if (op.getDestinations().empty() && !isStartedApart(op) && !motion.whyStays(op))
      ops.push_back(op);
  });
  unsigned replaced = 0;
  // The values that replace others are as uniform as those, so that what is known stays true; but
  // what is new is not known, and taken for uniform no longer than until here.
  for (BucketOpInterface op : ops)
    if (unsigned count = replaceInputs(op, reassociate, uniformity)) {
      replaced += count;
      break;
    }
  counts.uniform += replaced;
  return replaced != 0;
}
