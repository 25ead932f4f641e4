// The pass lower-to-llvm: loops, runtime calls and entry points in the LLVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/GuardArithmetic.h"
#include "passes/codegen/PackConstants.h"
#include "passes/codegen/Passes.h"
#include "passes/codegen/RuntimeCalls.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"
#include "lib/program/plan/Plan.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti::collective;

namespace tutti::codegen {
#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "passes/codegen/Passes.h.inc"
} // namespace tutti::codegen

using namespace tutti::codegen;

/// Numbers the collectives as the plan does, and leaves the plan's description on the module, so
/// that the compiler can check that lowering kept what was planned.
static void numberCollectives(ModuleOp module) {
  Builder builder(module.getContext());
  SmallVector<Attribute> lines;
  for (auto [op, id] : tutti::program::numberEntries(module))
    op->setAttr(kPlanEntry, builder.getI64IntegerAttr(id));
  for (const auto &entry : tutti::program::extractPlan(module))
    lines.push_back(builder.getStringAttr(tutti::program::describe(entry)));
  module->setAttr("kernel.plan", builder.getArrayAttr(lines));
}

/// The dimensions along which `op` joins or cuts.
static SmallVector<int64_t> axesOf(Operation *op) {
  if (auto exchange = dyn_cast<AllToAllOp>(op))
    return {static_cast<int64_t>(exchange.getSplitAxis()),
            static_cast<int64_t>(exchange.getConcatAxis())};
  return llvm::TypeSwitch<Operation *, SmallVector<int64_t>>(op)
      .Case<AllGatherOp, ReduceScatterOp, GatherOp, ScatterOp>(
          [](auto along) { return SmallVector<int64_t>{static_cast<int64_t>(along.getAxis())}; })
      .Default([](Operation *) { return SmallVector<int64_t>(); });
}

/// The runtime joins and cuts along axis 0 only, where the parts of ranks are contiguous;
/// lower-collective-axes rewrites the others where shapes are static.
static LogicalResult checkAxes(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    for (int64_t axis : axesOf(op))
      if (axis != 0) {
        op->emitOpError("joins or cuts along axis ")
            << axis
            << ", but buffers are joined and cut along axis 0 (run lower-collective-axes "
               "before bufferization)";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// The runtime is told where a buffer begins and how many elements it has, nothing else.
static LogicalResult checkBuffers(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    if (tutti::program::countCalls(op) == 0)
      return WalkResult::advance();
    for (Type type : op->getOperandTypes()) {
      auto buffer = dyn_cast<MemRefType>(type);
      if (!buffer || memref::isStaticShapeAndContiguousRowMajor(buffer))
        continue;
      op->emitOpError("cannot be compiled: ")
          << buffer
          << (buffer.hasStaticShape() ? " has gaps between its elements" : " has no static shape");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

static bool isEmpty(Type type) {
  auto buffer = dyn_cast_or_null<MemRefType>(type);
  return buffer && buffer.hasStaticShape() && buffer.getNumElements() == 0;
}

/// Nothing is read from a buffer without elements, and nothing is written to it. MLIR 22 has no
/// LLVM type for one of several dimensions, so that arguments get one.
static LogicalResult flattenEmptyBuffers(ModuleOp module) {
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    bool isCopy = isa<memref::CopyOp>(op) && isEmpty(op->getOperand(0).getType());
    bool isView = op->getNumResults() == 1 && isEmpty(op->getResult(0).getType());
    if (isCopy || (isView && op->use_empty() && isMemoryEffectFree(op)))
      op->erase();
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!isEmpty(type) || type.getRank() == 1)
        continue;
      if (!argument.use_empty())
        return (*argument.user_begin())->emitOpError("cannot be compiled: it works on ")
               << type << ", which has no elements";
      argument.setType(MemRefType::get({0}, type.getElementType()));
    }
    if (!function.isExternal())
      function.setType(FunctionType::get(
          function.getContext(), function.getBody().getArgumentTypes(), function.getResultTypes()));
  }
  return success();
}

/// Futures must be numbers here.
static LogicalResult checkFutures(ModuleOp module) {
  WalkResult walked = module.walk([](AsyncOp op) {
    op.emitOpError("is still there (run lower-futures before bufferization)");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Each operation on 16-bit floats is computed in f32 and rounded. A processor without such
/// instructions would call functions that not every system has.
static LogicalResult widenHalves(ModuleOp module) {
  MLIRContext *context = module.getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(
      converter, {BFloat16Type::get(context), Float16Type::get(context)},
      Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  target.addDynamicallyLegalDialect<math::MathDialect>(
      [&](Operation *op) { return converter.isLegal(op); });
  return applyPartialConversion(module, target, std::move(patterns));
}

/// From f64 to bf16 there is no instruction: f32 comes between, as in PyTorch.
static LogicalResult narrowInSteps(arith::TruncFOp op, PatternRewriter &rewriter) {
  if (!getElementTypeOrSelf(op.getIn().getType()).isF64() ||
      !getElementTypeOrSelf(op.getType()).isBF16())
    return failure();
  Type between = rewriter.getF32Type();
  if (auto vector = dyn_cast<VectorType>(op.getType()))
    between = vector.clone(between);
  Value single = arith::TruncFOp::create(rewriter, op.getLoc(), between, op.getIn());
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), single);
  return success();
}

/// f32 exponentials and their kin become polynomials, which vectorise; a call of libm would not.
/// Conversions from and to bf16 become shifts: there is no function to call on every system.
static LogicalResult approximateMath(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained({math::ExpOp::getOperationName(), math::LogOp::getOperationName(),
                               math::TanhOp::getOperationName(), math::ErfOp::getOperationName()},
                              name);
  });
  patterns.add(narrowInSteps);
  arith::populateExpandBFloat16Patterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

/// Erases declarations that only the compiler needs: groups and datasets.
static void eraseDeclarations(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<GroupOp, tutti::train::DatasetOp>(op))
      op.erase();
}

/// Loops become branches first: MLIR 22 cannot convert loops that carry values together with the
/// types they carry.
static LogicalResult convertLoopsToBranches(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

namespace {

/// Booleans lie in memory as bytes, of which LLVM's vectors of i1 know nothing: these are packed.
struct LoadBooleans : ConvertOpToLLVMPattern<vector::LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(vector::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!type.getElementType().isInteger(1) || type.getRank() != 1)
      return failure();
    Value from = getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getBase(),
                                      adaptor.getIndices());
    auto bytes = type.clone(rewriter.getI8Type());
    Value loaded = LLVM::LoadOp::create(rewriter, op.getLoc(), bytes, from, /*alignment=*/1);
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, type, loaded);
    return success();
  }
};

