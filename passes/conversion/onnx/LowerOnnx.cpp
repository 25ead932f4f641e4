// The pass lower-onnx: ONNX operators become Linalg and kernel calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/onnx/LowerOnnx.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "lib/program/DrawNumbers.h"
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

/// Whether the operation works on 16 bits: formulas widen themselves, other parts only move
/// elements, and kernels have bf16.
bool worksOnHalves(Operation *op, Type half) {
  if (isa<MatMulOp, GemmOp, ConvOp, ConvGradOp, MaxPoolOp, MaxPoolGradOp, AveragePoolOp,
          AveragePoolGradOp>(op))
    return half.isBF16();
  return op->hasTrait<Formula>() ||
         isa<CastOp, CustomOp, ConstantOp, IdentityOp, tutti::onnx::FlattenOp, ReshapeOp,
             TransposeOp, SqueezeOp, UnsqueezeOp, ConcatOp, SplitOp, SliceOp, ExpandOp, PadOp,
             TriluOp, tutti::onnx::GatherOp, GatherElementsOp, GatherNDOp, DropoutOp, DropoutGradOp,
             ArgMaxOp, ArgMinOp, ReduceMaxOp, ReduceMinOp>(op);
}

bool isHalf(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  return tensor && (tensor.getElementType().isF16() || tensor.getElementType().isBF16());
}

/// The 16 bits that an operation has among its operands or results; null if it has none.
Type findHalf(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (isHalf(type))
      return cast<RankedTensorType>(type).getElementType();
  return {};
}

/// Lets the operation work on f32, and rounds its results: sums of 16 bits would lose their digits.
void computeInF32(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isHalf(operand.get().getType()))
      operand.set(CastOp::create(builder, op->getLoc(), operand.get(), builder.getF32Type()));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!isHalf(type))
      continue;
    result.setType(type.clone(builder.getF32Type()));
    Value narrow = CastOp::create(builder, op->getLoc(), result, type.getElementType());
    result.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
  }
}

void computeHalvesInF32(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (!isa_and_nonnull<OnnxDialect>(op->getDialect()))
      return;
    Type half = findHalf(op);
    if (half && !worksOnHalves(op, half))
      ops.push_back(op);
  });
  llvm::for_each(ops, computeInF32);
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
    tutti::program::numberDraws(function);
    computeHalvesInF32(function);
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
