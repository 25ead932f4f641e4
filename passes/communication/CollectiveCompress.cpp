// collective-compress: gradients travel as 16-bit floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"
#include "lib/analysis/CollectiveMotion.h"
#include "lib/analysis/Remarks.h"
#include "passes/communication/GradientCompression.h"
#include "passes/communication/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace tutti::communication {
#define GEN_PASS_DEF_COLLECTIVECOMPRESSPASS
#include "passes/communication/Passes.h.inc"
} // namespace tutti::communication

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Why `op` stays as a whole. A rank that is in no set would take no mean; of a group that is made
/// at run time it is not known.
static Refusal whyWhole(BucketOpInterface op, const CollectiveMotion &motion) {
  Refusal refusal = motion.whyStays(op);
  if (!refusal && !isEveryRankMember(op, op.getGroupAttr()))
    return "not every rank is in a set of its group";
  return refusal;
}

namespace {
struct CollectiveCompress : communication::impl::CollectiveCompressPassBase<CollectiveCompress> {
  using CollectiveCompressPassBase::CollectiveCompressPassBase;

  void runOnOperation() override {
    CollectiveMotion motion(getOperation(), getAnalysis<UniformityAnalysis>());
    GradientCompression compression(getOperation(), {getWireType(), minBytes, errorFeedback});
    hasCompressed = false;
    SmallVector<BucketOpInterface> reductions;
    getOperation().walk([&](BucketOpInterface op) {
      if (!getReduction(op) || !op.getDestinations().empty())
        return;
      if (Refusal refusal = whyWhole(op, motion))
        for (unsigned index = 0; index < op.getInputs().size(); ++index)
          remarkKept(op, index, compression.describe(op, index), refusal.reason());
      else
        reductions.push_back(op);
    });
    for (BucketOpInterface op : reductions)
      if (failed(compress(op, compression)))
        return signalPassFailure();
    compression.finish();
    if (!hasCompressed)
      markAllAnalysesPreserved();
    if (!reductions.empty() && !hasCompressed)
      mlir::emitWarning(getOperation().getLoc())
          << "compress=" << spell(getWireType()) << " has no effect: no gradient is compressed; "
          << whyKept;
  }

private:
  LogicalResult compress(BucketOpInterface op, GradientCompression &compression) {
    llvm::SmallBitVector narrowed(op.getInputs().size());
    for (unsigned index = 0; index < narrowed.size(); ++index) {
      Refusal refusal = compression.whyKept(op, index);
      std::string what = compression.describe(op, index);
      narrowed[index] = !refusal;
      if (narrowed[index])
        remarkCompressed(op, index, what);
      else
        remarkKept(op, index, what, refusal.reason());
    }
    return narrowed.any() ? compression.narrow(op, narrowed) : success();
  }

  void remarkKept(BucketOpInterface op, unsigned index, StringRef what, StringRef reason) {
    ++keptTensors;
    Value input = op.getInputs()[index];
    std::string text = (what + " stays " + spell(getElementTypeOrSelf(input)) + " on the wire: ")
                           .str()
                           .append(reason);
    remark::missed(input.getLoc(), remarkBy(getArgument(), op)) << text;
    if (whyKept.empty() || reason != kNoGradient)
      whyKept = text;
  }

  void remarkCompressed(BucketOpInterface op, unsigned index, StringRef what) {
    ++compressedTensors;
    hasCompressed = true;
    Value input = op.getInputs()[index];
    Type element = getElementTypeOrSelf(input);
    std::string text =
        (what + " travels as " + spell(getWireType()) + " instead of " + spell(element)).str();
    if (auto bytes = countBytes(input.getType()))
      text += ": " + std::to_string(*bytes * 16 / element.getIntOrFloatBitWidth()) +
              " bytes instead of " + std::to_string(*bytes);
    remark::passed(input.getLoc(), remarkBy(getArgument(), op)) << text;
  }

  FloatType getWireType() {
    Builder builder(&getContext());
    return type == WireType::F16 ? FloatType(builder.getF16Type())
                                 : FloatType(builder.getBF16Type());
  }

  bool hasCompressed = false;
  std::string whyKept; ///< the last remark on a gradient that is not compressed
};
} // namespace
