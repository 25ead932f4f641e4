// How a KEY=VALUE list is written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/KeyText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace tutti::options;

/// The length of the word at the start of `text`: up to a space outside of quotes and braces.
/// Nothing if a quote or brace is not closed.
static std::optional<size_t> wordLength(StringRef text) {
  int depth = 0;
  char quote = 0;
  for (auto [index, c] : llvm::enumerate(text)) {
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '{')
      ++depth;
    else if (c == '}')
      --depth;
    else if (llvm::isSpace(c) && depth <= 0)
      return index;
  }
  return quote || depth > 0 ? std::nullopt : std::optional<size_t>(text.size());
}

/// Whether the brace that opens `value` is closed by its last character.
static bool isInBraces(StringRef value) {
  int depth = 0;
  for (auto [index, c] : llvm::enumerate(value)) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth == 0)
      return index > 0 && index + 1 == value.size();
  }
  return false;
}

static std::string unwrapped(StringRef value) {
  bool isQuoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
                  value.find(value.front(), 1) == value.size() - 1;
  return (isQuoted || isInBraces(value) ? value.drop_front().drop_back() : value).str();
}

FailureOr<SmallVector<GivenKey>> tutti::options::splitKeys(StringRef text, Complain complain) {
  SmallVector<GivenKey> keys;
  for (text = text.trim(); !text.empty(); text = text.ltrim()) {
    std::optional<size_t> length = wordLength(text);
    if (!length)
      return complain("a quote or brace is not closed in '" + text + "'");
    StringRef word = text.take_front(*length);
    text = text.drop_front(*length);
    auto [name, value] = word.split('=');
    if (name.empty())
      return complain("'" + word + "' has no key: write KEY=VALUE, without spaces around =");
    keys.push_back({name.str(), std::nullopt});
    if (word.contains('='))
      keys.back().value = unwrapped(value);
  }
  return keys;
}

bool tutti::options::isKeyList(StringRef word) {
  StringRef key = word.take_while([](char c) { return llvm::isAlnum(c) || c == '-' || c == '_'; });
  bool isKey =
      !key.empty() && llvm::isAlpha(key.front()) && word.drop_front(key.size()).starts_with("=");
  return word.empty() || (isKey && !llvm::sys::fs::exists(word));
}

StringRef tutti::options::nearestWord(StringRef word, ArrayRef<StringRef> words) {
  std::string spelled = word.lower();
  std::replace(spelled.begin(), spelled.end(), '_', '-');
  // Something of the word must be left: "3" is no misspelt "2".
  unsigned most = std::min(1 + spelled.size() / 5, spelled.size() - !spelled.empty());
  StringRef nearest;
  for (StringRef candidate : words) {
    unsigned distance = candidate.edit_distance(spelled, /*AllowReplacements=*/true, most);
    if (distance > most)
      continue;
    nearest = candidate;
    if (distance == 0)
      break;
    most = distance - 1; // a later word must be nearer
  }
  if (!nearest.empty() || spelled.size() < 3)
    return nearest;
  // Or a part of one, if there is only one such: "batch" of global-batch.
  auto contains = [&](StringRef candidate) { return candidate.contains(spelled); };
  return llvm::count_if(words, contains) == 1 ? *llvm::find_if(words, contains) : StringRef();
}

std::string tutti::options::didYouMean(StringRef word, ArrayRef<StringRef> words) {
  StringRef nearest = nearestWord(word, words);
  return nearest.empty() ? "" : ("; did you mean " + nearest + "?").str();
}

LogicalResult tutti::options::checkKnown(StringRef owner, ArrayRef<StringRef> known,
                                         ArrayRef<GivenKey> given, Complain complain) {
  llvm::StringSet<> seen;
  for (const GivenKey &key : given) {
    if (known.empty())
      return complain(owner + " has no keys, but '" + key.name + "' is given");
    if (!llvm::is_contained(known, key.name))
      return complain(owner + " has no key '" + key.name + "'" + didYouMean(key.name, known) +
                      " (keys: " + llvm::join(known, ", ") + ")");
    if (!seen.insert(key.name).second)
      return complain(owner + ": " + key.name + " is given twice");
  }
  return success();
}
