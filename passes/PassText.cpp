// A pass as people write it on a command line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/PassText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

/// The options of a pass, one text each: "name{a=1 b={2 3}}" has "a=1" and "b={2 3}".
static SmallVector<std::string> optionsOf(Pass &pass) {
  std::string text;
  llvm::raw_string_ostream out(text);
  pass.printAsTextualPipeline(out);
  size_t begin = text.find('{');
  SmallVector<std::string> options;
  if (begin == std::string::npos)
    return options;
  std::string option;
  unsigned depth = 0;
  for (char letter : StringRef(text).drop_front(begin + 1).drop_back()) {
    depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
    if (letter != ' ' || depth > 0) {
      option += letter;
      continue;
    }
    options.push_back(std::move(option));
    option.clear();
  }
  options.push_back(std::move(option));
  return options;
}

std::string tutti::spellOptions(Pass &pass, Pass &defaults) {
  llvm::StringSet<> usual;
  for (const std::string &option : optionsOf(defaults))
    usual.insert(option);
  SmallVector<std::string> special = optionsOf(pass);
  llvm::erase_if(
      special, [&](const std::string &option) { return option.empty() || usual.contains(option); });
  return llvm::join(special, " ");
}

std::string tutti::spellPass(Pass &pass, Pass &defaults) {
  std::string options = spellOptions(pass, defaults);
  return (pass.getArgument() + (options.empty() ? "" : "{" + options + "}")).str();
}
