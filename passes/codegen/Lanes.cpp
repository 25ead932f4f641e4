// Sums in lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/Lanes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

namespace tutti::codegen {

static VectorType inLanes(Type element, int64_t lanes = kLanes) {
  return VectorType::get({lanes}, element);
}

/// Whether each input either stays in the innermost loop or moves on by one element.
static bool hasContiguousInputs(linalg::LinalgOp op, const Loop &innermost) {
  return llvm::all_of(ArrayRef(innermost.strides).take_front(op.getNumDpsInputs()),
                      [](int64_t stride) { return stride == 0 || stride == 1; });
}

static bool worksInLanes(Operation &inner) {
  return isa<linalg::IndexOp>(inner) || inner.hasTrait<OpTrait::ConstantLike>() ||
         OpTrait::hasElementwiseMappableTraits(&inner);
}

static Operation *findCombiner(linalg::LinalgOp op, unsigned output) {
  SmallVector<Operation *> combiners;
  Value reduced = matchReduction(op.getRegionOutputArgs(), output, combiners);
  bool isOne = reduced && combiners.size() == 1 && combiners[0]->getNumOperands() == 2;
  return isOne && arith::getNeutralElement(combiners[0]) ? combiners[0] : nullptr;
}

SmallVector<Operation *> findLaneCombiners(linalg::LinalgOp op, const LoopNest &nest) {
  if (nest.accumulating == 0 || nest.loops.back().size < kLanes ||
      !hasContiguousInputs(op, nest.loops.back()))
    return {};
  if (!llvm::all_of(op.getBlock()->without_terminator(), worksInLanes))
    return {};
  SmallVector<Operation *> combiners;
  for (unsigned output = 0; output < op.getNumDpsInits(); ++output) {
    Operation *combiner = findCombiner(op, output);
    if (!combiner)
      return {};
    combiners.push_back(combiner);
  }
  bool roundsAny = llvm::any_of(combiners, [](Operation *combiner) {
    return isa<FloatType>(combiner->getResult(0).getType());
  });
  return roundsAny ? combiners : SmallVector<Operation *>();
}

SmallVector<Value> createNeutralLanes(ImplicitLocOpBuilder &builder,
                                      ArrayRef<Operation *> combiners) {
  return llvm::map_to_vector(combiners, [&](Operation *combiner) -> Value {
    VectorType type = inLanes(combiner->getResult(0).getType());
    return arith::ConstantOp::create(
        builder, SplatElementsAttr::get(type, Attribute(*arith::getNeutralElement(combiner))));
  });
}

Value spreadOverLanes(ImplicitLocOpBuilder &builder, Value scalar) {
  if (isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(builder, inLanes(scalar.getType()), scalar);
}

Value loadLanes(ImplicitLocOpBuilder &builder, Value array, Value position) {
  Type element = cast<MemRefType>(array.getType()).getElementType();
  return vector::LoadOp::create(builder, inLanes(element), array, position);
}

Value countLanes(ImplicitLocOpBuilder &builder, Value induction) {
  SmallVector<int64_t> numbers(kLanes);
  std::iota(numbers.begin(), numbers.end(), 0);
  VectorType type = inLanes(builder.getIndexType());
  Value steps = arith::ConstantOp::create(
      builder, DenseIntElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
  return arith::AddIOp::create(builder, spreadOverLanes(builder, induction), steps);
}

void cloneInLanes(ImplicitLocOpBuilder &builder, Operation &inner, IRMapping &mapping) {
  if (inner.hasTrait<OpTrait::ConstantLike>()) { // spread by its users
    builder.clone(inner, mapping);
    return;
  }
  SmallVector<Value> operands = llvm::map_to_vector(inner.getOperands(), [&](Value operand) {
    return spreadOverLanes(builder, mapping.lookupOrDefault(operand));
  });
  SmallVector<Type> types =
      llvm::map_to_vector(inner.getResultTypes(), [](Type type) -> Type { return inLanes(type); });
  Operation *clone = builder.create(inner.getLoc(), inner.getName().getIdentifier(), operands,
                                    types, inner.getAttrs());
  mapping.map(inner.getResults(), clone->getResults());
}

static Value combine(ImplicitLocOpBuilder &builder, Operation *combiner, Value a, Value b) {
  return builder
      .create(combiner->getLoc(), combiner->getName().getIdentifier(), {a, b}, a.getType(),
              combiner->getAttrs())
      ->getResult(0);
}

/// `count` lanes of `vector` from `first` on.
static Value takeLanes(ImplicitLocOpBuilder &builder, Value vector, int64_t first, int64_t count) {
  SmallVector<int64_t> taken(count);
  std::iota(taken.begin(), taken.end(), first);
  return vector::ShuffleOp::create(builder, vector, vector, taken);
}

Value joinLanes(ImplicitLocOpBuilder &builder, Operation *combiner, Value start, Value vector) {
  for (int64_t half = kLanes / 2; half >= 1; half /= 2) {
    Value lower = takeLanes(builder, vector, 0, half);
    Value upper = takeLanes(builder, vector, half, half);
    vector = combine(builder, combiner, lower, upper);
  }
  return combine(builder, combiner, start, vector::ExtractOp::create(builder, vector, 0));
}

} // namespace tutti::codegen
