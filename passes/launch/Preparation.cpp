// Runs the pipelines that users know from dist-opt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/launch/Preparation.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/Train.h"
#include "lib/frontend/model/MissingData.h"
#include "passes/Pipelines.h"
#include "passes/communication/NodeGroups.h"
#include "passes/gradient/Pipelines.h"
#include "passes/specialize/Passes.h"
#include "passes/validation/Validate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tutti;

using Build = llvm::function_ref<LogicalResult(OpPassManager &, options::Complain)>;

/// Runs the passes that `build` adds. What it complains about is an error of the program.
static LogicalResult run(ModuleOp module, Build build) {
  PassManager passes(module->getName());
  auto complain = [&](const Twine &problem) -> LogicalResult {
    return emitError(module.getLoc()) << problem;
  };
  return failed(build(passes, complain)) ? failure() : passes.run(module);
}

static LogicalResult run(ModuleOp module, std::unique_ptr<Pass> pass) {
  return run(module, [&](OpPassManager &passes, options::Complain) {
    passes.addPass(std::move(pass));
    return success();
  });
}

static LogicalResult runTrain(ModuleOp module, StringRef recipe) {
  return run(module, [&](OpPassManager &passes, options::Complain complain) {
    return gradient::addTrainPipeline(passes, recipe, complain);
  });
}

static LogicalResult runDistribute(ModuleOp module, StringRef keys) {
  return run(module, [&](OpPassManager &passes, options::Complain complain) -> LogicalResult {
    FailureOr<DistributeOptions> options = DistributeOptions::parse(keys, complain);
    if (failed(options))
      return failure();
    llvm::Error error = addDistributePipeline(passes, *options);
    return error ? complain(llvm::toString(std::move(error))) : success();
  });
}

static LogicalResult checkTrainable(ModuleOp module, StringRef name) {
  if (module.lookupSymbol<func::FuncOp>("step") && module.lookupSymbol<func::FuncOp>("initialize"))
    return success();
  if (module.lookupSymbol<func::FuncOp>("forward"))
    return emitError(module.getLoc())
           << "'" << name << "' is a forward graph: say how to train it, e.g. "
           << "--train=\"loss=softmax-cross-entropy optimizer=sgd learning-rate=0.1 "
           << "global-batch=64\"";
  return emitError(module.getLoc())
         << "'" << name << "' is not a training program: it has no @initialize "
         << "and @step (see the train dialect)";
}

/// Gradients that no recipe expanded: those of a model that brought its own training.
static LogicalResult expandGradients(ModuleOp module) {
  if (!module.walk([](train::GradientOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return success();
  return run(module, [](OpPassManager &passes, options::Complain) {
    gradient::addGradientPipeline(passes);
    return success();
  });
}

namespace {
/// Lets a context that runs its passes on one thread have more while one lives.
class Threads {
public:
  explicit Threads(MLIRContext *context) : context(context) {
    if (!wereThere)
      context->enableMultithreading();
  }
  ~Threads() {
    if (!wereThere)
      context->disableMultithreading();
  }
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;

private:
  MLIRContext *context;
  bool wereThere = context->isMultithreadingEnabled();
};
} // namespace

/// The keys that `how` asks for, or those that a search finds for it.
static FailureOr<std::string> keysFor(ModuleOp module, const Preparation &how) {
  auto complain = [&](const Twine &problem) -> LogicalResult {
    return emitError(module.getLoc()) << problem;
  };
  FailureOr<DistributeOptions> options = DistributeOptions::parse(*how.distribute, complain);
  if (failed(options))
    return failure();
  if (!options->searches)
    return *how.distribute;
  if (options->cluster.empty())
    options->cluster = how.cluster;
  if (options->searchRanks && *options->searchRanks != how.ranks)
    return complain("auto-ranks=" + Twine(*options->searchRanks) + ", but there are " +
                    Twine(how.ranks) + " ranks: leave the key away");
  if (Refusal conflict = options->findConflict())
    return complain(conflict.reason());
  Threads threads(module.getContext()); // a search tries copies, of which nobody hears
  FailureOr<search::Answer> answer = search::searchDistribution(
      module, {options->fixedKeys(), options->cluster, how.ranks,
               options->searchMemory.value_or(how.memory),
               options->searchExplainsTensors || how.explainsTensors, how.offloadsStates});
  if (failed(answer))
    return failure();
  if (how.takeChoice)
    how.takeChoice(*answer);
  return answer->best().keys;
}

static bool isDistributed(ModuleOp module) { return !module.getOps<GroupOpInterface>().empty(); }

static LogicalResult distributeAsAsked(ModuleOp module, const Preparation &how) {
  if (how.distribute) {
    FailureOr<std::string> keys = keysFor(module, how);
    return failed(keys) ? failure() : runDistribute(module, *keys);
  }
  if (how.ranks == 1)
    return success();
  if (isDistributed(module)) // by its author: nothing to add, but it has to be proved too
    return run(module, distribution::createVerifyReplicationPass());
  if (how.say)
    how.say("the program is not distributed; distributing it over " + Twine(how.ranks) +
            " ranks with the defaults of --distribute");
  return runDistribute(module, /*keys=*/"");
}

/// Holds the distributed program against `reference`, that of one device; null if it was read
/// distributed.
static LogicalResult verifyProgram(ModuleOp module, ModuleOp reference, const Preparation &how) {
  if (!how.verify || how.ranks == 1)
    return success();
  validation::ValidationOptions wanted;
  wanted.ranks = {how.ranks};
  std::string report;
  if (failed(validation::validate(module, reference, wanted, report)))
    return failure();
  if (how.say)
    how.say(report);
  return success();
}

LogicalResult tutti::prepareForRanks(ModuleOp module, const Preparation &how) {
  if (how.train && failed(runTrain(module, *how.train)))
    return failure();
  if (failed(checkTrainable(module, how.name)) || failed(expandGradients(module)))
    return failure();
  OwningOpRef<ModuleOp> reference;
  if (how.verify && !isDistributed(module))
    reference = module.clone();
  if (failed(distributeAsAsked(module, how)))
    return failure();
  if (failed(frontend::verifyHasData(module))) // of tables that servers draw nothing is left
    return failure();
  if (how.checkData && failed(how.checkData(module)))
    return failure();
  if (how.ranks > 1 && how.ranksPerNode > 0)
    module->setAttr(communication::kRanksPerNode,
                    IntegerAttr::get(IntegerType::get(module.getContext(), 64), how.ranksPerNode));
  if (failed(verifyProgram(module, reference ? *reference : ModuleOp(), how)))
    return failure();
  if (failed(run(module, specialize::createSpecializeWorldPass({how.ranks}))))
    return failure();
  // Passes at launch have read it. It may differ from node to node, and programs must not.
  module->removeAttr(communication::kRanksPerNode);
  return success();
}
