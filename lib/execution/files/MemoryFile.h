// What ranks load, as sealed files of memory: what was checked is what is loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_MEMORYFILE_H
#define TUTTI_LIB_EXECUTION_FILES_MEMORYFILE_H

#include "lib/execution/files/Descriptor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace tutti::execution {

/// Nobody can write to it, shorten it or put another file in its place. It has no name on disk, so
/// it needs no folder that can be written, and it goes with the last process that has it open.
class MemoryFile {
public:
  /// A file that holds `parts`, one after the other; `name` is what /proc and
  /// errors call it.
  static llvm::Expected<std::shared_ptr<const MemoryFile>>
  create(llvm::ArrayRef<llvm::StringRef> parts, llvm::StringRef name);

  /// A path to it, for this process and for those that it starts or becomes: they inherit the
  /// descriptor. Valid as long as this object lives.
  std::string path() const { return pathOf(file); }

private:
  explicit MemoryFile(Descriptor file) : file(std::move(file)) {}
  Descriptor file;
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_MEMORYFILE_H
