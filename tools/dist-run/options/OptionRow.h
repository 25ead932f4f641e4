// A row of the tables of options: all that is said of an option anywhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_OPTIONS_OPTIONROW_H
#define TUTTI_TOOLS_DISTRUN_OPTIONS_OPTIONROW_H

#include "runtime/support/Numbers.h"
#include "tools/dist-run/options/IdleReasons.h"
#include "tools/dist-run/options/Options.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <limits>

namespace tutti {

/// The part of the options that has the fields of `Part`.
template <typename Part> Part &partOf(RunOptions &options) {
  if constexpr (std::is_same_v<Part, runtime::worker::RunConfig>)
    return options.config;
  else if constexpr (std::is_same_v<Part, runtime::worker::ClusterSpec>)
    return options.roles;
  else if constexpr (std::is_same_v<Part, frontend::GivenFiles>)
    return options.givenFiles;
  else if constexpr (std::is_same_v<Part, frontend::ArtifactFiles>)
    return options.givenFiles.artifacts;
  else
    return options;
}

/// The whole numbers that an option takes.
template <typename Integer> struct Range {
  Integer low, high = std::numeric_limits<Integer>::max();
};

/// More ranks than any machine has, fewer than the runtime can number.
constexpr Range<int64_t> rankRange = {1, 1 << 20};
/// Up to a year.
constexpr Range<int64_t> secondRange = {1, 366 * 24 * 3600};
constexpr Range<int64_t> stepRange = {1};

/// The number that `text` is; throws what is wrong with it. The one parser of them all: that of
/// CLI11 takes what does not fit, and other bases.
template <typename Integer>
Integer parseNumber(const std::string &option, const std::string &text, Range<Integer> range) {
  auto number = runtime::parse_integer<Integer>(text, range.low, range.high);
  if (!number)
    throw CLI::ValidationError(option, number.error().message);
  return *number;
}

/// What an option is called, where its value goes, what the help says, and when it does nothing.
/// Its default is what the field holds before, or Parse.cpp says what it follows from.
struct OptionRow {
  enum class Kind { value, list, flag, keyHelp };
  /// Stores a value of the command line, or throws a CLI::ValidationError that says what was
  /// expected. A flag is "true" or "false"; a list is stored value by value.
  using Store = std::function<void(RunOptions &, const std::string &)>;

  Kind kind;
  std::string name, help;
  Store store;
  std::string type = "";               ///< of the value, as the help spells it: FILE
  std::vector<std::string> words = {}; ///< the values that it may have; none: the store decides
  std::vector<std::string> needed = {}, excluded = {}; ///< options
  std::string environment = ""; ///< variable that gives the value where the command line does not
  std::vector<IdleReason> reasons = {};

  OptionRow &takes(const char *spelling) { return type = spelling, *this; }
  OptionRow &needs(std::vector<std::string> names) { return needed = std::move(names), *this; }
  OptionRow &excludes(std::vector<std::string> names) { return excluded = std::move(names), *this; }
  OptionRow &fromEnvironment(const char *variable) { return environment = variable, *this; }
  /// When it has no effect, or less than was asked for.
  OptionRow &idle(std::vector<IdleReason> found) { return reasons = std::move(found), *this; }
};

/// `--option VALUE`, as `store` understands it.
OptionRow value(const char *name, OptionRow::Store store, const char *help);
/// `--option VALUE,VALUE`.
OptionRow list(const char *name, OptionRow::Store store, const char *help);
/// `--help-NAME`, which lists the keys of `--NAME`.
OptionRow keyHelp(const char *name);

/// A text. Of a field with several, it becomes the only one.
template <typename Part, typename Text>
OptionRow text(const char *name, Text Part::*field, const char *help) {
  return value(
      name,
      [field](RunOptions &options, const std::string &text) {
        Text &target = partOf<Part>(options).*field;
        if constexpr (std::is_same_v<Text, std::vector<std::string>>)
          target.assign(text.empty() ? 0 : 1, text);
        else
          target = text;
      },
      help);
}

/// One of several words.
template <typename Part>
OptionRow word(const char *name, std::string Part::*field, std::vector<std::string> words,
               const char *help) {
  OptionRow row = text(name, field, help);
  row.words = std::move(words);
  return row;
}

/// Texts, "a,b".
template <typename Part>
OptionRow texts(const char *name, std::vector<std::string> Part::*field, const char *help) {
  return list(
      name,
      [field](RunOptions &options, const std::string &text) {
        (partOf<Part>(options).*field).push_back(text);
      },
      help);
}

/// A whole number within `range`. Fields of seconds are double.
template <typename Part, typename Number>
OptionRow
number(const char *name, Number Part::*field,
       Range<std::conditional_t<std::is_same_v<Number, uint64_t>, uint64_t, int64_t>> range,
       const char *help) {
  return value(
             name,
             [=](RunOptions &options, const std::string &text) {
               partOf<Part>(options).*field = Number(parseNumber(name, text, range));
             },
             help)
      .takes("N");
}

/// `--option`, which sets the field to `on`.
template <typename Part>
OptionRow flag(const char *name, bool Part::*field, const char *help, bool on = true) {
  auto store = [field, on](RunOptions &options, const std::string &text) {
    partOf<Part>(options).*field = (text == "true") == on;
  };
  return {OptionRow::Kind::flag, name, help, store};
}

// The tables, in the order of the help.
std::vector<OptionRow> programRows(); ///< the program, what is made of it, and what is said of that
std::vector<OptionRow> trainingRows();  ///< ranks, steps, and what connects them
std::vector<OptionRow> dataRows();      ///< data, and files that are read and written
std::vector<OptionRow> directoryRows(); ///< the run directory
std::vector<OptionRow> clusterRows();   ///< servers, and roles
std::vector<OptionRow> traceRows();     ///< the trace and the report

/// All of them.
const std::vector<OptionRow> &optionRows();

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_OPTIONS_OPTIONROW_H
