// Which files the memory of this process comes from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_ORIGINS_H
#define TUTTI_LIB_EXECUTION_FILES_ORIGINS_H

#include "lib/execution/files/Descriptor.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::execution {

/// An open file, and a place in it.
struct Origin {
  std::shared_ptr<const Descriptor> file; ///< for reading; programs that are started inherit it
  uint64_t offset;                        ///< bytes
};

/// What is mapped for reading when it is made, as /proc/self/maps tells.
class Origins {
public:
  Origins();

  /// Where `bytes` come from; none if that is no file, or the file is no longer what its path
  /// names. Each file is opened once.
  std::optional<Origin> find(llvm::ArrayRef<char> bytes);

private:
  struct Mapping {
    uintptr_t end;
    uint64_t offset, device, inode;
    std::string path;
  };
  std::shared_ptr<const Descriptor> open(const Mapping &mapping) const;

  std::map<uintptr_t, Mapping> mappings; ///< by where they begin
  std::map<std::pair<uint64_t, uint64_t>, std::shared_ptr<const Descriptor>> files;
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_ORIGINS_H
