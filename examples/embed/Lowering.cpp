// From `tiny` to LLVM: tensors become Linalg, then buffers, then loops; exchanges become calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"
#include "tutti/passes/Embedding.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tiny;

static Value fill(ImplicitLocOpBuilder &builder, RankedTensorType type, float number) {
  return arith::ConstantOp::create(builder, DenseElementsAttr::get(type, number));
}

static LogicalResult lowerGradient(GradientOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  RankedTensorType rows = op.getLabels().getType();
  auto guess = linalg::MatvecOp::create(builder, ValueRange{op.getSamples(), op.getWeights()},
                                        fill(builder, rows, 0));
  Value miss = arith::SubFOp::create(builder, guess.getResult(0), op.getLabels());
  Value part = arith::MulFOp::create(builder, miss, fill(builder, rows, 2.0f / rows.getDimSize(0)));
  rewriter.replaceOpWithNewOp<linalg::VecmatOp>(op, ValueRange{part, op.getSamples()},
                                                fill(builder, op.getType(), 0));
  return success();
}

static LogicalResult lowerProduct(ProductOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  rewriter.replaceOpWithNewOp<linalg::MatmulOp>(op, op->getOperands(),
                                                fill(builder, op.getType(), 0));
  return success();
}

static LogicalResult lowerTurn(TurnOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  Value into = fill(builder, op.getType(), 0);
  rewriter.replaceOpWithNewOp<linalg::TransposeOp>(op, op.getA(), into, ArrayRef<int64_t>{1, 0});
  return success();
}

static LogicalResult lowerMiss(MissOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  Value miss = arith::SubFOp::create(builder, op.getGuesses(), op.getLabels());
  float share = 2.0f / op.getType().getDimSize(0);
  rewriter.replaceOpWithNewOp<arith::MulFOp>(op, miss, fill(builder, op.getType(), share));
  return success();
}

static LogicalResult lowerRank(RankOp op, PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<func::CallOp>(op, "tiny_rank", op.getType(), ValueRange());
  return success();
}

static LogicalResult lowerDescend(DescendOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  Value rate = tensor::ExtractOp::create(builder, op.getLearningRate());
  Value rates = tensor::SplatOp::create(builder, rate, op.getType());
  Value change = arith::MulFOp::create(builder, op.getGradient(), rates);
  rewriter.replaceOpWithNewOp<arith::SubFOp>(op, op.getVariable(), change);
  return success();
}

/// A call for each buffer of the bucket, then one for the collective, which works in place.
static LogicalResult lowerExchange(ExchangeOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  tutti::CommunicationForm form = op.getForm();
  if (!tutti::isKind(op,
                     {tutti::CommunicationKind::AllReduce, tutti::CommunicationKind::Broadcast}))
    return op.emitOpError("has no lowering in this compiler");
  if (!tutti::findGroup(op, form.group).isOfWholeWorld())
    return op.emitOpError("is among some of the ranks, which has no lowering in this compiler");
  auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, value); };
  SmallVector<Value> buffers, outputs;
  for (Value input : op.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    auto memory = MemRefType::get(type.getShape(), type.getElementType());
    Value buffer = buffers.emplace_back(memref::AllocOp::create(builder, memory));
    bufferization::MaterializeInDestinationOp::create(builder, Type(), input, buffer,
                                                      /*restrict=*/true, /*writable=*/true);
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, buffer);
    func::CallOp::create(builder, "tiny_buffer", TypeRange(),
                         ValueRange{address, number(type.getNumElements())});
  }
  int64_t how = form.reduction ? int64_t(*form.reduction) : form.root;
  func::CallOp::create(builder, "tiny_exchange", TypeRange(),
                       ValueRange{number(form.reduction.has_value()), number(how)});
  for (auto [buffer, type] : llvm::zip(buffers, op.getResultTypes()))
    outputs.push_back(bufferization::ToTensorOp::create(builder, type, buffer, /*restrict=*/true));
  rewriter.replaceOp(op, outputs);
  return success();
}

LogicalResult tiny::lower(ModuleOp module) {
  module->getContext()->loadAllAvailableDialects(); // patterns may write only what is loaded
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  auto type = builder.getFunctionType({builder.getIndexType(), builder.getIndexType()}, {});
  for (StringRef name : {"tiny_buffer", "tiny_exchange"})
    func::FuncOp::create(builder, module.getLoc(), name, type).setPrivate();
  auto answer = builder.getFunctionType({}, builder.getIndexType());
  func::FuncOp::create(builder, module.getLoc(), "tiny_rank", answer).setPrivate();
  RewritePatternSet patterns(module.getContext());
  patterns.add(lowerGradient).add(lowerProduct).add(lowerTurn).add(lowerMiss).add(lowerRank);
  patterns.add(lowerDescend).add(lowerExchange);
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return failure();
  module.walk([&](tensor::ExtractSliceOp slice) { // blocks of variables are buffers of their own
    builder.setInsertionPointAfter(slice);
    ImplicitLocOpBuilder after(slice.getLoc(), builder);
    Value into = fill(after, slice.getType(), 0);
    auto copy = linalg::CopyOp::create(after, slice.getResult(), into);
    slice.getResult().replaceAllUsesExcept(copy.getResult(0), copy);
  });
  tutti::program::eraseRoles(module); // and the group, which nothing uses any more

  PassManager passes(module.getContext());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.modifyPublicFunctions = true;
  passes.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  passes.addPass(bufferization::createOneShotBufferizePass(bufferize));
  passes.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  bufferization::buildBufferDeallocationPipeline(passes, {});
  passes.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertFuncToLLVMPass({/*useBarePtrCallConv=*/true}));
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(module);
}
