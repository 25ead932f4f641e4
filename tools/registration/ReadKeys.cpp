// What can be said of files that do not say it themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/ReadKeys.h"

#include "llvm/ADT/StringSwitch.h"

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

static void addImageKeys(options::KeyTable &keys, runtime::data::ReadOptions &options) {
  keys.addText("resize", options.resize, "EDGE|HxW",
               "Pictures: the shorter edge, or height and width, by bilinear resampling")
      .deciding();
  keys.addText("crop", options.crop, "EDGE|HxW",
               "Pictures: what is kept of them: the centre, or see random-crop")
      .deciding();
  keys.addFlag("random-crop", options.random_crop,
               "Pictures: in training keep any place, drawn for each epoch and picture")
      .deciding();
  keys.addCount("padding", options.padding, 0,
                "Pictures: so many black pixels are put around, before random-crop")
      .deciding();
  keys.addFlag("flip", options.flip,
               "Pictures: in training flip left and right, drawn for each epoch and picture")
      .deciding();
  keys.addText("normalize", options.normalize, "unit|none|imagenet|MEANS/DEVIATIONS",
               "Pictures: colours as floats: 0 to 1, 0 to 255, or normalised (default: unit)")
      .deciding();
  keys.addWord("layout", options.layout, {"nchw", "nhwc"},
               "Pictures: the order of the dimensions of a batch")
      .deciding();
}

options::KeyTable tutti::readKeys(runtime::data::ReadOptions &options) {
  options::KeyTable keys("--read");
  keys.addWord("tokens", options.tokens, {"u16", "u32"}, "Files of tokens (.bin): their type")
      .deciding();
  keys.addCount("length", options.length, 1, "Files of tokens: how many make a sample")
      .byDefault("")
      .deciding();
  addTableKeys(keys, options);
  addImageKeys(keys, options);
  return keys;
}

llvm::StringRef tutti::dataOfReadKey(llvm::StringRef key) {
  return llvm::StringSwitch<llvm::StringRef>(key)
      .Cases({"tokens", "length"}, "tokens")
      .Cases({"columns", "categories", "hash", "missing", "header", "separator"}, "values")
      .Case("vocabulary", "words")
      .Default("pictures");
}
