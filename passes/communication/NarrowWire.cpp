// Widening conversions after the wire instead of in front of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/ranks/Communication.h"
#include "passes/communication/Simplifications.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

/// Element types that can be on the wire of a move, and of a reduction.
static bool canTravel(Type type, bool isReduced) {
  Type element = getElementTypeOrSelf(type);
  if (element.isInteger(1))
    return !isReduced;
  return element.isF16() || element.isBF16() || element.isF32() || element.isF64() ||
         element.isSignlessInteger(8) || element.isSignlessInteger(16) ||
         element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

/// Whether the narrow values compare as the wide ones do. Signless integers are compared as signed,
/// which zero extension does not keep.
static bool keepsOrder(Operation *widen) { return isa<arith::ExtFOp, arith::ExtSIOp>(widen); }

static bool keepsValues(Operation *widen) {
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(widen);
}

namespace {
struct WidenAfter : OpInterfaceRewritePattern<BucketOpInterface> {
  WidenAfter(MLIRContext *context, const CollectiveMotion &motion, unsigned &count)
      : OpInterfaceRewritePattern(context), motion(motion), count(count) {}

  LogicalResult matchAndRewrite(BucketOpInterface op, PatternRewriter &rewriter) const override {
    if (!communication::isPlain(op) || motion.whyStays(op))
      return failure();
    Operation *widen = op.getInputs().front().getDefiningOp();
    std::optional<CommunicationForm> form = getForm(op);
    bool isReduced = form && isReduction(form->kind);
    if (!form || !keepsValues(widen) || !isCommuting(*form, widen) ||
        !canTravel(widen->getOperand(0).getType(), isReduced))
      return failure();
    Value wide = op.getOutputs().front();
    Type narrow = cast<ShapedType>(wide.getType())
                      .clone(getElementTypeOrSelf(widen->getOperand(0).getType()));
    Operation *moved = rewriter.clone(*op);
    moved->setOperand(0, widen->getOperand(0));
    moved->getResult(0).setType(narrow);
    OperationState state(op->getLoc(), widen->getName(), moved->getResults(),
                         TypeRange(wide.getType()), widen->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state));
    ++count;
    return success();
  }

private:
  /// Moves give every value as it is; min and max choose one by its order. Sums of narrow values
  /// are not the sums of wide ones.
  static bool isCommuting(const CommunicationForm &form, Operation *widen) {
    if (!form.reduction)
      return true;
    bool chooses = *form.reduction == Reduction::Min || *form.reduction == Reduction::Max;
    return chooses && keepsOrder(widen);
  }

  const CollectiveMotion &motion;
  unsigned &count;
};
} // namespace

void communication::addNarrowPatterns(RewritePatternSet &patterns, const CollectiveMotion &motion,
                                      Counts &counts) {
  patterns.add<WidenAfter>(patterns.getContext(), motion, counts.narrowed);
}
