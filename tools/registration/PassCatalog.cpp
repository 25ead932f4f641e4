// What there is, and where it belongs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/PassCatalog.h"
#include "tools/registration/ReadKeys.h"

#include "lib/options/OtherNames.h"
#include "passes/DistributeOptions.h"
#include "passes/compile/Pipelines.h"
#include "passes/gradient/recipe/Recipe.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;

namespace {
struct StagePass {
  StringRef stage, pass;
};
} // namespace

static constexpr StagePass stagePasses[] = {
#include "tools/registration/StagePasses.inc"
};

/// A stage that does not stand here comes last.
static constexpr StringRef orderOfStages[] = {
    "gradient",   "distribution",  "communication", "planning", "search",   "specialize",
    "conversion", "bufferization", "memory",        "codegen",  "stablehlo"};

SmallVector<Stage> tutti::passesByStage() {
  SmallVector<Stage> stages;
  for (StringRef name : orderOfStages)
    stages.push_back({name, {}});
  for (const StagePass &entry : stagePasses) {
    auto *stage = llvm::find_if(stages, [&](const Stage &s) { return s.name == entry.stage; });
    if (stage == stages.end())
      stage = &stages.emplace_back(Stage{entry.stage, {}});
    stage->passes.push_back(entry.pass);
  }
  llvm::erase_if(stages, [](const Stage &stage) { return stage.passes.empty(); });
  for (Stage &stage : stages)
    llvm::sort(stage.passes);
  return stages;
}

ArrayRef<StringRef> tutti::pipelineNames() {
  static constexpr StringRef names[] = {"train", "distribute", "compile"};
  return names;
}

static const PassRegistryEntry *lookUp(StringRef name) {
  if (const PassRegistryEntry *pipeline = PassPipelineInfo::lookup(name))
    return pipeline;
  return PassInfo::lookup(name);
}

StringRef tutti::describePass(StringRef name) {
  const PassRegistryEntry *entry = lookUp(name);
  return entry ? entry->getPassDescription() : "";
}

StringRef tutti::holderOfKey(StringRef name) {
  runtime::data::ReadOptions read;
  const std::pair<StringRef, options::KeyTable> tables[] = {
      {"train", gradient::Recipe().keys()},
      {"distribute", DistributeOptions().keys()},
      {"read", readKeys(read)}};
  for (const auto &[holder, keys] : tables)
    for (const options::Key &key : keys.all())
      if (key.name == name || llvm::is_contained(options::otherNames(key.name), name))
        return holder;
  return "";
}

bool tutti::printKeysOf(StringRef name, llvm::raw_ostream &out) {
  if (name == "train")
    return gradient::Recipe().keys().printHelp(out), true;
  if (name == "distribute")
    return DistributeOptions().keys().printHelp(out), true;
  if (name == "compile")
    return compile::CompileOptions().keys().printHelp(out), true;
  if (runtime::data::ReadOptions options; name == "read")
    return readKeys(options).printHelp(out), true;
  bool isOurs = llvm::is_contained(pipelineNames(), name) ||
                llvm::any_of(stagePasses, [&](const StagePass &s) { return s.pass == name; });
  const PassRegistryEntry *entry = lookUp(name);
  if (!isOurs || !entry)
    return false;
  out.flush(); // MLIR prints options to standard output
  entry->printHelpStr(/*indent=*/2, std::max<size_t>(entry->getOptionWidth(), 24));
  return true;
}
