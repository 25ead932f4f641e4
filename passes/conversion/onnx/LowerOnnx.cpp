// The pass lower-onnx: ONNX operators become Linalg and kernel calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/onnx/LowerOnnx.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace tutti::conversion {
#define GEN_PASS_DEF_LOWERONNXPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

namespace {

/// Keeps why a pattern would not rewrite an op, for the error about what is left.
struct ReasonKeeper : RewriterBase::Listener {
  void notifyMatchFailure(Location location,
                          function_ref<void(Diagnostic &)> reasonCallback) override {
    Diagnostic reason(location, DiagnosticSeverity::Note);
    reasonCallback(reason);
    reasons[location] = reason.str();
  }
  llvm::DenseMap<Location, std::string> reasons;
};

/// Numbers the operators that draw random numbers, in the order of the function. The number is part
/// of what they draw, so it must depend neither on the number of ranks nor on the order of
/// rewriting.
void numberRandomNodes(func::FuncOp function) {
  Builder builder(function.getContext());
  // Functions draw from ranges of their own.
  int64_t next = function.getName() == "initialize" ? 0 : int64_t(1) << 20;
  function.walk([&](Operation *op) {
    if (isa<DropoutOp, RandomNormalOp, RandomUniformOp>(op))
      op->setAttr(kRandomNode, builder.getI64IntegerAttr(next++));
  });
}

LogicalResult checkStatic(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && !shaped.hasStaticShape())
      return op->emitOpError("cannot be compiled: ")
             << type << " is not static; run train-specialize-batch first";
  return success();
}

LogicalResult explainUnsupported(Operation *op, const ReasonKeeper &keeper) {
  if (auto custom = dyn_cast<CustomOp>(op))
    return rejectCustom(custom);
  auto reason = keeper.reasons.find(op->getLoc());
  return op->emitOpError("cannot be compiled")
         << (reason == keeper.reasons.end() ? "" : ": ")
         << (reason == keeper.reasons.end() ? "" : reason->second);
}

struct LowerOnnxPass : tutti::conversion::impl::LowerOnnxPassBase<LowerOnnxPass> {
  static bool isOnnx(Operation *op) { return isa_and_nonnull<OnnxDialect>(op->getDialect()); }

  void runOnOperation() override {
    if (failed(lower(getOperation())))
      signalPassFailure();
  }

  LogicalResult lower(func::FuncOp function) {
    WalkResult checked = function.walk([](Operation *op) {
      return isOnnx(op) && failed(checkStatic(op)) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return failure();
    numberRandomNodes(function);
    RewritePatternSet patterns(&getContext());
    populateElementwisePatterns(patterns);
    populateReductionPatterns(patterns);
    populateSoftmaxPatterns(patterns);
    populateLossPatterns(patterns);
    populateNormalizationPatterns(patterns);
    populateMatrixPatterns(patterns);
    populateWindowPatterns(patterns);
    populateShapePatterns(patterns);
    populatePartsPatterns(patterns);
    populateSlicePatterns(patterns);
    populateIndexingPatterns(patterns);
    populateRandomPatterns(patterns);
    ReasonKeeper keeper;
    walkAndApplyPatterns(function, std::move(patterns), &keeper);
    WalkResult left = function.walk([&](Operation *op) {
      return isOnnx(op) && failed(explainUnsupported(op, keeper)) ? WalkResult::interrupt()
                                                                  : WalkResult::advance();
    });
    return failure(left.wasInterrupted());
  }
};

} // namespace
