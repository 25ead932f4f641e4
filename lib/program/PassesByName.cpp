// Makes passes of text without MLIR's registry.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/PassesByName.h"

#include "lib/options/PassKeys.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

PassesByName &PassesByName::of(train::TrainDialect &dialect) {
  if (auto *found = dialect.getRegisteredInterface<PassesByName>())
    return *found;
  return dialect.addInterface<PassesByName>();
}

void PassesByName::add(ArrayRef<Create> passes, OnOneRank onOneRank) {
  for (Create create : passes)
    passesByName[create()->getArgument().str()] = {create, onOneRank};
}

PassesByName::OnOneRank PassesByName::getOnOneRank(StringRef text) const {
  auto found = passesByName.find(text.trim().split('{').first.str());
  return found == passesByName.end() ? OnOneRank::Dropped : found->second.onOneRank;
}

LogicalResult PassesByName::addPass(StringRef text, OpPassManager &passes,
                                    function_ref<LogicalResult(const Twine &)> complain) const {
  auto [name, options] = text.trim().split('{');
  if (name.contains('('))
    return complain("it is not the name of a pass on the whole program");
  if (name.contains(',') || (!options.empty() && !options.consume_back("}")))
    return complain("it is not one pass, as name or name{option=value ...}");
  auto found = passesByName.find(name.str());
  if (found == passesByName.end()) {
    std::string known;
    llvm::raw_string_ostream out(known);
    llvm::interleaveComma(llvm::make_first_range(passesByName), out);
    return complain("the pass '" + name +
                    "' is not one of those that may wait; these may: " + known);
  }
  std::unique_ptr<Pass> pass = found->second.create();
  if (failed(options::checkOptions(*pass, options, complain)) ||
      failed(pass->initializeOptions(options, complain)))
    return failure();
  passes.addPass(std::move(pass));
  return success();
}

PassesByName::OnOneRank tutti::program::getOnOneRank(MLIRContext *context, StringRef text) {
  auto *dialect = context->getLoadedDialect<train::TrainDialect>();
  auto *known = dialect ? dialect->getRegisteredInterface<PassesByName>() : nullptr;
  return known ? known->getOnOneRank(text) : PassesByName::OnOneRank::Dropped;
}

LogicalResult tutti::program::addPassByName(MLIRContext *context, StringRef text,
                                            OpPassManager &passes,
                                            function_ref<LogicalResult(const Twine &)> complain) {
  auto *dialect = context->getLoadedDialect<train::TrainDialect>();
  auto *known = dialect ? dialect->getRegisteredInterface<PassesByName>() : nullptr;
  if (!known)
    return complain("no stage of Tutti is registered in this context: call "
                    "tutti::registerAllStages or another of passes/registration/Register.h");
  return known->addPass(text, passes, complain);
}
