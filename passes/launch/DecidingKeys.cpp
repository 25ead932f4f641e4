// Hashing the program, and spelling keys alike however they were given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/launch/DecidingKeys.h"

#include "lib/execution/Compile.h"
#include "passes/DistributeOptions.h"
#include "passes/gradient/recipe/Recipe.h"
#include "runtime/support/Error.h"
#include "runtime/support/Fnv1a.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;

std::string tutti::hashOfProgram(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (StringRef function : {"initialize", "evaluate"})
    if (auto found = copy->lookupSymbol<func::FuncOp>(function))
      found.erase();
  PassManager passes(module->getName());
  passes.enableVerifier(false); // a program without @initialize is none
  passes.addPass(createStripDebugInfoPass());
  if (failed(passes.run(*copy)))
    return "";
  llvm::Expected<std::string> hash = execution::fingerprintOf(*copy);
  constexpr size_t enoughLetters = 16;
  if (hash)
    return hash->substr(0, enoughLetters);
  llvm::consumeError(hash.takeError());
  return "";
}

static std::string spell(const options::GivenKey &key) { return key.value.value_or("true"); }

/// A schedule of a file is what the file says.
static std::string hashOf(const gradient::Schedule &schedule) {
  std::string rates;
  for (const auto &[step, rate] : schedule.table)
    rates += runtime::text(step, " ", rate, "\n");
  return "file " + llvm::utohexstr(runtime::fnv1a(rates), /*LowerCase=*/true);
}

std::map<std::string, std::string> tutti::decidingKeys(const std::optional<std::string> &train,
                                                       const std::optional<std::string> &distribute,
                                                       const std::string &programHash) {
  std::map<std::string, std::string> decides = {{"program", programHash}};
  // Whoever gave them has been told what is wrong with them.
  auto ignore = [](const Twine &) { return failure(); };
  if (auto recipe = gradient::Recipe::parse(train.value_or(""), ignore);
      train && succeeded(recipe)) {
    for (const options::GivenKey &key : recipe->changes())
      decides[key.name] = spell(key);
    if (recipe->schedule.kind == gradient::Schedule::Kind::Table)
      decides["schedule"] = hashOf(recipe->schedule);
  }
  decides.erase("global-batch");  // the program may have it, too
  decides.erase("gradient-norm"); // one more metric
  if (auto distribution = DistributeOptions::parse(distribute.value_or(""), ignore);
      succeeded(distribution))
    for (const options::GivenKey &key : distribution->decidingKeys())
      decides[key.name] = spell(key);
  return decides;
}
