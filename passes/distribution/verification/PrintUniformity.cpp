// distribute-print-uniformity: the analysis, readable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "lib/analysis/Shares.h"
#include "lib/analysis/Uniformity.h"
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
  /// What ranks hold of the values of the function, if that was asked for.
  std::optional<ShareAnalysis> known;

  void printValues(ValueRange values, const UniformityAnalysis &uniformity) {
    for (Value value : values)
      if (known)
        llvm::outs() << spellShare(known->get(value)) << " ";
      else
        llvm::outs() << (uniformity.isUniform(value) ? "uniform " : "varying ");
  }

  void print(FunctionOpInterface function, const UniformityAnalysis &uniformity, AsmState &names) {
    known.reset();
    if (shares)
      known.emplace(function, uniformity);
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
