// The keys of a struct of options: name, type, default, text, and how a value is parsed, said once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OPTIONS_KEYTABLE_H
#define TUTTI_LIB_OPTIONS_KEYTABLE_H

#include "lib/options/KeyText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tutti::options {

/// One key. `assign` takes a value, or else says what values are: "true or false".
struct Key {
  std::string name, type, initial, text;
  std::function<std::optional<std::string>(llvm::StringRef)> assign;
  std::string held = "";   ///< the field's value when the key was added, as `assign` takes it
  bool isDeciding = false; ///< another value makes other numbers, beyond how sums round

  /// What the help shows as the default, where the field's own value does not say it.
  Key &byDefault(llvm::StringRef shown) { return initial = shown.str(), *this; }
  Key &deciding() { return isDeciding = true, *this; }
  Key &holding(std::string value) { return held = std::move(value), *this; }
};

/// The numbers that a key takes, and how messages call them.
struct NumberRange {
  double least, most;
  bool isLeastExcluded, isMostExcluded;
  const char *text;

  bool holds(double value) const;
};

/// Any finite number.
extern const NumberRange anyNumber;

/// The keys of one struct, bound to the fields of one object: what they hold when a key is added is
/// its default; `parse` writes into them. Lives as long as the object is not moved.
class KeyTable {
public:
  template <typename Value> using Choices = std::initializer_list<std::pair<const char *, Value>>;

  /// `owner` is what messages call the holder of the keys: "--distribute".
  explicit KeyTable(llvm::StringRef owner) : owner(owner) {}

  /// One of several words.
  template <typename Value>
  Key &addChoice(llvm::StringRef name, Value &field,
                 Choices<typename llvm::type_identity<Value>::type> choices, llvm::StringRef text);
  /// true or false; the key alone means true.
  Key &addFlag(llvm::StringRef name, bool &field, llvm::StringRef text);
  Key &addFlag(llvm::StringRef name, std::optional<bool> &field, llvm::StringRef text);
  /// A whole number of at least `least`.
  Key &addCount(llvm::StringRef name, int64_t &field, int64_t least, llvm::StringRef text);
  Key &addCount(llvm::StringRef name, std::optional<int64_t> &field, int64_t least,
                llvm::StringRef text);
  Key &addNumber(llvm::StringRef name, double &field, NumberRange range, llvm::StringRef text);
  Key &addText(llvm::StringRef name, std::string &field, llvm::StringRef type,
               llvm::StringRef text);
  /// One of `words`, kept as text, or what `other` accepts, which the help calls `otherType`.
  Key &addWord(llvm::StringRef name, std::string &field,
               std::initializer_list<llvm::StringRef> words, llvm::StringRef text,
               llvm::StringRef otherType = "", bool (*other)(llvm::StringRef) = nullptr);
  /// Separated by commas.
  Key &addList(llvm::StringRef name, llvm::SmallVector<int64_t> &field, llvm::StringRef text);
  Key &addList(llvm::StringRef name, llvm::SmallVector<double> &field, llvm::StringRef text);
  Key &addList(llvm::StringRef name, llvm::SmallVector<std::string> &field, llvm::StringRef text);
  /// A key of its own kind.
  Key &add(Key key) { return keys.emplace_back(std::move(key)); }

  /// Parses "KEY=VALUE ..." into the fields, in the order of the table.
  llvm::LogicalResult parse(llvm::StringRef text, Complain complain);
  llvm::LogicalResult assign(llvm::ArrayRef<GivenKey> given, Complain complain);

  /// Whether the text that was parsed has this key.
  bool isGiven(llvm::StringRef name) const { return given.contains(name); }

  llvm::ArrayRef<Key> all() const { return keys; }
  llvm::SmallVector<llvm::StringRef> names() const;

  /// The keys that hold another value than in `defaults`, a table of the same struct, as text that
  /// `assign` takes. A key that holds none, or an empty list, is not among them.
  llvm::SmallVector<GivenKey> changesFrom(const KeyTable &defaults) const;

  /// Every key with its type, default and text.
  void printHelp(llvm::raw_ostream &out) const;

private:
  template <typename Field>
  Key &addCountOf(llvm::StringRef name, Field &field, int64_t least, llvm::StringRef text);

  std::string owner;
  std::vector<Key> keys;
  llvm::StringSet<> given;
};

/// "a, b or c".
std::string joinWords(llvm::ArrayRef<llvm::StringRef> words);

template <typename Value>
Key &KeyTable::addChoice(llvm::StringRef name, Value &field,
                         Choices<typename llvm::type_identity<Value>::type> choices,
                         llvm::StringRef text) {
  Key &key = add({name.str(), "", "", text.str(), nullptr});
  for (const auto &[word, value] : choices) {
    key.type += (key.type.empty() ? "" : "|") + std::string(word);
    if (value == field)
      key.initial = key.held = word;
  }
  llvm::SmallVector<std::pair<const char *, Value>> known(choices);
  key.assign = [&field, known](llvm::StringRef text) -> std::optional<std::string> {
    auto *found = llvm::find_if(known, [&](const auto &choice) { return text == choice.first; });
    if (found != known.end())
      return field = found->second, std::nullopt;
    llvm::SmallVector<llvm::StringRef> words;
    for (const auto &choice : known)
      words.push_back(choice.first);
    return joinWords(words) + didYouMean(text, words);
  };
  return key;
}

} // namespace tutti::options

#endif // TUTTI_LIB_OPTIONS_KEYTABLE_H
