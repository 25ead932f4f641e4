// Takes KEY=VALUE lists apart, and suggests the key that a misspelled one resembles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OPTIONS_KEYTEXT_H
#define TUTTI_LIB_OPTIONS_KEYTEXT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>

namespace tutti::options {

/// Reports an error; always fails.
using Complain = llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>;

/// A key as somebody gave it. A key without `=` has no value.
struct GivenKey {
  std::string name;
  std::optional<std::string> value;
};

/// Splits `text` at spaces. A value may stand in quotes or braces, which are taken off.
llvm::FailureOr<llvm::SmallVector<GivenKey>> splitKeys(llvm::StringRef text, Complain complain);

/// Whether a word of a command line can only be keys: "", or "some-key=...", which names no file.
bool isKeyList(llvm::StringRef word);

/// The word among `words` that `word` resembles; empty if it resembles none.
llvm::StringRef nearestWord(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> words);

/// "; did you mean overlap?", or nothing.
std::string didYouMean(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> words);

/// Complains about the first of `given` that is not among `known`, or stands there twice. `owner`
/// is who has the keys: "--distribute".
llvm::LogicalResult checkKnown(llvm::StringRef owner, llvm::ArrayRef<llvm::StringRef> known,
                               llvm::ArrayRef<GivenKey> given, Complain complain);

} // namespace tutti::options

#endif // TUTTI_LIB_OPTIONS_KEYTEXT_H
