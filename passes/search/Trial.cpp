// Runs the pipelines of --distribute and of a launch on copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Trial.h"

#include "lib/diagnostics/QuietRemarks.h"
#include "lib/execution/Manifest.h"
#include "passes/Pipelines.h"
#include "passes/compile/Pipelines.h"
#include "passes/planning/Prediction.h"
#include "passes/specialize/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

namespace {
/// Keeps what passes say from the user; the first error is the problem of the candidate.
class Unheard {
public:
  Unheard(MLIRContext *context, std::string &problem)
      : handler(context, [&problem](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && problem.empty())
            problem = StringRef(diagnostic.str()).split('\n').first.str();
          return success();
        }) {}

private:
  ScopedDiagnosticHandler handler;
  diagnostics::QuietRemarks remarks;
};
} // namespace

static const char *const kNoReason = "a pass fails without a reason";

/// Runs what `build` adds on `module`.
static LogicalResult
runUnheard(ModuleOp module,
           llvm::function_ref<LogicalResult(OpPassManager &, options::Complain)> build,
           std::string &problem) {
  Unheard unheard(module.getContext(), problem);
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(false); // for a program that nobody sees
  auto complain = [&](const Twine &why) -> LogicalResult {
    if (problem.empty())
      problem = why.str();
    return failure();
  };
  if (succeeded(build(passes, complain)) && succeeded(passes.run(module)))
    return success();
  return complain(kNoReason);
}

OwningOpRef<ModuleOp> Trials::distribute(Candidate &candidate) {
  Unheard unheard(program.getContext(), candidate.problem);
  PassManager first(program.getContext(), ModuleOp::getOperationName()),
      last(program.getContext(), ModuleOp::getOperationName());
  first.enableVerifier(false); // for a program that nobody sees
  last.enableVerifier(false);
  auto complain = [&](const Twine &why) -> LogicalResult {
    return candidate.problem = why.str(), failure();
  };
  FailureOr<DistributeOptions> options = DistributeOptions::parse(candidate.keys, complain);
  if (failed(options))
    return nullptr;
  if (llvm::Error error = addDistributePasses(first, last, *options))
    return (void)complain(llvm::toString(std::move(error))), nullptr;
  std::string text;
  llvm::raw_string_ostream stream(text);
  first.printAsTextualPipeline(stream);
  auto [place, isNew] = starts.try_emplace(text);
  Start &start = place->second;
  if (isNew) {
    start.program = program.clone();
    Unheard own(program.getContext(), start.problem);
    if (failed(first.run(*start.program)))
      start.program = nullptr;
  }
  if (!start.program)
    return (void)complain(start.problem.empty() ? std::string(kNoReason) : start.problem), nullptr;
  OwningOpRef<ModuleOp> copy = start.program->clone();
  if (succeeded(last.run(*copy)))
    return copy;
  if (candidate.problem.empty())
    candidate.problem = kNoReason;
  return nullptr;
}

/// Seconds of what a step communicates if nothing but the bytes takes time.
static double timeOfBytes(std::vector<program::PlanEntry> plan, ModuleOp module,
                          cost::Cluster cluster, int64_t ranks) {
  auto letFly = [](cost::Level &level) { level.latency = level.overhead = level.processor = 0; };
  letFly(cluster.node);
  if (cluster.network)
    letFly(*cluster.network);
  cost::predictPlan(plan, module, cluster, ranks);
  return std::max(0.0, program::totalOf(plan, "step").predictedSeconds);
}

void Trials::price(Candidate &candidate) {
  OwningOpRef<ModuleOp> copy = distribute(candidate);
  if (!copy)
    return;
  diagnostics::QuietRemarks quiet;
  if (failed(planning::specializeCopy(*copy, {ranks, 0}, candidate.problem)))
    return;
  candidate.plan = program::extractPlan(*copy);
  cost::predictPlan(candidate.plan, *copy, cluster, ranks);
  candidate.leastTravel = timeOfBytes(candidate.plan, *copy, cluster, ranks);
  int64_t bytes = program::totalOf(candidate.plan, "step").bytes;
  if (bytes != program::PlanEntry::unknown)
    candidate.bytes = bytes;
  if (succeeded(planning::lowerSpecialized(*copy, candidate.problem)))
    candidate.time = cost::timeOfStep(*copy, cluster, ranks);
}

/// Specialised for `ranks`, of static shapes, with all its functions.
LogicalResult Trials::makeStatic(ModuleOp module, std::string &problem) {
  return runUnheard(
      module,
      [&](OpPassManager &passes, options::Complain) {
        if (!planning::ranksOf(module)) {
          specialize::SpecializeWorldPassOptions world;
          world.ranks = ranks;
          passes.addPass(specialize::createSpecializeWorldPass(world));
        }
        compile::addSpecializePipeline(passes, {});
        return success();
      },
      problem);
}

/// Of `module`, which is specialised, with `arenaBytes` for temporary buffers; 0: as many as it
/// needs.
static FailureOr<MemoryNeed> needOf(ModuleOp module, int64_t arenaBytes, std::string &problem) {
  OwningOpRef<ModuleOp> copy = module.clone();
  FailureOr<manifest::Manifest> manifest = failure();
  {
    Unheard unheard(module.getContext(), problem);
    manifest = execution::createManifest(*copy, {}, program::extractPlan(*copy));
  }
  auto build = [&](OpPassManager &passes, options::Complain) {
    compile::CompileOptions options;
    options.arenaBytes = arenaBytes;
    compile::addMemoryPlanPipeline(passes, options);
    return success();
  };
  if (failed(manifest) || failed(runUnheard(*copy, build, problem)))
    return failure();
  execution::addLowered(*manifest, *copy);
  MemoryNeed need;
  need.arena = execution::arenaBytesOf(*manifest);
  need.bytes = execution::memoryBytesOf(*manifest);
  need.repeated = manifest->repeated;
  return need;
}

void Trials::planMemory(int64_t limit, Candidate &candidate) {
  OwningOpRef<ModuleOp> copy = distribute(candidate);
  if (!copy || failed(makeStatic(*copy, candidate.problem)))
    return;
  FailureOr<MemoryNeed> need = needOf(*copy, /*arenaBytes=*/0, candidate.problem);
  if (failed(need))
    return;
  candidate.memory = *need;
  int64_t fixed = need->bytes - need->arena;
  if (limit == 0 || need->bytes <= limit || fixed >= limit)
    return;
  std::string unused; // that it does not help is no problem of its own
  FailureOr<MemoryNeed> smaller = needOf(*copy, limit - fixed, unused);
  if (succeeded(smaller) && smaller->bytes <= limit)
    candidate.memory = *smaller;
}
