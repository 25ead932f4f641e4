// Asks registered passes for the names of their options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/PassKeys.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

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

/// In the order of the alphabet; nothing if no pass manager takes the pass.
static std::optional<SmallVector<std::string>> keysOf(const PassInfo &info) {
  for (StringRef anchor : {"builtin.module", "func.func"}) {
    OpPassManager passes(anchor);
    auto ignore = [](const Twine &) { return failure(); };
    if (failed(info.addToPipeline(passes, "", ignore)) || passes.empty())
      continue;
    // A cast in the old style is the one that may pass a protected base.
    auto &options = (llvm::cl::SubCommand &)optionsOf(*passes.begin());
    SmallVector<std::string> names;
    for (auto &entry : options.OptionsMap)
      names.push_back(entry.second->ArgStr.str());
    llvm::sort(names);
    return names;
  }
  return std::nullopt;
}

LogicalResult tutti::options::checkPassKeys(StringRef name, StringRef text, Complain complain) {
  const PassInfo *info = PassInfo::lookup(name);
  std::optional<SmallVector<std::string>> names = info ? keysOf(*info) : std::nullopt;
  if (!names)
    return success();
  FailureOr<SmallVector<GivenKey>> given = splitKeys(text, complain);
  if (failed(given))
    return failure();
  // A list may be given piece by piece: MLIR itself says where a key may stand once only.
  llvm::StringSet<> seen;
  llvm::erase_if(*given, [&](const GivenKey &key) { return !seen.insert(key.name).second; });
  SmallVector<StringRef> known(names->begin(), names->end());
  return checkKnown(("--" + name).str(), known, *given, complain);
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

LogicalResult tutti::options::checkPipelineKeys(StringRef pipeline, Complain complain) {
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_'; };
  for (size_t brace = pipeline.find('{'); brace != StringRef::npos;
       brace = pipeline.find('{', brace + 1)) {
    size_t start = brace;
    while (start > 0 && isOfName(pipeline[start - 1]))
      --start;
    StringRef name = pipeline.slice(start, brace);
    if (failed(checkPassKeys(name, insideBraces(pipeline.drop_front(brace)), complain)))
      return failure();
  }
  return success();
}
