// File descriptors: closed with their owner, and written to as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_DESCRIPTOR_H
#define TUTTI_LIB_EXECUTION_FILES_DESCRIPTOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tutti::execution {

/// Moves only; -1 is none.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }

  int get() const { return number; }
  int release() { return std::exchange(number, -1); }
  explicit operator bool() const { return number >= 0; }

private:
  int number = -1;
};

/// A path to the open file, for this process and for those that inherit the descriptor.
inline std::string pathOf(const Descriptor &file) {
  return "/proc/self/fd/" + std::to_string(file.get());
}

/// The limit of this process on the size of a file, as the end of a message; empty without one.
std::string sizeLimit();

/// `what`, and the reason `code`, which is also the error's code; with the limit that was met.
llvm::Error systemError(const llvm::Twine &what, std::error_code code);
/// The same with the reason that the system gives in errno.
llvm::Error systemError(const llvm::Twine &what);

/// Writes all of `content`; false and errno if that fails.
bool writeAll(int file, llvm::StringRef content);

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_DESCRIPTOR_H
