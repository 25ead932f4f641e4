// What can be said of files that do not say it themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/ReadKeys.h"

using namespace tutti;

options::KeyTable tutti::readKeys(runtime::data::ReadOptions &options) {
  options::KeyTable keys("--read");
  keys.addWord("tokens", options.tokens, {"u16", "u32"}, "Files of tokens (.bin): their type")
      .deciding();
  keys.addCount("length", options.length, 1, "Files of tokens: how many make a sample")
      .byDefault("")
      .deciding();
  return keys;
}
