// collective-emit-plan: the plan of a program, with predictions where a cluster is described.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "lib/output/OutputFile.h"
#include "passes/planning/Passes.h"
#include "passes/planning/Report.h"

#include "llvm/Support/FormatVariadic.h"

namespace tutti::planning {
#define GEN_PASS_DEF_COLLECTIVEEMITPLANPASS
#include "passes/planning/Passes.h.inc"
} // namespace tutti::planning

using namespace mlir;
using namespace tutti;
using namespace tutti::planning;

/// Adds what the model says to `report`.
static LogicalResult predict(ModuleOp module, const cost::Cluster &cluster, Report &report) {
  if (report.ranks == 0)
    report.ranks = cluster.ranks();
  if (cluster.nodesFor(report.ranks) > 1 && !cluster.network)
    return emitError(module.getLoc())
           << report.ranks << " ranks need " << cluster.nodesFor(report.ranks)
           << " nodes, but the cluster file describes no network between nodes: it lacks the key "
           << "'levels.network'";
  cost::predictPlan(report.plan, module, cluster, report.ranks);
  Scaling scaling(module, cluster);
  report.step = scaling.predict(report.ranks);
  if (report.step)
    report.scaling = scaling.predictAll(report.ranks);
  if (!scaling.problem().empty())
    emitWarning(module.getLoc()) << "the step's time is not predicted: " << scaling.problem();
  return success();
}

FailureOr<Report> planning::reportOn(ModuleOp program, StringRef clusterFile, int64_t ranks) {
  Report report;
  report.plan = program::extractPlan(program);
  report.servers = program::extractServerPlan(program);
  std::optional<int64_t> own = ranksOf(program);
  if (own && ranks > 0 && ranks != *own)
    return emitError(program.getLoc()) << "a plan for " << ranks << " ranks was asked for, but the "
                                       << "program is made for " << *own;
  report.ranks = own.value_or(std::max<int64_t>(ranks, 0));
  if (clusterFile.empty()) {
    cost::nameWays(report.plan, program, report.ranks);
    return report;
  }
  llvm::Expected<cost::Cluster> cluster = cost::readCluster(clusterFile);
  if (!cluster)
    return emitError(program.getLoc()) << llvm::toString(cluster.takeError());
  if (failed(predict(program, *cluster, report)))
    return failure();
  cost::nameWays(report.plan, program, report.ranks, &*cluster);
  return report;
}

LogicalResult planning::addRepeats(ModuleOp program, StringRef clusterFile,
                                   const MemoryMeasures &memory, Report &report) {
  if (!report.step || memory.arenaBytes == 0)
    return success();
  llvm::Expected<cost::Cluster> cluster = cost::readCluster(clusterFile);
  if (!cluster)
    return emitError(program.getLoc()) << llvm::toString(cluster.takeError());
  std::string why;
  std::optional<double> seconds = secondsOfRepeats(program, memory, *cluster, report.ranks, why);
  if (!seconds)
    return emitError(program.getLoc()) << why;
  report.repeating = *seconds;
  report.step->step += *seconds;
  report.step->compute += *seconds;
  return success();
}

/// Whole or absent.
static llvm::Error write(StringRef path, function_ref<void(llvm::raw_ostream &)> print) {
  if (path.empty())
    return llvm::Error::success();
  llvm::Expected<OutputFile> file = OutputFile::open(path);
  if (!file)
    return file.takeError();
  print(file->stream());
  return file->commit();
}

namespace {
struct CollectiveEmitPlan : planning::impl::CollectiveEmitPlanPassBase<CollectiveEmitPlan> {
  using CollectiveEmitPlanPassBase::CollectiveEmitPlanPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    FailureOr<Report> report = reportOn(getOperation(), cluster, ranks);
    if (failed(report) || failed(writeFiles(*report)))
      signalPassFailure();
  }

private:
  LogicalResult writeFiles(const Report &report) {
    llvm::Error error = write(file, [&](llvm::raw_ostream &out) {
      out << llvm::formatv("{0:2}", toJson(report)) << "\n";
    });
    if (!error)
      error = write(table, [&](llvm::raw_ostream &out) { printReport(report, out); });
    if (error)
      return emitError(getOperation().getLoc())
             << "the plan cannot be written: " << llvm::toString(std::move(error));
    return success();
  }
};
} // namespace
