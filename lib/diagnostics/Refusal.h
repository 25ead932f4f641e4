// Why something is not done, as an answer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_REFUSAL_H
#define TUTTI_LIB_DIAGNOSTICS_REFUSAL_H

#include "llvm/ADT/Twine.h"

#include <cassert>
#include <string>
#include <type_traits>

namespace tutti {

/// The answer of a function that asks whether something can be done: why not, in words for the end
/// of a diagnostic or of a remark; nothing if it can.
///
///   if (Refusal refusal = whyNotPrefetched(step))
///     remark() << "not asked for ahead: " << refusal.reason();
///
/// The caller decides whether that is an error, a remark, or the next way to try. Where the answer
/// is always an error that somebody passes on, llvm::Error says so instead.
class [[nodiscard]] Refusal {
public:
  /// It can be done.
  Refusal() = default;
  /// It cannot, because of `reason`, which is not empty.
  template <typename Reason,
            typename = std::enable_if_t<std::is_convertible_v<const Reason &, llvm::Twine>>>
  Refusal(const Reason &reason) : words(llvm::Twine(reason).str()) {
    assert(!words.empty() && "a refusal says why");
  }

  /// Whether it is one.
  explicit operator bool() const { return !words.empty(); }
  const std::string &reason() const { return words; }

private:
  std::string words;
};

} // namespace tutti

#endif // TUTTI_LIB_DIAGNOSTICS_REFUSAL_H
