// Runs the pipelines that users know from dist-opt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Prepare.h"

#include "dialects/collective/Collective.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/Train.h"
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFile.h"
#include "lib/frontend/ReadProgram.h"
#include "lib/frontend/model/MissingData.h"
#include "passes/Pipelines.h"
#include "passes/communication/NodeGroups.h"
#include "passes/gradient/Pipelines.h"
#include "passes/specialize/Passes.h"
#include "passes/validation/Validate.h"
#include "runtime/host/data/Dataset.h"
#include "runtime/support/system/NamedMemory.h"
#include "tools/dist-run/DatasetCheck.h"
#include "tools/dist-run/DecidingKeys.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tutti;
using frontend::InputFormat;

static InFlightDiagnostic emitFileError(MLIRContext *context, StringRef path) {
  return emitError(FileLineColLoc::get(context, path, 0, 0));
}

namespace {
/// A mapped file, of which a signal can tell that it became shorter.
struct NamedContent {
  NamedContent(StringRef path, std::unique_ptr<llvm::MemoryBuffer> mapped)
      : content(std::move(mapped)),
        name(content->getBufferStart(), content->getBufferSize(), ("'" + path + "'").str()) {}

  std::unique_ptr<llvm::MemoryBuffer> content;
  runtime::NamedMemory name;
};
} // namespace

static std::shared_ptr<llvm::MemoryBuffer> nameContent(StringRef path,
                                                       std::unique_ptr<llvm::MemoryBuffer> mapped) {
  auto named = std::make_shared<NamedContent>(path, std::move(mapped));
  return {named, named->content.get()};
}

/// What is given beside the model, and the shapes of the data that it is to be trained on, or
/// evaluated.
static frontend::GivenFiles givenFilesOf(const RunOptions &options,
                                         runtime::data::InflatedArrays &inflated) {
  frontend::GivenFiles given = options.givenFiles;
  std::string path = options.config.datasets.empty() ? options.evaluate() : options.dataset();
  if (!path.empty())
    given.sizes.shapeOfData = [path, &options,
                               &inflated](StringRef input) -> std::optional<SmallVector<int64_t>> {
      auto data = runtime::data::Dataset::open({path}, options.config.bindings,
                                               {&inflated, options.config.read});
      if (!data) // which is said when ranks read it
        return std::nullopt;
      auto shape = data->shape_of(input.str());
      return shape ? std::optional(SmallVector<int64_t>(shape->begin(), shape->end()))
                   : std::nullopt;
    };
  return given;
}

static OwningOpRef<ModuleOp> readProgram(const RunOptions &options, MLIRContext *context,
                                         runtime::data::InflatedArrays &inflated) {
  StringRef path = options.input;
  llvm::Expected<frontend::InputFile> file = frontend::openInput(path);
  if (!file)
    return emitFileError(context, path) << llvm::toString(file.takeError()), nullptr;
  switch (file->format) {
  case InputFormat::Onnx:
    return frontend::importOnnx(path, nameContent(path, std::move(file->content)), context,
                                /*survey=*/nullptr, givenFilesOf(options, inflated));
  case InputFormat::Unknown:
    return emitFileError(context, path) << frontend::explainUnknownFormat(file->text()), nullptr;
  case InputFormat::MlirText:
  case InputFormat::MlirBytecode:
    break;
  }
  if (const char *problem = options.givenFiles.whyNotForMlir())
    return emitFileError(context, path) << problem, nullptr;
  return frontend::readMlirProgram(path, file->text(), context);
}

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

static LogicalResult checkTrainable(ModuleOp module, const RunOptions &options) {
  if (module.lookupSymbol<func::FuncOp>("step") && module.lookupSymbol<func::FuncOp>("initialize"))
    return success();
  if (module.lookupSymbol<func::FuncOp>("forward"))
    return emitError(module.getLoc())
           << "'" << options.input << "' is a forward graph: say how to train it, e.g. "
           << "--train=\"loss=softmax-cross-entropy optimizer=sgd learning-rate=0.1 "
           << "global-batch=64\"";
  return emitError(module.getLoc())
         << "'" << options.input << "' is not a training program: it has no @initialize "
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

static bool isDistributed(ModuleOp module) { return !module.getOps<collective::GroupOp>().empty(); }

static LogicalResult distributeAsAsked(ModuleOp module, const RunOptions &options) {
  if (options.distribute)
    return runDistribute(module, *options.distribute);
  if (options.config.ranks == 1)
    return success();
  if (isDistributed(module)) // by its author: nothing to add, but it has to be proved too
    return run(module, distribution::createVerifyReplicationPass());
  if (options.rank == 0)
    llvm::errs() << "dist-run: the program is not distributed; distributing it over "
                 << options.config.ranks << " ranks with the defaults of --distribute\n";
  return runDistribute(module, /*keys=*/"");
}

/// Holds the distributed program against `reference`, that of one device; null if it was read
/// distributed. One of the ranks that a launcher started does it for all.
static LogicalResult verifyProgram(ModuleOp module, ModuleOp reference, const RunOptions &options) {
  if (!options.verify || options.config.ranks == 1 || options.rank > 0)
    return success();
  validation::ValidationOptions wanted;
  wanted.ranks = {options.config.ranks};
  std::string report;
  if (failed(validation::validate(module, reference, wanted, report)))
    return failure();
  llvm::errs() << "dist-run: " << report << "\n";
  return success();
}

OwningOpRef<ModuleOp> tutti::prepareProgram(const RunOptions &options, MLIRContext *context,
                                            runtime::data::InflatedArrays &inflated,
                                            std::string &outHash) {
  OwningOpRef<ModuleOp> module = readProgram(options, context, inflated);
  if (!module)
    return nullptr;
  outHash = hashOfProgram(*module);
  if (options.train && failed(runTrain(*module, *options.train)))
    return nullptr;
  if (failed(checkTrainable(*module, options)))
    return nullptr;
  if (failed(expandGradients(*module)))
    return nullptr;
  OwningOpRef<ModuleOp> reference;
  if (options.verify && !isDistributed(*module))
    reference = module->clone();
  if (failed(distributeAsAsked(*module, options)))
    return nullptr;
  if (failed(frontend::verifyHasData(*module))) // of tables that servers draw nothing is left
    return nullptr;
  if (options.rank == 0 && failed(checkDatasets(*module, options, inflated)))
    return nullptr;
  if (options.config.ranks > 1 && options.localRanks > 0)
    (*module)->setAttr(communication::kRanksPerNode,
                       IntegerAttr::get(IntegerType::get(context, 64), options.localRanks));
  if (failed(verifyProgram(*module, reference ? *reference : ModuleOp(), options)))
    return nullptr;
  if (failed(run(*module, specialize::createSpecializeWorldPass({options.config.ranks}))))
    return nullptr;
  // Passes at launch have read it. It may differ from node to node, and programs must not.
  (*module)->removeAttr(communication::kRanksPerNode);
  return module;
}

bool tutti::usesSeed(ModuleOp module) {
  auto isRandom = [](Operation *op) {
    if (auto table = dyn_cast<ps::TableOp>(op))
      return isa<ps::RandomAttr>(table.getInitial());
    return op->hasTrait<Draws>() && !op->hasAttr("seed");
  };
  return module
      .walk([&](Operation *op) {
        return isRandom(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
