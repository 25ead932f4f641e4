// Keys that cannot be asked for together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_STRATEGIES_CONTRADICTION_H
#define TUTTI_PASSES_STRATEGIES_CONTRADICTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace tutti::strategies {

/// A key that the user may have given, as the user wrote it.
struct Request {
  std::string text;
  bool isMade;
};

template <typename Value> Request request(llvm::StringRef key, const Value &value, bool isMade) {
  std::string text;
  llvm::raw_string_ostream(text) << key << "=" << value;
  return {text, isMade};
}

inline Request request(llvm::StringRef key, const std::optional<int64_t> &value) {
  return request(key, value.value_or(0), value.has_value());
}

/// "b=2 conflicts with a=1: why", for the first of `others` that is made, if `first` is.
std::optional<std::string> findContradiction(const Request &first, llvm::ArrayRef<Request> others,
                                             llvm::StringRef why);

} // namespace tutti::strategies

#endif // TUTTI_PASSES_STRATEGIES_CONTRADICTION_H
