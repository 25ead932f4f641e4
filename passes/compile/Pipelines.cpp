// The pipeline `compile`, and why its order is so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/compile/Pipelines.h"

#include "lib/options/PassKeys.h"
#include "passes/bufferization/Passes.h"
#include "passes/codegen/Passes.h"
#include "passes/conversion/Passes.h"
#include "passes/memory/Passes.h"
#include "passes/specialize/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tutti::compile {

/// MLIR's canonicalizer without the pattern that compares each two values that a loop carries:
/// accumulation carries one for each variable. Where control flow is structured, there are no
/// branches between blocks to simplify.
static std::unique_ptr<Pass> createLinearCanonicalizerPass(
    GreedySimplifyRegionLevel branches = GreedySimplifyRegionLevel::Disabled) {
  return createCanonicalizerPass(GreedyRewriteConfig().setRegionSimplificationLevel(branches),
                                 {"(anonymous namespace)::RemoveDuplicateSuccessorInputUses"});
}

void addSpecializePipeline(OpPassManager &passes, const CompileOptions &options) {
  // What functions call becomes part of them: the runtime knows the buffers of those it calls.
  // First, so that the batch of callees becomes static, too.
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  passes.addPass(specialize::createSpecializeBatchPass({options.rankClass, options.localBatch}));
  // Static shapes let reshapes fold, and equal collectives merge: the plan is counted after this.
  passes.addPass(createLinearCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void addTensorLoweringPipeline(OpPassManager &passes) {
  // Before any function is lowered: those that servers run are none of a worker's.
  passes.addPass(conversion::createOutlinePrefetchPass());
  passes.addPass(conversion::createLowerPsPass());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  // Communication first, while everything is a value: the operands of completions keep buffers in
  // use, and what changes of axes leave behind is fused like other Linalg.
  functions.addPass(conversion::createLowerFuturesPass());
  functions.addPass(conversion::createLowerCollectiveAxesPass());
  // Optimizers on rows are optimizers still; they must stand before any of them is lowered.
  functions.addPass(conversion::createUpdateRowsPass());
  // While it is known what is a part of what.
  functions.addPass(conversion::createReusePartsPass());
  functions.addPass(conversion::createLowerRecurrencesPass());
  functions.addPass(conversion::createLowerOnnxPass());
  functions.addPass(conversion::createLowerTrainPass());
  // Passes that may not know ONNX write arith on tensors; it must be Linalg before fusion looks at
  // it.
  functions.addPass(createConvertElementwiseToLinalgPass());
  functions.addPass(createLinearCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(codegen::createFuseElementwisePass());
  functions.addPass(createCSEPass());
}

void addMemoryPlanPipeline(OpPassManager &passes, const CompileOptions &options) {
  addTensorLoweringPipeline(passes);
  // After fusion: a variable's last reader is known, and fused loops have their final destinations.
  passes.addPass(bufferization::createBindVariablesPass({options.offloadsStates}));
  // What branches give is as dense as what they allocate.
  mlir::bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.unknownTypeConversion = mlir::bufferization::LayoutMapOption::IdentityLayoutMap;
  passes.addPass(mlir::bufferization::createOneShotBufferizePass(bufferize));
  // Bufferization leaves copies of a buffer onto itself, which canonicalisation drops; they would
  // count as uses.
  OpPassManager &buffers = passes.nest<func::FuncOp>();
  buffers.addPass(createLinearCanonicalizerPass());
  buffers.addPass(createCSEPass());
  // Before loops over elements: one op is one moment, so liveness is exact.
  memory::PlanMemoryPassOptions plan;
  plan.recordsLayout = options.recordsLayout;
  plan.budget = options.arenaBytes;
  buffers.addPass(memory::createPlanMemoryPass(plan));
  // While one op is one moment, and each operation still stands where its buffers are.
  codegen::OffloadStatesPassOptions offload;
  offload.keptBytes = options.keptStates;
  if (options.offloadsStates)
    passes.addPass(codegen::createOffloadStatesPass(offload));
}

void addLoweringPipeline(OpPassManager &passes, const CompileOptions &options) {
  addMemoryPlanPipeline(passes, options);
  // After the plan, so that it is known which buffers share no memory; before loops, so that each
  // kind of nest is written, lowered and optimised once.
  if (options.outlineLoops)
    passes.addPass(codegen::createOutlineLoopsPass());
  OpPassManager &loops = passes.nest<func::FuncOp>();
  loops.addPass(codegen::createLowerLoopsPass());
  // Views that change the shape become plain descriptions of memory, which is all that LLVM
  // conversion knows.
  loops.addPass(memref::createExpandStridedMetadataPass());
  loops.addPass(createLowerAffinePass()); // where a part of a buffer begins, if that is computed
  loops.addPass(createLinearCanonicalizerPass());
  passes.addPass(codegen::createLowerToLLVMPass());
  passes.addPass(createLinearCanonicalizerPass(GreedySimplifyRegionLevel::Normal));
  if (options.valuesOutside)
    passes.addPass(codegen::createTakeValuesOutPass());
}

void addCompilePipeline(OpPassManager &passes, const CompileOptions &options) {
  addSpecializePipeline(passes, options);
  addLoweringPipeline(passes, options);
}

options::KeyTable CompileOptions::keys() {
  options::KeyTable keys("--compile");
  keys.addChoice("rank-class", rankClass, {{"ceil", "ceil"}, {"floor", "floor"}},
                 "Which local batch of policy weighted");
  keys.addCount("local-batch", localBatch, 0, "Local batch to take; 0: derive it");
  keys.addCount(
      "arena-bytes", arenaBytes, 0,
      "Bytes for the temporary buffers of a function, which computes values again to keep "
      "to them; 0: as many as it needs");
  keys.addFlag("offload-states", offloadsStates,
               "Say where the uses of optimizer states are over, so that they can lie in a file");
  keys.addCount("kept-states", keptStates, 0,
                "With offload-states: so many bytes of states stay in memory");
  keys.addFlag("outline-loops", outlineLoops, "One function of all loop nests that are alike");
  keys.addFlag("values-outside", valuesOutside, "Large constants are what the host gives");
  return keys;
}

void registerCompilePipeline() {
  registerPassPipeline(
      "compile", "Lower a program that is specialised for its ranks to the LLVM dialect",
      [](OpPassManager &passes, StringRef text, options::Complain complain) -> LogicalResult {
        CompileOptions options;
        if (llvm::Error error = options::checkTakesModules(passes, "--compile"))
          return complain(llvm::toString(std::move(error)));
        if (failed(options.keys().parse(text, complain)))
          return failure();
        addCompilePipeline(passes, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> describe) {
        describe(EmptyPipelineOptions());
      });
}

} // namespace tutti::compile
