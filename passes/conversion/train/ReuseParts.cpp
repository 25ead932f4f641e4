// The pass train-reuse-parts: what micro-batches have read makes room for what they write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/Passes.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace tutti::train;

namespace tutti::conversion {
#define GEN_PASS_DEF_REUSEPARTSPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

/// The number of turns of `loop`, if they are counted from 0; else 0.
static int64_t countTurns(scf::ForOp loop) {
  bool isCount = isConstantIntValue(loop.getLowerBound(), 0) &&
                 isConstantIntValue(loop.getStep(), 1) && !loop.getUnsignedCmp();
  return isCount ? getConstantIntValue(loop.getUpperBound()).value_or(0) : 0;
}

/// Whether carried value `i` begins as zeros of which nothing is left: all of its parts are put,
/// one in each turn, and nothing else looks at it.
static bool isPutTogether(scf::ForOp loop, unsigned i) {
  Value carried = loop.getRegionIterArg(i);
  auto put = loop.getYieldedValues()[i].getDefiningOp<PutMicroBatchOp>();
  return put && loop.getInitArgs()[i].getDefiningOp<ZeroBatchOp>() && put.getWhole() == carried &&
         carried.hasOneUse() && put.getIndex() == loop.getInductionVar() &&
         static_cast<int64_t>(put.getParts()) == countTurns(loop);
}

/// Whether `part` is that of its turn, of a value computed in front of `loop` that nothing else
/// uses.
static bool isLastReader(scf::ForOp loop, MicroBatchOp part) {
  return part.getIndex() == loop.getInductionVar() && part.getBatch().hasOneUse() &&
         part.getBatch().getDefiningOp() && loop.isDefinedOutsideOfLoop(part.getBatch()) &&
         static_cast<int64_t>(part.getParts()) == countTurns(loop);
}

/// Whether two values have the same bytes in the same order, but for their shapes.
static bool haveEqualElements(Value left, Value right) {
  auto a = cast<RankedTensorType>(left.getType()), b = cast<RankedTensorType>(right.getType());
  bool canReshape = a == b || (a.getRank() != b.getRank() && a.hasStaticShape() &&
                               b.hasStaticShape() && getReassociationIndicesForReshape(a, b));
  return canReshape && a.getElementType() == b.getElementType();
}

static Value reshape(OpBuilder &builder, Value value, RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type)
    return value;
  auto groups = *getReassociationIndicesForReshape(from, type);
  if (from.getRank() > type.getRank())
    return tensor::CollapseShapeOp::create(builder, value.getLoc(), type, value, groups);
  return tensor::ExpandShapeOp::create(builder, value.getLoc(), type, value, groups);
}

/// Lets carried value `i` of `loop` begin as what `part` is taken from, and takes it from there.
static void reuse(scf::ForOp loop, unsigned i, MicroBatchOp part) {
  OpBuilder builder(loop);
  Value carried = loop.getRegionIterArg(i);
  auto type = cast<RankedTensorType>(carried.getType());
  loop.getInitArgsMutable()[i].assign(reshape(builder, part.getBatch(), type));
  builder.setInsertionPoint(part);
  auto partType = cast<RankedTensorType>(typeOfPart(type, part.getParts()));
  Value taken = MicroBatchOp::create(builder, part.getLoc(), partType, part.getIndex(),
                                     part.getParts(), carried);
  part.getPart().replaceAllUsesWith(reshape(builder, taken, part.getPart().getType()));
  part.erase();
}

namespace {
struct ReuseParts : tutti::conversion::impl::ReusePartsPassBase<ReuseParts> {
  void runOnOperation() override {
    getOperation().walk([&](scf::ForOp loop) { visit(loop); });
  }

  void visit(scf::ForOp loop) {
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
      if (!isPutTogether(loop, i))
        continue;
      for (auto part : loop.getBody()->getOps<MicroBatchOp>()) {
        if (!isLastReader(loop, part) ||
            !haveEqualElements(part.getBatch(), loop.getRegionIterArg(i)))
          continue;
        reuse(loop, i, part);
        ++reusedValues;
        break;
      }
    }
  }
};
} // namespace
