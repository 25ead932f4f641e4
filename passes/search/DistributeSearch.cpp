// distribute-search: chooses keys, and becomes the pipeline that they ask for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Passes.h"

#include "lib/analysis/Remarks.h"
#include "passes/Pipelines.h"
#include "passes/search/Search.h"

#include "mlir/Pass/PassManager.h"

namespace tutti::search {
#define GEN_PASS_DEF_DISTRIBUTESEARCHPASS
#include "passes/search/Passes.h.inc"
} // namespace tutti::search

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

static LogicalResult distribute(ModuleOp module, OpPassManager &passes, StringRef keys) {
  auto complain = [&](const Twine &why) -> LogicalResult {
    return emitError(module.getLoc()) << why;
  };
  FailureOr<DistributeOptions> options = DistributeOptions::parse(keys, complain);
  if (failed(options))
    return failure();
  llvm::Error error = addDistributePipeline(passes, *options);
  return error ? complain(llvm::toString(std::move(error))) : success();
}

namespace {
struct DistributeSearch : search::impl::DistributeSearchPassBase<DistributeSearch> {
  using DistributeSearchPassBase::DistributeSearchPassBase;

  /// Nothing may be loaded once passes run.
  void getDependentDialects(DialectRegistry &registry) const override {
    addTriedDialects(registry);
  }

  void runOnOperation() override {
    if (failed(searchAndApply()))
      signalPassFailure();
  }

private:
  LogicalResult searchAndApply() {
    ModuleOp module = getOperation();
    FailureOr<Answer> answer =
        searchDistribution(module, {keys, cluster, ranks, memory, explainsTensors});
    if (failed(answer))
      return failure();
    priced += answer->priced;
    report(*answer);
    PassManager passes(module.getContext(), ModuleOp::getOperationName());
    return failed(distribute(module, passes, answer->best().keys)) ? failure() : passes.run(module);
  }

  static bool isCandidate(StringRef line) {
    return !line.starts_with("tensor") && !line.starts_with("one rank");
  }

  void report(const Answer &answer) {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step)
      return;
    remark::passed(step.getLoc(), remarkBy("distribute-search", step))
        << "step: " + answer.summary();
    for (const std::string &line : answer.lines())
      remark::analysis(step.getLoc(), remarkBy("distribute-search", step))
          << (isCandidate(line) ? "candidate " + line : line);
  }
};
} // namespace
