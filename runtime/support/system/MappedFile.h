// A file mapped for reading.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_MAPPEDFILE_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_MAPPEDFILE_H

#include "runtime/support/Error.h"
#include "runtime/support/system/NamedMemory.h"

#include <memory>
#include <string>
#include <string_view>

namespace tutti::runtime {

/// Keeps a mapping for as long as someone shares it. Its pages are shared by all ranks that map the
/// file.
class MappedFile {
public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;

  std::string_view bytes() const { return {begin, size}; }

private:
  MappedFile(const char *begin, size_t size, const std::string &path)
      : begin(begin), size(size), name(begin, size, "'" + path + "'") {}
  const char *begin;
  size_t size;
  NamedMemory name; ///< shortening the file ends its readers by SIGBUS
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_MAPPEDFILE_H
