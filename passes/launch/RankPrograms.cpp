// Calls the compiler for each size of a rank's batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/launch/RankPrograms.h"

#include "dialects/collective/Collective.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/Train.h"
#include "lib/cost/CommunicationCost.h"
#include "lib/execution/Compile.h"
#include "lib/execution/code/Instructions.h"
#include "lib/layout/SampleRoles.h"
#include "passes/communication/Passes.h"
#include "passes/compile/Pipelines.h"
#include "passes/specialize/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tutti;
using llvm::Expected;

static llvm::Error errorOf(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static compile::CompileOptions optionsFor(StringRef rankClass) {
  compile::CompileOptions options;
  options.rankClass = rankClass.str();
  return options;
}

/// Lets the plan of `request` tell the times that the file `cluster` predicts.
static llvm::Error addPrediction(const std::string &cluster, execution::CompileRequest &request) {
  if (cluster.empty())
    return llvm::Error::success();
  Expected<cost::Cluster> described = cost::readCluster(cluster);
  if (!described)
    return described.takeError();
  auto file = llvm::MemoryBuffer::getFile(cluster);
  request.predictionKey = file ? (*file)->getBuffer().str() : "";
  request.predict = [described = *described](ModuleOp module,
                                             std::vector<program::PlanEntry> &plan) {
    int64_t ranks = collective::lookupWorldSize(module).value_or(1);
    cost::predictPlan(plan, module, described, ranks);
  };
  return llvm::Error::success();
}

static Expected<execution::CompiledProgram>
compileForClass(ModuleOp module, StringRef name, StringRef rankClass,
                const std::string &instructions, const std::string &cluster,
                const planning::MemoryMeasures &memory) {
  execution::CompileRequest request;
  if (llvm::Error error = addPrediction(cluster, request))
    return error;
  request.module = module;
  request.name = name.str();
  request.rankClass = rankClass.str();
  request.instructions = instructions;
  request.pipelines.specialize = [=](OpPassManager &passes) {
    compile::addSpecializePipeline(passes, optionsFor(rankClass));
    // Before any rank starts: a rank that would wait for ever is found here.
    passes.addPass(communication::createCollectiveVerifyOrderPass());
  };
  request.loweringKey =
      llvm::formatv("{0} {1} {2}", memory.arenaBytes, memory.offloadsStates, memory.keptStates);
  request.pipelines.lower = [=](OpPassManager &passes) {
    compile::CompileOptions options = memory.options();
    options.valuesOutside = true; // ranks share them where they lie
    options.recordsLayout = true; // for the report
    compile::addLoweringPipeline(passes, options);
  };
  return execution::compileProgram(request);
}

/// How many rows an update takes at once: enough to hide what a call costs, few enough for caches.
constexpr int64_t kRowsOfUpdate = 256;

static Expected<TableProgram> compileTable(ModuleOp module, ps::TableOp table,
                                           const std::string &instructions) {
  OwningOpRef<ModuleOp> update = module.clone();
  PassManager passes(module->getName());
  passes.addPass(specialize::createSpecializeServerPass({table.getSymName().str(), kRowsOfUpdate}));
  if (failed(passes.run(*update)))
    return errorOf("table '" + table.getSymName() + "' has no update");
  auto compiled = compileForClass(*update, table.getSymName(), "ceil", instructions,
                                  /*cluster=*/"", /*memory=*/{});
  if (!compiled)
    return compiled.takeError();
  TableProgram program{std::move(*compiled), {}, std::nullopt};
  auto given = dyn_cast<ElementsAttr>(table.getInitial());
  if (!given || given.isSplat()) // the manifest says it all
    return program;
  auto first = execution::ProgramValues::place(table.getSymName(), given);
  if (!first)
    return first.takeError();
  program.first = std::move(*first);
  program.place = program.first.places().at(table.getSymName().str());
  return program;
}

/// A copy with the shapes of the larger part of a batch; null, with an error, if it has none.
static OwningOpRef<ModuleOp> specializeLargest(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module->getName());
  compile::addSpecializePipeline(passes, optionsFor("ceil"));
  return succeeded(passes.run(*copy)) ? std::move(copy) : nullptr;
}

Expected<planning::MemoryMeasures> tutti::measuresWithin(ModuleOp module, int64_t limit) {
  OwningOpRef<ModuleOp> specialised = specializeLargest(module);
  if (!specialised)
    return errorOf("the memory of a rank cannot be planned");
  std::string why;
  FailureOr<planning::PlannedMemory> planned = planning::keepToMemory(
      *specialised, limit, /*mayOffload=*/true, cost::commonCore(), /*ranks=*/1, why);
  if (failed(planned))
    return errorOf(why);
  return planned->need.measures;
}

static Expected<planning::Report> planCommunication(ModuleOp module, const std::string &cluster,
                                                    const planning::MemoryMeasures &memory) {
  OwningOpRef<ModuleOp> specialised = specializeLargest(module);
  FailureOr<planning::Report> report = failure();
  if (specialised)
    report = planning::reportOn(*specialised, cluster, /*ranks=*/0);
  if (failed(report) || failed(planning::addRepeats(*specialised, cluster, memory, *report)))
    return errorOf("the communication plan cannot be made");
  return std::move(*report);
}

Expected<RunPrograms> tutti::compileForRanks(ModuleOp module, StringRef name,
                                             const std::string &instructions,
                                             const std::string &cluster, bool plans,
                                             const planning::MemoryMeasures &memory) {
  auto described = execution::Instructions::find(instructions);
  if (!described)
    return described.takeError();
  RunPrograms programs;
  programs.instructions = described->describe();
  std::vector<StringRef> rankClasses = {"ceil"};
  if (llvm::any_of(module.getOps<train::DatasetOp>(), hasUnequalParts))
    rankClasses.push_back("floor");
  for (StringRef rankClass : rankClasses) {
    Expected<execution::CompiledProgram> program =
        compileForClass(module, name, rankClass, instructions, cluster, memory);
    if (!program)
      return program.takeError();
    programs.ofRanks.push_back(std::move(*program));
  }
  for (auto table : module.getOps<ps::TableOp>()) {
    Expected<TableProgram> program = compileTable(module, table, instructions);
    if (!program)
      return program.takeError();
    programs.ofTables.push_back(std::move(*program));
  }
  if (!plans)
    return programs;
  Expected<planning::Report> plan = planCommunication(module, cluster, memory);
  if (!plan)
    return plan.takeError();
  programs.plan = std::move(*plan);
  return programs;
}
