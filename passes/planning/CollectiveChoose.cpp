// collective-choose: of several ways to communicate, the one that the cost model finds fastest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/PassesByName.h"
#include "passes/planning/Alternatives.h"
#include "passes/planning/Passes.h"
#include "passes/planning/Prediction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

namespace tutti::planning {
#define GEN_PASS_DEF_COLLECTIVECHOOSEPASS
#include "passes/planning/Passes.h.inc"
} // namespace tutti::planning

using namespace mlir;
using namespace tutti;
using namespace tutti::planning;

namespace {

/// An alternative that was tried.
struct Trial {
  Alternative alternative;
  std::optional<cost::StepTime> time;
  std::string problem; ///< why there is no time
};

/// Differences below this share are not worth a change.
constexpr double kTie = 1e-3;

LogicalResult runOn(ModuleOp module, const Alternative &alternative, std::string &problem) {
  auto complain = [&](const Twine &why) -> LogicalResult { return problem = why.str(), failure(); };
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  for (const std::string &text : alternative.passes)
    if (failed(program::addPassByName(module.getContext(), text, passes, complain)))
      return failure();
  return passes.run(module);
}

/// What goes wrong in a trial is said by the remark, if at all.
Trial attempt(const Alternative &alternative, ModuleOp module, const cost::Cluster &cluster,
              int64_t ranks) {
  Trial trial{alternative, std::nullopt, ""};
  OwningOpRef<ModuleOp> copy = module.clone();
  ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && trial.problem.empty())
      trial.problem = diagnostic.str();
    return success();
  });
  if (failed(runOn(*copy, alternative, trial.problem)))
    return trial;
  if (OwningOpRef<ModuleOp> lowered = lowerForCosts(*copy, {ranks, 0}, trial.problem))
    trial.time = cost::timeOfStep(*lowered, cluster, ranks);
  return trial;
}

const Trial *fastest(ArrayRef<Trial> trials) {
  const Trial *best = nullptr;
  for (const Trial &trial : trials)
    if (trial.time && (!best || trial.time->step < best->time->step * (1 - kTie)))
      best = &trial;
  return best;
}

std::string describe(const Trial &trial) {
  if (!trial.time)
    return trial.alternative.name + ": not possible (" +
           StringRef(trial.problem).split('\n').first.str() + ")";
  return llvm::formatv("{0}: {1:f3} ms", trial.alternative.name, trial.time->step * 1e3);
}

struct CollectiveChoose : planning::impl::CollectiveChoosePassBase<CollectiveChoose> {
  using CollectiveChoosePassBase::CollectiveChoosePassBase;

  void runOnOperation() override {
    if (failed(choose()))
      signalPassFailure();
  }

private:
  LogicalResult choose() {
    ModuleOp module = getOperation();
    std::optional<int64_t> ranks = ranksOf(module);
    if (!ranks)
      return emitError(module.getLoc())
             << "'collective-choose' needs the number of ranks: run specialize-world first, or let "
                "--distribute=\"...\" put it off until launch";
    if (*ranks == 1)
      return success();
    FailureOr<cost::Cluster> described = readDescription(*ranks);
    if (failed(described))
      return failure();
    std::vector<Trial> trials;
    for (const Alternative &alternative :
         alternativesFor(module, {buckets, hierarchy, shardOptimizer, overlap}, *described, *ranks))
      trials.push_back(attempt(alternative, module, *described, *ranks));
    alternatives += trials.size();
    return apply(trials, *ranks);
  }

  FailureOr<cost::Cluster> readDescription(int64_t ranks) {
    Location place = getOperation().getLoc();
    if (cluster.empty())
      return emitError(place) << "'collective-choose' needs a description of the cluster: give "
                                 "cluster=FILE, as dist-run --calibrate writes it";
    llvm::Expected<cost::Cluster> read = cost::readCluster(cluster);
    if (!read)
      return emitError(place) << llvm::toString(read.takeError());
    if (read->nodesFor(ranks) > 1 && !read->network)
      return emitError(place) << "'collective-choose': " << ranks << " ranks need "
                              << read->nodesFor(ranks) << " nodes, but '" << cluster
                              << "' lacks the key 'levels.network'";
    return *read;
  }

  LogicalResult apply(ArrayRef<Trial> trials, int64_t ranks) {
    const Trial *best = fastest(trials);
    if (!best)
      return emitError(getOperation().getLoc())
             << "'collective-choose' finds no way to communicate whose time it can predict: "
             << describe(trials.front());
    report(*best, trials, ranks);
    std::string problem;
    if (succeeded(runOn(getOperation(), best->alternative, problem)))
      return success();
    return problem.empty() ? failure() : emitError(getOperation().getLoc()) << problem;
  }

  void report(const Trial &best, ArrayRef<Trial> trials, int64_t ranks) {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step)
      return;
    std::string others;
    llvm::raw_string_ostream out(others);
    for (const Trial &trial : trials)
      if (&trial != &best)
        out << "; " << describe(trial);
    remark::passed(step.getLoc(), remarkBy("collective-choose", step))
        << llvm::formatv(
               "step: chose {0} for {1} ranks, {2:f3} ms predicted, {3:f3} ms of it exposed "
               "communication{4}",
               best.alternative.name, ranks, best.time->step * 1e3, best.time->exposed * 1e3,
               others)
               .str();
  }
};
} // namespace
