// Parses values of pass options without LLVM's parsers, which write to standard error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/PassValues.h"

#include "lib/options/KeyTable.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tutti::options;
using llvm::cl::Option;

/// What is wrong: "a whole number"; nothing if the value is right.
using Fault = std::optional<std::string>;

template <typename Value> static bool isOne(const Option &option) {
  return dynamic_cast<const llvm::cl::opt<Value, false, llvm::cl::parser<Value>> *>(&option);
}

bool tutti::options::isList(const Option &option) {
  return option.getNumOccurrencesFlag() == llvm::cl::ZeroOrMore;
}

template <typename Value> static bool isOf(const Option &option) {
  return isOne<Value>(option) ||
         dynamic_cast<const llvm::cl::list<Value, bool, llvm::cl::parser<Value>> *>(&option);
}

template <typename... Values> static bool isOfAny(const Option &option) {
  return (isOf<Values>(option) || ...);
}

/// The words of an option that takes one of several; empty for options of other kinds.
static SmallVector<StringRef> wordsOf(Option &option) {
  // An option without a name is a flag for each of its words, which it lists then.
  llvm::SaveAndRestore<StringRef> name(option.ArgStr, "");
  SmallVector<StringRef> words;
  option.getExtraOptionNames(words);
  return words;
}

static Fault findFaultOfWord(StringRef value, ArrayRef<StringRef> words) {
  if (words.empty() || llvm::is_contained(words, value))
    return std::nullopt;
  return joinWords(words) + didYouMean(value, words);
}

static Fault findFaultOfFlag(StringRef value) {
  static constexpr StringRef known[] = {"",      "true",  "TRUE",  "True", "1",
                                        "false", "FALSE", "False", "0"};
  return llvm::is_contained(known, value) ? Fault() : Fault("true or false");
}

template <typename Value> static Fault findFaultOfNumber(StringRef value) {
  Value parsed;
  if (!value.getAsInteger(0, parsed))
    return std::nullopt;
  return "a whole number from " + std::to_string(std::numeric_limits<Value>::min()) + " to " +
         std::to_string(std::numeric_limits<Value>::max());
}

/// The first of `Values` that the option is of says what is wrong.
template <typename... Values>
static Fault findFaultOfNumberOf(const Option &option, StringRef value) {
  Fault fault;
  (void)((isOf<Values>(option) && (fault = findFaultOfNumber<Values>(value), true)) || ...);
  return fault;
}

/// Text that a pass parses as a pipeline when it runs.
static bool holdsPipelineText(const Option &option) {
  return isOne<std::string>(option) && option.ArgStr.ends_with("pipeline");
}

static Fault findFaultOfPipeline(StringRef text, bool isAnchored) {
  std::string problem;
  llvm::raw_string_ostream out(problem);
  std::string anchored = isAnchored ? text.str() : ("any(" + text + ")").str();
  bool isNone = text.empty() && !isAnchored;
  if (isNone || succeeded(parsePassPipeline(anchored, out)))
    return std::nullopt;
  return ("a pipeline: " + StringRef(problem).trim()).str();
}

static Fault findFault(Option &option, StringRef value) {
  if (isOf<bool>(option))
    return findFaultOfFlag(value);
  if (holdsPipelineText(option) || isOf<OpPassManager>(option))
    return findFaultOfPipeline(value, /*isAnchored=*/isOf<OpPassManager>(option));
  double number;
  if (isOfAny<double, float>(option) && !llvm::to_float(value, number))
    return "a number";
  if (Fault fault =
          findFaultOfNumberOf<int, long, long long, unsigned, unsigned long, unsigned long long>(
              option, value))
    return fault;
  return findFaultOfWord(value, wordsOf(option));
}

/// How deep `letter` leads into brackets, or out of them.
static int depthOf(char letter) {
  return StringRef("([{<").contains(letter) ? 1 : StringRef(")]}>").contains(letter) ? -1 : 0;
}

/// The elements of a list: what stands between commas outside of brackets.
static SmallVector<StringRef> elementsOf(StringRef list) {
  SmallVector<StringRef> elements;
  size_t start = 0;
  int depth = 0;
  for (auto [index, letter] : llvm::enumerate(list)) {
    depth += depthOf(letter);
    if (letter != ',' || depth > 0)
      continue;
    elements.push_back(list.slice(start, index).trim());
    start = index + 1;
  }
  elements.push_back(list.drop_front(start).trim());
  return elements;
}

LogicalResult tutti::options::checkPassValue(Option &option, StringRef value, Complain complain) {
  value = value.trim();
  if (isList(option) && value.empty())
    return success();
  SmallVector<StringRef> values = {value};
  if (isList(option))
    values = elementsOf(value);
  for (StringRef one : values)
    if (Fault fault = findFault(option, one))
      return complain(option.ArgStr + "=" + one + " must be " + *fault);
  return success();
}
