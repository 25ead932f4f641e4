// Matching names, and saying what is near to a glob that matches none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/NameGlobs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::options;

/// `glob` without the characters that stand for others.
static std::string plainText(StringRef glob) {
  std::string plain;
  llvm::copy_if(glob, std::back_inserter(plain),
                [](char c) { return !StringRef("*?[]\\").contains(c); });
  return plain;
}

/// Names that are at most a third of their length away, or at least share their beginning.
static SmallVector<StringRef> nearest(StringRef glob, ArrayRef<StringRef> names) {
  std::string plain = plainText(glob);
  SmallVector<StringRef> close;
  if (plain.empty())
    return close;
  llvm::copy_if(names, std::back_inserter(close), [&](StringRef name) {
    return name.edit_distance(plain) <= std::max<size_t>(1, plain.size() / 3) ||
           name.starts_with(plain) || name.contains(plain);
  });
  return close;
}

/// ": there is no variable 'fc.wieght'; did you mean fc.weight?"
static std::string describeUnknown(StringRef noun, StringRef glob, ArrayRef<StringRef> names) {
  bool isName = plainText(glob) == glob;
  std::string text =
      ((isName ? "there is no " + noun + " '" : "no " + noun + " matches '") + glob + "'").str();
  SmallVector<StringRef> close = nearest(glob, names);
  if (!close.empty())
    return text + "; did you mean " + llvm::join(ArrayRef(close).take_front(5), ", ") + "?";
  if (names.empty())
    return text + ", and the model has none";
  return text + "; there are " + llvm::join(names.take_front(5), ", ") +
         (names.size() > 5 ? " and others" : "");
}

FailureOr<NameGlobs> NameGlobs::create(StringRef key, StringRef noun, ArrayRef<std::string> globs,
                                       ArrayRef<StringRef> names, Complain complain) {
  NameGlobs created;
  for (const std::string &glob : globs) {
    StringRef text = StringRef(glob).trim();
    bool isName = llvm::is_contained(names, text);
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(isName ? "" : text);
    if (!pattern)
      return complain(key + ": '" + text + "' is no glob: " + llvm::toString(pattern.takeError()) +
                      "; * stands for any characters, ? for one, [ab] for one of some");
    created.globs.push_back({text, std::move(*pattern)});
    if (!llvm::any_of(names, [&](StringRef name) { return created.globs.back().matches(name); }))
      return complain(key + ": " + describeUnknown(noun, text, names));
  }
  return created;
}

std::optional<unsigned> NameGlobs::find(StringRef name) const {
  for (auto [index, glob] : llvm::enumerate(globs))
    if (glob.matches(name))
      return index;
  return std::nullopt;
}
