// What can be said of files that do not say it themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/ReadKeys.h"

using namespace tutti;

static void addTableKeys(options::KeyTable &keys, runtime::data::ReadOptions &options) {
  keys.addText("columns", options.columns, "INPUT:COLUMN,...;...",
               "Files of values (.csv, .tsv): the columns of an input, also as FIRST..LAST")
      .deciding();
  keys.addText("categories", options.categories, "COLUMN,...",
               "Files of values: columns of words, whose numbers are in a vocabulary")
      .deciding();
  keys.addText("hash", options.hash, "COLUMN:BUCKETS,...",
               "Files of values: columns of text that is hashed to 0 to BUCKETS - 1")
      .deciding();
  keys.addText("missing", options.missing, "VALUE",
               "Files of values: what stands in place of an empty field (default: an error)")
      .deciding();
  keys.addFlag("header", options.header,
               "Files of values: the first line names the columns; else "
               "they are 1, 2, ...")
      .deciding();
  keys.addWord("separator", options.separator, {"comma", "tab", "semicolon"},
               "Files of values: what is between fields (default: a tab in .tsv, else a comma)")
      .deciding();
  keys.addText("vocabulary", options.vocabulary, "FILE.json",
               "The vocabulary of categories: read if it is there, else written (default: "
               "vocabulary.json in the run directory)");
}

options::KeyTable tutti::readKeys(runtime::data::ReadOptions &options) {
  options::KeyTable keys("--read");
  keys.addWord("tokens", options.tokens, {"u16", "u32"}, "Files of tokens (.bin): their type")
      .deciding();
  keys.addCount("length", options.length, 1, "Files of tokens: how many make a sample")
      .byDefault("")
      .deciding();
  addTableKeys(keys, options);
  return keys;
}
