// Reads the program, whatever its form, and has it prepared as the options ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Prepare.h"

#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFile.h"
#include "lib/frontend/ReadProgram.h"
#include "passes/launch/DecidingKeys.h"
#include "passes/launch/Preparation.h"
#include "runtime/host/data/Dataset.h"
#include "runtime/support/system/NamedMemory.h"
#include "tools/dist-run/DatasetCheck.h"

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

OwningOpRef<ModuleOp> tutti::prepareProgram(const RunOptions &options, MLIRContext *context,
                                            runtime::data::InflatedArrays &inflated,
                                            std::string &outHash,
                                            std::optional<search::Answer> &outChoice) {
  OwningOpRef<ModuleOp> module = readProgram(options, context, inflated);
  if (!module)
    return nullptr;
  outHash = hashOfProgram(*module);
  Preparation how;
  how.name = options.input;
  how.train = options.train;
  how.distribute = options.distribute;
  how.cluster = options.cluster;
  how.memory = options.memory;
  how.offloadsStates = !options.config.offload.empty();
  how.explainsTensors = options.dryRun || options.printPlan;
  how.takeChoice = [&](const search::Answer &answer) { outChoice = answer; };
  how.ranks = options.config.ranks;
  how.ranksPerNode = options.localRanks;
  if (options.rank == 0) { // of ranks that a launcher started, one does it for all
    how.verify = options.verify;
    how.checkData = [&](ModuleOp program) { return checkDatasets(program, options, inflated); };
    how.say = [](const Twine &text) { llvm::errs() << "dist-run: " << text << "\n"; };
    how.takeChoice = [&](const search::Answer &answer) {
      outChoice = answer;
      if (!options.dryRun && !options.printPlan) // which show all of it
        how.say("--distribute=auto " + answer.summary());
    };
  }
  if (failed(prepareForRanks(*module, how)))
    return nullptr;
  return module;
}
