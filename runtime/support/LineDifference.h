// The first line in which two texts differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_LINEDIFFERENCE_H
#define TUTTI_RUNTIME_SUPPORT_LINEDIFFERENCE_H

#include "runtime/support/Error.h"

#include <optional>
#include <string>
#include <string_view>

namespace tutti::runtime {

/// Counted from 0. What a text says there is in quotes, or that it says nothing.
struct LineDifference {
  int64_t line;
  std::string first, second;

  /// None if the texts are equal.
  static std::optional<LineDifference> find(std::string_view first, std::string_view second) {
    for (int64_t line = 0; !first.empty() || !second.empty(); ++line) {
      bool in_first = !first.empty(), in_second = !second.empty();
      std::string_view a = next_line(first), b = next_line(second);
      if (in_first != in_second || a != b)
        return LineDifference{line, quoted(a, in_first), quoted(b, in_second)};
    }
    return std::nullopt;
  }

private:
  static std::string_view next_line(std::string_view &rest) {
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
  }

  static std::string quoted(std::string_view line, bool is_there) {
    return is_there ? text("'", line, "'") : "no such entry";
  }
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_LINEDIFFERENCE_H
