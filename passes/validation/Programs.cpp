// Specialises and lowers copies of a program, as a launch does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Programs.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/ProgramClaims.h"
#include "passes/compile/Pipelines.h"
#include "passes/specialize/Passes.h"
#include "passes/validation/Validate.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tutti;
using namespace tutti::validation;

//===----------------------------------------------------------------------===//
// Who takes which samples
//===----------------------------------------------------------------------===//

std::vector<int64_t> Sharing::samplesOf(int64_t rank) const {
  if (isFixed) {
    std::vector<int64_t> all(samplesPerStep);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  rank /= neighbours;
  int64_t least = samplesPerStep / ranks, rest = samplesPerStep % ranks;
  int64_t count = least + (rank < rest ? 1 : 0);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i)
    places.push_back(mode == train::ShardMode::Strided ? rank + i * ranks
                                                       : rank * least + std::min(rank, rest) + i);
  return places;
}

int64_t tutti::validation::countParts(ModuleOp program) {
  int64_t parts = 1;
  program.walk([&](train::MicroBatchOp op) { parts = std::lcm(parts, int64_t(op.getParts())); });
  return parts;
}

std::optional<int64_t> tutti::validation::findFixedBatch(ModuleOp program) {
  auto step = program.lookupSymbol<func::FuncOp>("step");
  for (BlockArgument argument : step.getArguments()) {
    auto input = step.getArgAttrOfType<train::InputAttr>(argument.getArgNumber(),
                                                         train::TrainDialect::kInput);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (input && type && input.getAxis() < type.getRank() && !type.isDynamicDim(input.getAxis()))
      return type.getDimSize(input.getAxis());
  }
  return std::nullopt;
}

/// Samples that the ranks compute together of a global batch.
static int64_t samplesOf(int64_t batch, int64_t ranks, train::BatchPolicy policy) {
  switch (policy) {
  case train::BatchPolicy::Drop:
    return batch / ranks * ranks;
  case train::BatchPolicy::Pad:
    return llvm::divideCeil(batch, ranks) * ranks;
  case train::BatchPolicy::Error:
  case train::BatchPolicy::Weighted:
    return batch;
  }
  return batch;
}

int64_t tutti::validation::countNeighbours(ModuleOp program) {
  if (auto mesh = program->getAttrOfType<DenseI64ArrayAttr>(train::kMesh))
    return mesh[1];
  auto parts = program->getAttrOfType<IntegerAttr>(train::kTensorParts);
  return parts ? parts.getInt() : 1;
}

Sharing tutti::validation::chooseSharing(ModuleOp program, int64_t ranks) {
  Sharing sharing;
  sharing.neighbours = countNeighbours(program);
  ranks = std::max<int64_t>(ranks / sharing.neighbours, 1);
  sharing.ranks = ranks;
  for (auto dataset : program.getOps<train::DatasetOp>()) {
    if (std::optional<train::ShardAttr> shard = dataset.getShard()) {
      sharing.mode = shard->getMode();
      sharing.policy = shard->getPolicy();
    }
  }
  if (std::optional<int64_t> fixed = findFixedBatch(program)) {
    sharing.isFixed = true;
    sharing.samplesPerStep = *fixed;
    sharing.globalBatch = *fixed * ranks;
    return sharing;
  }
  int64_t parts = countParts(program);
  bool hasRest = sharing.policy != train::BatchPolicy::Error && parts == 1;
  // A program that is made for its ranks weighs all samples alike if they divide its own batch.
  bool isMade = collective::lookupWorldSize(program).value_or(1) > 1;
  for (auto dataset : program.getOps<train::DatasetOp>())
    if (std::optional<uint64_t> batch = dataset.getGlobalBatch())
      hasRest &= !isMade || *batch % ranks != 0;
  sharing.globalBatch = 2 * ranks * parts + (hasRest ? 1 : 0);
  sharing.samplesPerStep = samplesOf(sharing.globalBatch, ranks, sharing.policy);
  return sharing;
}

//===----------------------------------------------------------------------===//
// Ready programs
//===----------------------------------------------------------------------===//

static void setGlobalBatch(ModuleOp module, int64_t batch) {
  for (auto dataset : module.getOps<train::DatasetOp>())
    dataset.setGlobalBatchAttr(IntegerAttr::get(IntegerType::get(module.getContext(), 64), batch));
}

/// What is not compared.
static void eraseOthers(ModuleOp module) {
  if (!findDrawOfEvaluation(module).empty())
    module.lookupSymbol("evaluate")->erase();
  for (StringRef name : {"initialize", "forward"})
    if (Operation *function = module.lookupSymbol(name))
      function->erase();
}

/// Without warnings: what a key does to a batch of a few samples is nothing to warn of.
static LogicalResult run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  build(passes);
  return passes.run(module);
}

FailureOr<std::unique_ptr<ReadyProgram>> ReadyProgram::make(ModuleOp program,
                                                            const Sharing &sharing, int64_t ranks,
                                                            int64_t localBatch, bool isCeil) {
  auto ready = std::make_unique<ReadyProgram>();
  ready->source = program.clone();
  setGlobalBatch(*ready->source, sharing.globalBatch);
  if (ranks == 1) // one device is the reference, whatever the mesh
    (*ready->source)->removeAttr(train::kMesh);
  if (failed(run(*ready->source, [&](OpPassManager &passes) {
        passes.addPass(specialize::createSpecializeWorldPass({ranks}));
      })))
    return failure();
  ready->module = ready->source->clone();
  eraseOthers(*ready->module);
  compile::CompileOptions options;
  options.rankClass = isCeil ? "ceil" : "floor";
  options.localBatch = localBatch;
  if (failed(run(*ready->module, [&](OpPassManager &passes) {
        compile::addSpecializePipeline(passes, options);
        compile::addTensorLoweringPipeline(passes);
      })))
    return failure();
  ready->lowered = std::make_unique<interpreter::PreparedModule>(*ready->module);
  return ready;
}

func::FuncOp ReadyProgram::step() { return module->lookupSymbol<func::FuncOp>("step"); }

func::FuncOp ReadyProgram::evaluate() { return module->lookupSymbol<func::FuncOp>("evaluate"); }