struct StoreBooleans : ConvertOpToLLVMPattern<vector::StoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(vector::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!type.getElementType().isInteger(1) || type.getRank() != 1)
      return failure();
    Value to = getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getBase(),
                                    adaptor.getIndices());
    Value bytes = LLVM::ZExtOp::create(rewriter, op.getLoc(), type.clone(rewriter.getI8Type()),
                                       adaptor.getValueToStore());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, bytes, to, /*alignment=*/1);
    return success();
  }
};

/// LLVM's integers have no sign to cast away.
struct DropSign : ConvertOpToLLVMPattern<UnrealizedConversionCastOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getNumOperands() != 1 || op.getNumResults() != 1 ||
        !isa<IntegerType>(op.getOperand(0).getType()) || !isa<IntegerType>(op.getType(0)))
      return failure();
    rewriter.replaceOp(op, adaptor.getInputs());
    return success();
  }
};

} // namespace

static LogicalResult convertToLLVM(ModuleOp module, RuntimeCalls &calls) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateMathToLibmConversionPatterns(patterns, /*benefit=*/0);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  patterns.add<LoadBooleans, StoreBooleans>(converter, /*benefit=*/2);
  patterns.add<DropSign>(converter);
  populateGuardPatterns(converter, patterns, calls);
  populateRuntimeCallPatterns(converter, patterns, calls);
  populateCollectiveCallPatterns(converter, patterns, calls);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

namespace {
struct LowerToLLVMPass : tutti::codegen::impl::LowerToLLVMPassBase<LowerToLLVMPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkAxes(module)) || failed(checkBuffers(module)) || failed(checkFutures(module)) ||
        failed(flattenEmptyBuffers(module)))
      return signalPassFailure();
    numberCollectives(module);
    RuntimeCalls calls(module, tutti::program::numberGroups(module));
    eraseDeclarations(module);
    guardArithmetic(module);
    if (failed(widenHalves(module)) || failed(approximateMath(module)) ||
        failed(convertLoopsToBranches(module)) || failed(convertToLLVM(module, calls)))
      return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>()))
      if (function->hasAttr("kernel.variables"))
        addEntryPoint(function);
    packConstants(module);
  }
};
} // namespace
