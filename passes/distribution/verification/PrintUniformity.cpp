// distribute-print-uniformity: the analysis, readable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "lib/analysis/Uniformity.h"
#include "lib/layout/SampleRoles.h"
#include "mlir/IR/AsmState.h"
#include "passes/distribution/Passes.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_PRINTUNIFORMITYPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;

namespace {
struct PrintUniformity : distribution::impl::PrintUniformityPassBase<PrintUniformity> {
  using PrintUniformityPassBase::PrintUniformityPassBase;

  void runOnOperation() override {
    const auto &uniformity = getAnalysis<UniformityAnalysis>();
    AsmState names(getOperation(), OpPrintingFlags().skipRegions());
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](FunctionOpInterface function) { print(function, uniformity, names); });
    markAllAnalysesPreserved();
  }

private:
  /// How the values of a step lie, if that was asked for.
  std::optional<SampleRoles> known;

  std::string spell(Value value, const UniformityAnalysis &uniformity) const {
    if (!layouts)
      return uniformity.isUniform(value) ? "uniform" : "varying";
    if (uniformity.isUniform(value))
      return "Replicate";
    Layout layout = known ? known->get(value) : Layout::own();
    return spellLayout(layout.isReplicate() ? Layout::own() : layout);
  }

  void printValues(ValueRange values, const UniformityAnalysis &uniformity) {
    for (Value value : values)
      llvm::outs() << spell(value, uniformity) << " ";
  }

  void print(FunctionOpInterface function, const UniformityAnalysis &uniformity, AsmState &names) {
    known.reset();
    auto step = dyn_cast<func::FuncOp>(function.getOperation());
    bool isFollowed = layouts && step && step.getName() == "step" && !step.isExternal() &&
                      step.getBody().hasOneBlock();
    if (isFollowed)
      known.emplace(step, /*isDistributed=*/true);
    llvm::outs() << "@" << function.getName() << "\n";
    for (Region &region : function->getRegions())
      for (Block &block : region)
        print(block, uniformity, names, 1);
  }

  void print(Block &block, const UniformityAnalysis &uniformity, AsmState &names, unsigned depth) {
    for (BlockArgument argument : block.getArguments()) {
      llvm::outs().indent(2 * depth);
      printValues(argument, uniformity);
      argument.printAsOperand(llvm::outs() << "argument ", names);
      llvm::outs() << "\n";
    }
    for (Operation &op : block) {
      llvm::outs().indent(2 * depth) << (uniformity.getDivergence(&op) ? "divergent " : "");
      printValues(op.getResults(), uniformity);
      op.print(llvm::outs(), names);
      llvm::outs() << "\n";
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          print(inner, uniformity, names, depth + 1);
    }
  }
};
} // namespace
