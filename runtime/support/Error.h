// How functions inside the runtime report failure: a status of the door with a message that says
// what, where and what to do. Nothing here throws.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_ERROR_H
#define TUTTI_RUNTIME_SUPPORT_ERROR_H

#include "tutti/status.h"

#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace tutti::runtime {

/// The parts, one after another, as text.
template <typename... Parts> std::string text(const Parts &...parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// Success (status TUTTI_OK) or what went wrong. True means failure, as with std::error_code.
struct [[nodiscard]] Error {
  int32_t status = TUTTI_OK;
  std::string message;

  static Error success() { return {}; }
  /// A file or stream that is not what it should be.
  template <typename... Parts> static Error bad_data(const Parts &...parts) {
    return make(TUTTI_BAD_DATA, parts...);
  }
  /// What somebody asked for cannot be had.
  template <typename... Parts> static Error invalid_argument(const Parts &...parts) {
    return make(TUTTI_INVALID_ARGUMENT, parts...);
  }
  template <typename... Parts> static Error make(int32_t status, const Parts &...parts) {
    return Error{status, text(parts...)};
  }
  explicit operator bool() const { return status != TUTTI_OK; }
};

/// A value, or why there is none. Ask `error()` before the value is used.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Error failure) : failure(std::move(failure)) {}

  explicit operator bool() const { return content.has_value(); }
  const Error &error() const { return failure; }
  T &operator*() { return *content; }
  const T &operator*() const { return *content; }
  T *operator->() { return &*content; }
  const T *operator->() const { return &*content; }

private:
  std::optional<T> content;
  Error failure;
};

/// The message of the system for `number` (an errno), with the limit of this process that may be
/// the reason: "Too many open files; the limit is 256 open files; raise it
/// with ulimit -n".
std::string system_message(int number);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_ERROR_H
