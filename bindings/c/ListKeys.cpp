// list-keys FILE: writes include/tutti-c/Options.h, the keys of all pipelines, from the tables that
// parse them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DistributeOptions.h"
#include "passes/compile/Pipelines.h"
#include "passes/gradient/recipe/Recipe.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using tutti::options::Key;

static std::string constantOf(StringRef pipeline, StringRef key) {
  std::string name = ("TUTTI_" + pipeline + "_" + key).str();
  for (char &letter : name)
    letter = letter == '-' ? '_' : toUpper(letter);
  return name;
}

/// Comments must not end where a glob does.
static std::string commentOf(const Key &key) {
  std::string text = key.text + ". " + key.type;
  if (!key.initial.empty())
    text += "; default " + key.initial;
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "* /");
  return StringRef(text).ends_with(".") ? text : text + ".";
}

static void print(raw_ostream &out, StringRef pipeline, ArrayRef<Key> keys) {
  for (const Key &key : keys)
    out << "\n/* " << commentOf(key) << " */\n#define " << constantOf(pipeline, key.name) << " \""
        << key.name << "\"\n";
}

int main(int count, char **arguments) {
  std::error_code error;
  raw_fd_ostream out(count == 2 ? arguments[1] : "", error);
  if (error) {
    errs() << "usage: list-keys FILE; it cannot be written: " << error.message() << "\n";
    return 1;
  }
  out << "/* The keys of pipelines, for tuttiOptionsSet. Generated; dist-opt --help-train, "
         "--help-distribute and\n   --help-compile print the same.\n   SPDX-License-Identifier: "
         "Apache-2.0 WITH LLVM-exception */\n#ifndef TUTTI_C_OPTIONS_H\n#define "
         "TUTTI_C_OPTIONS_H\n";
  print(out, "train", tutti::gradient::Recipe().keys().all());
  print(out, "distribute", tutti::DistributeOptions().keys().all());
  print(out, "compile", tutti::compile::CompileOptions().keys().all());
  out << "\n#endif /* TUTTI_C_OPTIONS_H */\n";
  return 0;
}
