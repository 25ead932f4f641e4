// Writes keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/SpellKey.h"

using namespace mlir;
using namespace tutti::options;

std::string tutti::options::spellKey(const GivenKey &key) {
  if (!key.value)
    return key.name;
  StringRef value = *key.value;
  bool isPlain = !value.empty() && value.find_first_of(" \t'\"{}") == StringRef::npos;
  StringRef quote = isPlain ? "" : value.contains('\'') ? "\"" : "'";
  return (key.name + "=" + quote + value + quote).str();
}
