// From `tiny` and `collective` to LLVM: tensors become Linalg, then buffers; collectives become
// calls of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"

#include "tutti/dialects/collective/Collective.h"
#include "tutti/dialects/train/Train.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tiny;
using namespace tutti::collective;

namespace {

Value number(OpBuilder &builder, Location loc, float value) {
  return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(value));
}

/// As many zeros as `matrix` is long in `dimension`.
Value zeros(OpBuilder &builder, Location loc, Value matrix, int64_t dimension) {
  OpFoldResult size = tensor::getMixedSize(builder, loc, matrix, dimension);
  Value empty = tensor::EmptyOp::create(builder, loc, {size}, builder.getF32Type());
  return linalg::FillOp::create(builder, loc, number(builder, loc, 0), empty).getResult(0);
}

Value scale(OpBuilder &builder, Location loc, Value vector, Value factor) {
  Value factors = tensor::SplatOp::create(builder, loc, factor, vector.getType());
  return arith::MulFOp::create(builder, loc, vector, factors);
}

LogicalResult lowerPredict(PredictOp op, PatternRewriter &rewriter) {
  Value into = zeros(rewriter, op.getLoc(), op.getSamples(), 0);
  rewriter.replaceOpWithNewOp<linalg::MatvecOp>(op, ValueRange{op.getSamples(), op.getWeights()},
                                                into);
  return success();
}

LogicalResult lowerGradient(GradientOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value into = zeros(rewriter, loc, op.getSamples(), 1);
  ValueRange factors = {op.getMiss(), op.getSamples()};
  Value sum = linalg::VecmatOp::create(rewriter, loc, factors, into).getResult(0);
  Value rows = tensor::DimOp::create(rewriter, loc, op.getMiss(), 0);
  Value whole = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), rows);
  Value count = arith::SIToFPOp::create(rewriter, loc, rewriter.getF32Type(), whole);
  Value factor = arith::DivFOp::create(rewriter, loc, number(rewriter, loc, 2), count);
  rewriter.replaceOp(op, scale(rewriter, loc, sum, factor));
  return success();
}

LogicalResult lowerDescend(DescendOp op, PatternRewriter &rewriter) {
  Value rate = tensor::ExtractOp::create(rewriter, op.getLoc(), op.getLearningRate());
  Value change = scale(rewriter, op.getLoc(), op.getGradient(), rate);
  rewriter.replaceOpWithNewOp<arith::SubFOp>(op, op.getVariable(), change);
  return success();
}

/// Tutti is done: roles go, and `tiny` becomes Linalg.
struct ToLinalg : PassWrapper<ToLinalg, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToLinalg)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect>();
  }
  void runOnOperation() override {
    for (auto dataset :
         llvm::make_early_inc_range(getOperation().getOps<tutti::train::DatasetOp>()))
      dataset.erase();
    getOperation()->removeDiscardableAttr(tutti::train::TrainDialect::kProgram);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      function.removeArgAttrsAttr();
      function.removeResAttrsAttr();
    }
    RewritePatternSet patterns(&getContext());
    patterns.add(lowerPredict).add(lowerGradient).add(lowerDescend);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

/// Buckets become calls: one of @tiny_buffer for each buffer, then one of the collective. main.cpp
/// has these functions.
struct ToCalls : PassWrapper<ToCalls, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToCalls)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, memref::MemRefDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([&](BucketOpInterface op) {
      if (auto reduction = dyn_cast<AllReduceOp>(*op))
        replace(op, "tiny_all_reduce", int64_t(reduction.getReduction()));
      else if (auto broadcast = dyn_cast<BroadcastOp>(*op))
        replace(op, "tiny_broadcast", int64_t(broadcast.getRoot()));
      else
        op.emitOpError("has no lowering in this compiler"), signalPassFailure();
    });
    for (auto group : llvm::make_early_inc_range(getOperation().getOps<GroupOp>()))
      group.erase();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isDeclaration())
        function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                          UnitAttr::get(&getContext()));
    }
  }

private:
  void call(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments) {
    if (!getOperation().lookupSymbol(name)) {
      auto type = builder.getFunctionType(arguments.getTypes(), {});
      auto function = func::FuncOp::create(loc, name, type);
      function.setPrivate();
      getOperation().push_back(function);
    }
    func::CallOp::create(builder, loc, name, TypeRange(), arguments);
  }

  void replace(BucketOpInterface op, StringRef name, int64_t parameter) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    auto address = [&](Value buffer) -> Value {
      Value index = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
      return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
    };
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
    };
    for (auto [source, destination] : llvm::zip_equal(op.getInputs(), op.getDestinations())) {
      int64_t elements = cast<MemRefType>(source.getType()).getNumElements();
      call(builder, loc, "tiny_buffer", {address(source), address(destination), number(elements)});
    }
    call(builder, loc, name, number(parameter));
    op.erase();
  }
};

} // namespace

void tiny::addLowering(OpPassManager &passes) {
  passes.addPass(std::make_unique<ToLinalg>());
  passes.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  passes.addPass(createCanonicalizerPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  passes.addPass(bufferization::createOneShotBufferizePass(bufferize));
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.modifyPublicFunctions = true;
  passes.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  bufferization::buildBufferDeallocationPipeline(passes, {});
  passes.addPass(createConvertBufferizationToMemRefPass());
  // Behind the above: calls hide which buffers they use.
  passes.addPass(std::make_unique<ToCalls>());
  passes.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}
