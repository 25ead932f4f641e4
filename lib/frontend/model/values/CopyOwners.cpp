// Tells weights apart by biases, modules and calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/CopyOwners.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::frontend;

/// "/layers.0/fc" of "/layers.0/fc_1/MatMul": the exporter counts the calls of a module, and the
/// nodes of one. None if names do not tell of modules.
static std::optional<std::string> moduleOf(StringRef node) {
  if (!node.starts_with("/"))
    return std::nullopt;
  SmallVector<StringRef> path;
  node.split(path, '/');
  std::string module;
  for (StringRef part : ArrayRef(path).drop_front().drop_back()) {
    auto [name, number] = part.rsplit('_');
    bool isCounted = !number.empty() && llvm::all_of(number, llvm::isDigit);
    module += ("/" + (isCounted ? name : part)).str();
  }
  return module;
}

/// "/layers.*/fc" of "/layers.3/fc": modules that were copied stand in lists.
static std::string withoutNumbers(StringRef module) {
  std::string text;
  for (char letter : module)
    if (!llvm::isDigit(letter))
      text += letter;
    else if (!StringRef(text).ends_with("*"))
      text += '*';
  return text;
}

CopyOwner CopyOwner::ofBias(StringRef bias, StringRef values) {
  return {bias.str(), values.str(), "", /*isBias=*/true};
}

std::optional<CopyOwner> CopyOwner::ofNode(StringRef name) {
  std::optional<std::string> module = moduleOf(name);
  if (!module)
    return std::nullopt;
  return CopyOwner{*module, withoutNumbers(*module), name.rsplit('/').first.str(),
                   /*isBias=*/false};
}

std::optional<std::string> EqualCopies::place(const std::optional<CopyOwner> &owner,
                                              StringRef copy) {
  if (!owner)
    return std::nullopt;
  bool isFirst = !haveBias, isMixed = !isFirst && *haveBias != owner->isBias;
  haveBias = owner->isBias;
  bool isNewCall = calls.insert(owner->call).second;
  if (auto same = byOwner.find(owner->name); same != byOwner.end() && !isMixed) {
    if (owner->isBias || !arePlain)
      return same->second;
    return isNewCall ? std::nullopt : std::optional(copy.str());
  }
  bool isCopied = isFirst || arePlain || byLikeness.count(owner->likeness);
  if (!isCopied && owner->isBias && !isMixed)
    return byOwner[owner->name] = byLikeness.begin()->second;
  if (!isCopied || (isMixed && !arePlain))
    return std::nullopt;
  byLikeness.try_emplace(owner->likeness, copy.str());
  return byOwner[owner->name] = copy.str();
}
