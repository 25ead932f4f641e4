// Parsing what is said of data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/DataOptions.h"

#include "runtime/data/Formats.h"
#include "runtime/support/Numbers.h"
#include "tools/registration/ReadKeys.h"

#include <CLI/CLI.hpp>

using tutti::RunOptions;

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
  if (mlir::failed(tutti::readKeys(options.read).parse(keys, complain)))
    throw CLI::ValidationError(problem);
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
