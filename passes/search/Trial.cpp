// Runs the pipelines of --distribute and of a launch on copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Trial.h"

#include "dialects/train/ProgramClaims.h"
#include "lib/diagnostics/QuietDiagnostics.h"
#include "lib/program/PassesByName.h"
#include "passes/Pipelines.h"
#include "passes/compile/Pipelines.h"
#include "passes/distribution/Passes.h"
#include "passes/planning/Prediction.h"
#include "passes/specialize/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

static const char *const kNoReason = "a pass fails without a reason";

/// The first error in one line.
static std::string spellProblem(StringRef error) {
  return error.empty() ? kNoReason : error.split('\n').first.str();
}

/// Runs `passes` on `module`.
static LogicalResult runQuietly(PassManager &passes, ModuleOp module, std::string &problem) {
  std::string error;
  diagnostics::QuietDiagnostics quiet(module.getContext(), &error);
  passes.enableVerifier(false); // for a program that nobody sees
  if (succeeded(passes.run(module)))
    return success();
  if (problem.empty())
    problem = spellProblem(error);
  return failure();
}

/// Adds passes as a program names them.
static LogicalResult addByName(PassManager &passes, ArrayRef<std::string> texts,
                               options::Complain complain) {
  for (const std::string &text : texts)
    if (failed(program::addPassByName(passes.getContext(), text, passes, complain)))
      return failure();
  return success();
}

/// Not in threads of the context: one of those that waits for passes of a candidate begins another
/// one meanwhile, which may wait for the start that the first one makes.
void Trials::forEach(Some candidates, llvm::function_ref<void(Candidate &)> work) {
  MLIRContext *context = program.getContext();
  if (!context->isMultithreadingEnabled()) {
    for (Candidate *candidate : candidates)
      work(*candidate);
    return;
  }
  size_t count = std::min<size_t>(candidates.size(), context->getNumThreads());
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(std::max<size_t>(count, 1)));
  for (Candidate *candidate : candidates)
    threads.async([=] { work(*candidate); });
  threads.wait();
}

Trials::Start &Trials::startOf(const std::string &passes) {
  std::lock_guard<std::mutex> lock(mutex);
  return starts[passes];
}

/// Runs `passes`, fixes the number of ranks, and runs `atLaunch`.
void Trials::begin(Start &start, PassManager &passes, ArrayRef<std::string> atLaunch) {
  start.program = program.clone();
  specialize::AtLaunchPassOptions waiting;
  waiting.passes.assign(atLaunch.begin(), atLaunch.end());
  if (!atLaunch.empty())
    passes.addPass(specialize::createAtLaunchPass(waiting));
  bool isMade = succeeded(runQuietly(passes, *start.program, start.problem));
  if (isMade && !planning::ranksOf(*start.program)) {
    PassManager fixes(program.getContext(), ModuleOp::getOperationName());
    specialize::SpecializeWorldPassOptions world;
    world.ranks = ranks;
    fixes.addPass(specialize::createSpecializeWorldPass(world));
    isMade = succeeded(runQuietly(fixes, *start.program, start.problem));
  }
  if (!isMade)
    start.program = nullptr;
}

