// collective-choose: of several ways to communicate, the one that the cost model finds fastest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "lib/analysis/Remarks.h"
#include "lib/diagnostics/QuietDiagnostics.h"
#include "lib/program/PassesByName.h"
#include "passes/planning/Alternatives.h"
#include "passes/planning/Passes.h"
#include "passes/planning/Prediction.h"
#include "passes/planning/StepPrices.h"

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

LogicalResult runOn(ModuleOp module, ArrayRef<std::string> texts, std::string &problem) {
  auto complain = [&](const Twine &why) -> LogicalResult { return problem = why.str(), failure(); };
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  for (const std::string &text : texts)
    if (failed(program::addPassByName(module.getContext(), text, passes, complain)))
      return failure();
  return passes.run(module);
}

/// What `alternative` asks of a program to which its strategy is applied.
FailureOr<Bundling> bundlingOf(const Alternative &alternative, std::string &problem) {
  auto complain = [&](const Twine &why) -> LogicalResult { return problem = why.str(), failure(); };
  Bundling bundling;
  bundling.overlaps = alternative.overlaps;
  if (!alternative.buckets.empty()) {
    auto request = communication::parseBucketRequest(alternative.buckets, complain);
    if (failed(request))
      return failure();
    bundling.buckets = *request;
  }
  int64_t ranks = 0;
  if (alternative.hierarchy.empty())
    return bundling;
  if (StringRef(alternative.hierarchy).getAsInteger(10, ranks))
    return complain("hierarchy: expected none, auto or a number of ranks, not " +
                    alternative.hierarchy);
  bundling.ranksPerNode = ranks;
  return bundling;
}

/// Tries alternatives. Strategies change what a step computes: each is applied to a copy. Where
/// collectives go is only priced.
class Trials {
public:
  Trials(ModuleOp module, const cost::Cluster &cluster, int64_t ranks)
      : module(module), cluster(cluster), ranks(ranks) {}

  /// What goes wrong is said by the remark, if at all.
  Trial attempt(const Alternative &alternative) {
    Trial trial{alternative, std::nullopt, ""};
    diagnostics::QuietDiagnostics quiet(module.getContext(), &trial.problem);
    if (strategy != alternative.strategy)
      take(alternative.strategy, trial.problem);
    else
      trial.problem = problem;
    FailureOr<Bundling> bundling = bundlingOf(alternative, trial.problem);
    if (prices && succeeded(bundling))
      trial.time = prices->of(*bundling, trial.problem);
    return trial;
  }

private:
  /// Makes the prices of the program with `text`.
  void take(const std::string &text, std::string &why) {
    strategy = text;
    prices.reset();
    ModuleOp program = module;
    if (!text.empty()) {
      copy = module.clone();
      program = *copy;
    }
    if (text.empty() || succeeded(runOn(program, text, why)))
      prices.emplace(program, cluster, ranks);
    problem = why;
  }

  ModuleOp module;
  const cost::Cluster &cluster;
  int64_t ranks;
  OwningOpRef<ModuleOp> copy;
  std::optional<std::string> strategy; ///< of the prices
  std::optional<StepPrices> prices;    ///< none if the strategy cannot be applied
  std::string problem;                 ///< why
};

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
    Trials prices(module, *described, *ranks);
    for (const Alternative &alternative :
         alternativesFor(module, {buckets, hierarchy, shardOptimizer, overlap}, *described, *ranks))
      trials.push_back(prices.attempt(alternative));
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
    if (succeeded(runOn(getOperation(), best->alternative.passes(), problem)))
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
