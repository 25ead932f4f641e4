// distribute-local-sgd: communication every few steps only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/accumulation/LocalTraining.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_LOCALSGDPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct LocalSgd : distribution::impl::LocalSgdPassBase<LocalSgd> {
  using LocalSgdPassBase::LocalSgdPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(verifyRequest()) ||
        failed(verifyLocalTraining(*program, getAnalysis<UniformityAnalysis>())))
      return signalPassFailure();
    FailureOr<RankMean> mean = RankMean::find(*program);
    if (failed(mean))
      return signalPassFailure();
    scaleSums(*program, *mean);
    localVariables += localizeVariables(*program);
    size_t averaged = averageVariables(*program, averageStates, *mean, every);
    averagedVariables += averaged;
    report(*program, averaged);
  }

private:
  LogicalResult verifyRequest() {
    Location loc = getOperation().getLoc();
    if (every < 1)
      return mlir::emitError(loc) << "every must be 1 or more, got " << every.getValue();
    if (collective::lookupWorldSize(getOperation()))
      return success();
    return mlir::emitError(loc)
           << "distribute-local-sgd needs the number of ranks: run specialize-world first, or "
              "let --distribute=\"local-sgd="
           << every.getValue() << "\" put it off until launch";
  }

  void report(Program program, size_t averaged) const {
    auto isLocal = [](VariableResult variable) { return !variable.role.isReplicated(); };
    remark::passed(program.step.getLoc(), remarkBy(getArgument(), program.step))
        << llvm::formatv("{0} of {1} variables of which each rank has its own are averaged every "
                         "{2} steps",
                         averaged, llvm::count_if(getVariableResults(program.step), isLocal),
                         every.getValue())
               .str();
  }
};
} // namespace
