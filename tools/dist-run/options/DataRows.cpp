// Parsing what is said of data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/DataOptions.h"

#include "runtime/data/Formats.h"
#include "runtime/support/Numbers.h"
#include "tools/registration/ReadKeys.h"

#include <CLI/CLI.hpp>

using namespace tutti;

void tutti::addBinding(const std::string &pair, RunOptions &options) {
  size_t equals = pair.find('=');
  if (equals == pair.npos || equals == 0 || equals + 1 == pair.size())
    throw CLI::ValidationError("--bind", "'" + pair + "' is not INPUT=ARRAY, e.g. label=labels");
  std::string input = pair.substr(0, equals);
  if (!options.bindings.emplace(input, pair.substr(equals + 1)).second)
    throw CLI::ValidationError("--bind", "the input '" + input + "' is there twice");
}

void tutti::parseReadKeys(const std::string &keys, RunOptions &options) {
  std::string problem;
  auto complain = [&](const llvm::Twine &said) { return problem = said.str(), mlir::failure(); };
  options::KeyTable table = readKeys(options.read);
  if (mlir::failed(table.parse(keys, complain)))
    throw CLI::ValidationError(problem);
  for (llvm::StringRef key : table.names())
    if (table.isGiven(key))
      options.readKeys.push_back(key.str());
}

void tutti::parseShuffling(const std::string &how, RunOptions &options) {
  llvm::StringRef number = how;
  options.shuffleBlock = 0;
  if (number.consume_front("block:")) {
    auto block = tutti::runtime::parse_integer<int64_t>(std::string_view(number), 1);
    if (!block)
      throw CLI::ValidationError("--shuffle", "'" + how + "': " + block.error().message);
    options.shuffle = true;
    options.shuffleBlock = *block;
  } else if (!CLI::detail::lexical_cast(how, options.shuffle)) {
    throw CLI::ValidationError("--shuffle", "'" + how + "' is neither true nor false nor block:N");
  }
}

void tutti::completeReadOptions(RunOptions &options) {
  tutti::runtime::data::ReadOptions &read = options.read;
  read.training = options.dataset;
  read.seed = options.seed;
  const std::string &path = options.dataset.empty() ? options.evaluate : options.dataset;
  if (read.vocabulary.empty() && !options.directory.path.empty() &&
      tutti::runtime::data::has_words(read, path))
    read.vocabulary = options.directory.path + "/vocabulary.json";
}

/// Whether data at `path` are of a kind that keys of --read are for.
static bool areOfKind(const std::string &path, llvm::StringRef kind) {
  if (path.empty())
    return false;
  if (kind == "tokens")
    return llvm::StringRef(path).ends_with(".bin");
  bool areValues = runtime::data::is_table_file(path);
  if (kind == "values" || areValues)
    return areValues && kind != "pictures";
  return runtime::data::is_image_folder(path);
}

std::vector<std::string> tutti::idleReadKeys(const RunOptions &options) {
  std::vector<std::string> idle;
  for (const std::string &key : options.readKeys) {
    llvm::StringRef kind = dataOfReadKey(key);
    if (!areOfKind(options.dataset, kind) && !areOfKind(options.evaluate, kind))
      idle.push_back(key + ", which is for " +
                     (kind == "words" ? "categories and classes" : kind.str()));
  }
  return idle;
}

bool tutti::evaluatesByTrainingWords(const RunOptions &options) {
  return runtime::data::has_words(options.read, options.evaluate);
}