Trials::Program Trials::makeProgram(Candidate &candidate) {
  PassManager first(program.getContext(), ModuleOp::getOperationName());
  PassManager last(program.getContext(), ModuleOp::getOperationName());
  auto complain = [&](const Twine &why) -> LogicalResult {
    return candidate.problem = why.str(), failure();
  };
  FailureOr<DistributeOptions> options = DistributeOptions::parse(candidate.keys, complain);
  if (failed(options))
    return nullptr;
  std::vector<std::string> atLaunch;
  if (llvm::Error error = addPassesToTry(first, atLaunch, *options))
    return (void)complain(llvm::toString(std::move(error))), nullptr;
  // What becomes of these passes on one rank is up to specialize-world.
  size_t shared = ranks == 1 ? atLaunch.size() : std::min<size_t>(atLaunch.size(), 1);
  ArrayRef<std::string> begins = ArrayRef(atLaunch).take_front(shared);
  std::string text;
  llvm::raw_string_ostream stream(text);
  first.printAsTextualPipeline(stream);
  Start &start = startOf(text + "; " + llvm::join(begins, "; "));
  std::call_once(start.made, [&] { begin(start, first, begins); });
  if (!start.program)
    return (void)complain(start.problem), nullptr;
  Program copy = start.program->clone();
  if (failed(addByName(last, ArrayRef(atLaunch).drop_front(shared), complain)) ||
      failed(runQuietly(last, *copy, candidate.problem)))
    return nullptr;
  return copy;
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

void Trials::distribute(Some candidates) {
  for (Candidate *candidate : candidates)
    steps[candidate->keys] = nullptr;
  forEach(candidates, [&](Candidate &candidate) {
    distributeOne(candidate, steps.find(candidate.keys)->second);
  });
}

void Trials::distributeOne(Candidate &candidate, Program &step) {
  Program made = makeProgram(candidate);
  if (!made || failed(planning::specializeCopy(*made, {ranks, 0}, candidate.problem)))
    return;
  candidate.plan = program::extractPlan(*made);
  cost::predictPlan(candidate.plan, *made, cluster, ranks);
  candidate.leastTravel = timeOfBytes(candidate.plan, *made, cluster, ranks);
  int64_t bytes = program::totalOf(candidate.plan, "step").bytes;
  if (bytes != program::PlanEntry::unknown)
    candidate.bytes = bytes;
  step = std::move(made);
}

bool Trials::areSame(const Candidate &one, const Candidate &other) const {
  auto own = steps.find(one.keys), others = steps.find(other.keys);
  return own != steps.end() && others != steps.end() && own->second && others->second &&
         one.plan.size() == other.plan.size() &&
         OperationEquivalence::isEquivalentTo(*own->second, *others->second,
                                              OperationEquivalence::IgnoreLocations);
}

int64_t Trials::rangesOf(const Candidate &candidate, StringRef variable) const {
  auto step = steps.find(candidate.keys);
  return step == steps.end() || !step->second ? 1 : train::getTensorRanges(*step->second, variable);
}

void Trials::price(Some candidates) {
  forEach(candidates, [&](Candidate &candidate) { priceOne(candidate); });
}

void Trials::priceOne(Candidate &candidate) {
  auto step = steps.find(candidate.keys);
  if (step == steps.end() || !step->second)
    return;
  Program copy = step->second->clone();
  if (succeeded(planning::lowerSpecialized(*copy, candidate.problem)))
    candidate.time = cost::timeOfStep(*copy, cluster, ranks);
}

/// Runs the whole pipeline of its keys, with the proofs that need no number of ranks.
LogicalResult Trials::proveForAnyRanks(Candidate &candidate) {
  auto complain = [&](const Twine &why) -> LogicalResult {
    return candidate.problem = why.str(), failure();
  };
  FailureOr<DistributeOptions> options = DistributeOptions::parse(candidate.keys, complain);
  PassManager passes(program.getContext(), ModuleOp::getOperationName());
  if (failed(options))
    return failure();
  if (llvm::Error error = addDistributePipeline(passes, *options))
    return complain(llvm::toString(std::move(error)));
  Program copy = program.clone();
  return runQuietly(passes, *copy, candidate.problem);
}

void Trials::prove(Some candidates) {
  forEach(candidates, [&](Candidate &candidate) {
    if (failed(proveForAnyRanks(candidate)))
      return;
    Program copy = makeProgram(candidate);
    PassManager proof(program.getContext(), ModuleOp::getOperationName());
    proof.addPass(distribution::createVerifyReplicationPass());
    if (copy)
      (void)runQuietly(proof, *copy, candidate.problem);
  });
}

bool Trials::isProved(const Candidate &candidate) {
  Candidate copy = candidate;
  prove({&copy});
  return copy.problem.empty();
}

void Trials::planMemory(int64_t limit, Some candidates) {
  forEach(candidates, [&](Candidate &candidate) { planMemoryOfOne(limit, candidate); });
}

Trials::Program Trials::makeStatic(Candidate &candidate) {
  Program made = makeProgram(candidate);
  PassManager passes(program.getContext(), ModuleOp::getOperationName());
  compile::addSpecializePipeline(passes, {});
  if (!made || failed(runQuietly(passes, *made, candidate.problem)))
    return nullptr;
  return made;
}

void Trials::planMemoryOfOne(int64_t limit, Candidate &candidate) {
  Program copy = makeStatic(candidate);
  if (!copy)
    return;
  FailureOr<planning::PlannedMemory> planned =
      planning::keepToMemory(*copy, limit, offloadsStates, cluster, ranks, candidate.problem);
  if (succeeded(planned))
    candidate.memory = planned->need;
}

void Trials::findLeastMemory(Some candidates) {
  forEach(candidates, [&](Candidate &candidate) { findLeastMemoryOfOne(candidate); });
}

/// What the arena of `module` needs at least: an arena of one byte is refused with that. 0 if it is
/// refused for another reason.
int64_t Trials::leastArenaOf(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  compile::CompileOptions options;
  options.arenaBytes = 1;
  options.offloadsStates = offloadsStates;
  compile::addMemoryPlanPipeline(passes, options);
  std::string unused;
  (void)runQuietly(passes, *copy, unused);
  int64_t least = 0;
  for (auto function : copy->getOps<func::FuncOp>())
    if (auto bytes = function->getAttrOfType<IntegerAttr>("kernel.least_arena_bytes"))
      least = std::max(least, bytes.getInt());
  return least;
}

void Trials::findLeastMemoryOfOne(Candidate &candidate) {
  Program copy = makeStatic(candidate);
  int64_t arena = copy ? leastArenaOf(*copy) : 0;
  if (arena == 0)
    return;
  std::string unused;
  FailureOr<planning::PlannedMemory> planned =
      planning::planMemory(*copy, {arena, offloadsStates}, unused);
  if (succeeded(planned) && planned->need.bytes < candidate.memory->bytes)
    candidate.memory = planned->need;
}
