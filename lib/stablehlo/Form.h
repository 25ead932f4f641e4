// How a value of a program for one device lies on the ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_STABLEHLO_FORM_H
#define TUTTI_LIB_STABLEHLO_FORM_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tutti::stablehlo {

/// How the value of one device lies on N ranks:
/// - whole: every rank has it;
/// - part: rank r has block r of N of it, along `axis`;
/// - partial: every rank has a value of its shape, and their `reduction` ("add", "maximum", ...)
///   is the value.
struct Form {
  enum class Kind { Whole, Part, Partial };
  Kind kind = Kind::Whole;
  int64_t axis = -1;
  llvm::StringRef reduction; ///< a literal

  static Form whole() { return {}; }
  static Form part(int64_t axis) { return {Kind::Part, axis, {}}; }
  static Form partial(llvm::StringRef reduction) { return {Kind::Partial, -1, reduction}; }

  bool isWhole() const { return kind == Kind::Whole; }
  bool isPart() const { return kind == Kind::Part; }
  bool isPartial() const { return kind == Kind::Partial; }
  /// A sum that is still to be taken, and that linear operations may pass on as it is.
  bool isSum() const { return isPartial() && reduction == "add"; }

  bool operator==(const Form &other) const {
    return kind == other.kind && axis == other.axis && reduction == other.reduction;
  }
  bool operator!=(const Form &other) const { return !(*this == other); }
};

} // namespace tutti::stablehlo

#endif // TUTTI_LIB_STABLEHLO_FORM_H
