// A file without a name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_PRIVATEFILE_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_PRIVATEFILE_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <memory>
#include <string>

namespace tutti::runtime {

/// Goes with the process, whatever ends it.
class PrivateFile {
public:
  /// Of `bytes` zeros that take no room yet, on the disk of `folder`.
  static Result<std::unique_ptr<PrivateFile>> make(const std::string &folder, int64_t bytes);
  ~PrivateFile();
  PrivateFile(const PrivateFile &) = delete;

  const int descriptor;

private:
  explicit PrivateFile(int descriptor) : descriptor(descriptor) {}
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_PRIVATEFILE_H
