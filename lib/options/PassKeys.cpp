// Asks registered passes for the names of their options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/PassKeys.h"

#include "lib/options/PassValues.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace tutti::options;

namespace {
/// MLIR keeps the options of a pass to itself and its help printer. An explicit instantiation may
/// name private members, so this one hands them out.
template <auto member> struct PrivateMember {
  friend mlir::detail::PassOptions &optionsOf(Pass &pass) { return pass.*member; }
};
mlir::detail::PassOptions &optionsOf(Pass &pass);
template struct PrivateMember<&Pass::passOptions>;
} // namespace

/// A pass of this kind; null if no pass manager takes it.
static std::unique_ptr<OpPassManager> holderOf(const PassInfo &info) {
  for (StringRef anchor : {"builtin.module", "func.func"}) {
    auto passes = std::make_unique<OpPassManager>(anchor);
    auto ignore = [](const Twine &) { return failure(); };
    if (succeeded(info.addToPipeline(*passes, "", ignore)) && !passes->empty())
      return passes;
  }
  return nullptr;
}

/// By name, in the order of the alphabet.
static std::map<StringRef, llvm::cl::Option *> optionsByName(Pass &pass) {
  // A cast in the old style is the one that may pass a protected base.
  auto &options = (llvm::cl::SubCommand &)optionsOf(pass);
  std::map<StringRef, llvm::cl::Option *> byName;
  for (auto &entry : options.OptionsMap)
    byName[entry.second->ArgStr] = entry.second;
  return byName;
}

/// Leaves the first piece of each list.
static void dropPieces(SmallVector<GivenKey> &given,
                       const std::map<StringRef, llvm::cl::Option *> &options) {
  llvm::StringSet<> seen;
  llvm::erase_if(given, [&](const GivenKey &key) {
    auto found = options.find(key.name);
    return found != options.end() && isList(*found->second) && !seen.insert(key.name).second;
  });
}

LogicalResult tutti::options::checkOptions(Pass &pass, StringRef text, Complain complain) {
  std::string owner = ("--" + pass.getArgument()).str();
  if (text.find_first_of("\t\n\v\f\r") != StringRef::npos)
    return complain(owner + " takes keys with spaces between them, not tabs or ends of lines");
  FailureOr<SmallVector<GivenKey>> given = splitKeys(text, complain);
  if (failed(given))
    return failure();
  std::map<StringRef, llvm::cl::Option *> options = optionsByName(pass);
  SmallVector<GivenKey> once = *given;
  dropPieces(once, options);
  if (failed(checkKnown(owner, llvm::to_vector(llvm::make_first_range(options)), once, complain)))
    return failure();
  auto explain = [&](const Twine &problem) { return complain(owner + ": " + problem); };
  for (const GivenKey &key : *given)
    if (failed(checkPassValue(*options[key.name], key.value.value_or(""), explain)))
      return failure();
  return success();
}

LogicalResult tutti::options::checkPassKeys(StringRef name, StringRef text, Complain complain) {
  const PassInfo *info = PassInfo::lookup(name);
  std::unique_ptr<OpPassManager> holder = info ? holderOf(*info) : nullptr;
  return holder ? checkOptions(*holder->begin(), text, complain) : success();
}

/// What stands between the brace at the start of `text` and the one that closes it.
static StringRef insideBraces(StringRef text) {
  int depth = 0;
  for (auto [index, c] : llvm::enumerate(text)) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth == 0)
      return text.slice(1, index);
  }
  return text.drop_front();
}

/// MLIR follows nested pipelines by recursion.
static LogicalResult checkDepth(StringRef pipeline, Complain complain) {
  constexpr int most = 64;
  int depth = 0;
  for (char c : pipeline) {
    depth += StringRef("({").contains(c) ? 1 : StringRef(")}").contains(c) ? -1 : 0;
    if (depth > most)
      return complain("brackets stand within more than " + Twine(most) + " others");
  }
  return success();
}

/// The name in front of the brace at the end of `text`.
static StringRef nameBefore(StringRef text) {
  text = text.rtrim();
  return text.drop_front(text.find_last_of(",(){}='\" \t\n\v\f\r") + 1);
}

LogicalResult tutti::options::checkPipelineKeys(StringRef pipeline, Complain complain) {
  if (failed(checkDepth(pipeline, complain)))
    return failure();
  // Inner ones first: a value may be a pipeline, which is parsed to check it.
  for (size_t brace = pipeline.rfind('{'); brace != StringRef::npos;
       brace = pipeline.rfind('{', brace)) {
    StringRef name = nameBefore(pipeline.take_front(brace));
    if (failed(checkPassKeys(name, insideBraces(pipeline.drop_front(brace)), complain)))
      return failure();
  }
  return success();
}

FailureOr<OpPassManager> tutti::options::parsePipeline(StringRef pipeline, Complain complain) {
  if (failed(checkPipelineKeys(pipeline, complain)))
    return failure();
  std::string problem;
  llvm::raw_string_ostream out(problem);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, out);
  if (failed(parsed))
    return complain("'" + pipeline + "' is no pipeline: " + StringRef(problem).trim());
  return parsed;
}

llvm::Error tutti::options::checkTakesModules(const OpPassManager &passes, StringRef name) {
  std::optional<StringRef> anchor = passes.getOpName();
  if (!anchor || *anchor == ModuleOp::getOperationName())
    return llvm::Error::success();
  return llvm::createStringError(name + " rewrites whole programs, so it cannot run on " + *anchor +
                                 "; it belongs into builtin.module(...)");
}
