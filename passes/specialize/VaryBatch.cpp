// The pass train-vary-batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/VaryBatch.h"

#include "dialects/train/Train.h"
#include "lib/program/BatchWork.h"
#include "passes/specialize/BatchFlow.h"
#include "passes/specialize/Passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tutti::specialize {
#define GEN_PASS_DEF_VARYBATCHPASS
#include "passes/specialize/Passes.h.inc"
} // namespace tutti::specialize

using namespace mlir;
using namespace tutti;
using namespace tutti::specialize;

/// The numbers of samples of all inputs, each once; dynamic ones too.
static SetVector<int64_t> batchesOf(ModuleOp module) {
  SetVector<int64_t> batches;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments())
      if (std::optional<unsigned> axis = program::getSampleAxis(argument))
        batches.insert(cast<RankedTensorType>(argument.getType()).getDimSize(*axis));
  return batches;
}

std::optional<BatchObstacle> tutti::specialize::varyBatch(ModuleOp module) {
  SetVector<int64_t> batches = batchesOf(module);
  if (batches.empty() || (batches.size() == 1 && ShapedType::isDynamic(batches.front())))
    return std::nullopt;
  if (batches.size() > 1) {
    std::string sizes = llvm::join(llvm::map_range(batches,
                                                   [](int64_t size) {
                                                     return ShapedType::isDynamic(size)
                                                                ? "?"
                                                                : std::to_string(size);
                                                   }),
                                   " and ");
    return BatchObstacle{module.getLoc(),
                         "the batch cannot vary: inputs have " + sizes + " samples",
                         std::max<int64_t>(batches.front(), 1)};
  }
  std::vector<BatchFlow> flows;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    flows.emplace_back(function, batches.front());
    std::optional<BatchObstacle> found = flows.back().find();
    if (!found)
      continue;
    for (BatchFlow &flow : flows)
      flow.revert();
    return found;
  }
  for (BatchFlow &flow : flows)
    flow.apply();
  for (auto dataset : module.getOps<train::DatasetOp>())
    if (!dataset.getGlobalBatch())
      dataset.setGlobalBatch(batches.front());
  return std::nullopt;
}

namespace {
struct VaryBatchPass : tutti::specialize::impl::VaryBatchPassBase<VaryBatchPass> {
  using VaryBatchPassBase::VaryBatchPassBase;

  void runOnOperation() override {
    if (llvm::all_of(batchesOf(getOperation()), ShapedType::isDynamic))
      return markAllAnalysesPreserved();
    std::optional<BatchObstacle> found = varyBatch(getOperation());
    if (found && !quiet)
      emitWarning(found->location) << found->problem;
  }
};
} // namespace
