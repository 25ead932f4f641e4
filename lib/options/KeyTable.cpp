// Parses values into the fields that keys are bound to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/KeyTable.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tutti::options;

const NumberRange tutti::options::anyNumber = {-std::numeric_limits<float>::max(),
                                               std::numeric_limits<float>::max(), false, false,
                                               "a finite number of f32"};

bool NumberRange::holds(double value) const {
  return (isLeastExcluded ? value > least : value >= least) &&
         (isMostExcluded ? value < most : value <= most);
}

std::string tutti::options::joinWords(ArrayRef<StringRef> words) {
  if (words.size() < 2)
    return words.empty() ? "" : words.front().str();
  return llvm::join(words.drop_back(), ", ") + " or " + words.back().str();
}

static std::string shown(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

/// As text that gives the same double again.
static std::string exact(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  return text;
}

static std::string exact(bool value) { return value ? "true" : "false"; }
static std::string exact(int64_t value) { return std::to_string(value); }
static std::string exact(const std::string &value) { return value; }
template <typename Value> static std::string exact(const std::optional<Value> &value) {
  return value ? exact(*value) : "";
}
template <typename Value> static std::string exact(const SmallVector<Value> &values) {
  return llvm::join(llvm::map_range(values, [](const Value &value) { return exact(value); }), ",");
}

template <typename Field> static auto parseFlag(Field &field) {
  return [&field](StringRef text) -> std::optional<std::string> {
    if (text != "true" && text != "false")
      return "true or false";
    field = text == "true";
    return std::nullopt;
  };
}

Key &KeyTable::addFlag(StringRef name, bool &field, StringRef text) {
  return add({name.str(), "true|false", exact(field), text.str(), parseFlag(field), exact(field)});
}

Key &KeyTable::addFlag(StringRef name, std::optional<bool> &field, StringRef text) {
  return add({name.str(), "true|false", "", text.str(), parseFlag(field), exact(field)});
}

/// Counts are multiplied by the sizes of samples, and the products must fit into 64 bits.
static constexpr int64_t mostCounted = int64_t(1) << 40;

template <typename Field>
Key &KeyTable::addCountOf(StringRef name, Field &field, int64_t least, StringRef text) {
  auto assign = [&field, least](StringRef text) -> std::optional<std::string> {
    int64_t value;
    if (text.getAsInteger(10, value) || value < least)
      return "a whole number of at least " + std::to_string(least);
    if (value > mostCounted)
      return "a whole number of at most " + std::to_string(mostCounted);
    field = value;
    return std::nullopt;
  };
  return add({name.str(), "N", "", text.str(), assign, exact(field)});
}

Key &KeyTable::addCount(StringRef name, int64_t &field, int64_t least, StringRef text) {
  return addCountOf(name, field, least, text).byDefault(std::to_string(field));
}

Key &KeyTable::addCount(StringRef name, std::optional<int64_t> &field, int64_t least,
                        StringRef text) {
  return addCountOf(name, field, least, text);
}

Key &KeyTable::addNumber(StringRef name, double &field, NumberRange range, StringRef text) {
  auto assign = [&field, range](StringRef text) -> std::optional<std::string> {
    double value;
    if (text.getAsDouble(value) || !range.holds(value))
      return range.text;
    if (value != 0 && float(value) == 0)
      return "a number that f32 tells from 0; write 0 if that is meant";
    field = value;
    return std::nullopt;
  };
  return add({name.str(), "NUMBER", shown(field), text.str(), assign, exact(field)});
}

Key &KeyTable::addText(StringRef name, std::string &field, StringRef type, StringRef text) {
  auto assign = [&field](StringRef text) -> std::optional<std::string> {
    if (text.empty())
      return "not empty";
    field = text.str();
    return std::nullopt;
  };
  return add({name.str(), type.str(), field, text.str(), assign, field});
}

Key &KeyTable::addWord(StringRef name, std::string &field, std::initializer_list<StringRef> words,
                       StringRef text, StringRef otherType, bool (*other)(StringRef)) {
  SmallVector<StringRef> known(words), shown(words);
  if (other)
    shown.push_back(otherType);
  auto assign = [&field, known, shown, other](StringRef value) -> std::optional<std::string> {
    if (llvm::is_contained(known, value) || (other && other(value)))
      return field = value.str(), std::nullopt;
    return joinWords(shown) + didYouMean(value, known);
  };
  return add({name.str(), llvm::join(shown, "|"), field, text.str(), assign, field});
}

/// Splits at commas and parses each part; `expected` says what parts are.
template <typename Value, typename Parse>
static auto parseList(SmallVector<Value> &field, const char *expected, Parse parse) {
  return [&field, expected, parse](StringRef text) -> std::optional<std::string> {
    SmallVector<Value> values;
    for (StringRef part : llvm::split(text, ','))
      if (part.trim().empty() || parse(part.trim(), values.emplace_back()))
        return std::string(expected) + ", separated by commas";
    field = values;
    return std::nullopt;
  };
}

Key &KeyTable::addList(StringRef name, SmallVector<int64_t> &field, StringRef text) {
  auto parse = [](StringRef part, int64_t &value) { return part.getAsInteger(10, value); };
  return add({name.str(), "N,N,...", "", text.str(), parseList(field, "whole numbers", parse)})
      .holding(exact(field));
}

Key &KeyTable::addList(StringRef name, SmallVector<double> &field, StringRef text) {
  auto parse = [](StringRef part, double &value) {
    return part.getAsDouble(value) || !std::isfinite(value);
  };
  return add({name.str(), "NUMBER,...", "", text.str(), parseList(field, "numbers", parse)})
      .holding(exact(field));
}

Key &KeyTable::addList(StringRef name, SmallVector<std::string> &field, StringRef text) {
  auto parse = [](StringRef part, std::string &value) { return value = part.str(), false; };
  return add({name.str(), "NAME,NAME,...", "", text.str(), parseList(field, "names", parse)})
      .holding(exact(field));
}

SmallVector<StringRef> KeyTable::names() const {
  return llvm::map_to_vector(keys, [](const Key &key) { return StringRef(key.name); });
}

SmallVector<GivenKey> KeyTable::changesFrom(const KeyTable &defaults) const {
  SmallVector<GivenKey> changes;
  for (const auto &[key, usual] : llvm::zip_equal(keys, defaults.keys))
    if (key.held != usual.held && !key.held.empty())
      changes.push_back({key.name, key.held});
  return changes;
}

LogicalResult KeyTable::parse(StringRef text, Complain complain) {
  FailureOr<SmallVector<GivenKey>> split = splitKeys(text, complain);
  return failed(split) ? failure() : assign(*split, complain);
}

LogicalResult KeyTable::assign(ArrayRef<GivenKey> values, Complain complain) {
  if (failed(checkKnown(owner, names(), values, complain)))
    return failure();
  for (const Key &key : keys) {
    auto *found = llvm::find_if(values, [&](const GivenKey &g) { return g.name == key.name; });
    if (found == values.end())
      continue;
    if (!found->value && key.type != "true|false")
      return complain(key.name + " needs a value: " + key.name + "=" + key.type);
    std::string value = found->value.value_or("true");
    if (std::optional<std::string> expected = key.assign(value))
      return complain(key.name + "=" + value + " must be " + *expected);
    given.insert(key.name);
  }
  return success();
}
