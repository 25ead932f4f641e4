// Files of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/MemoryFile.h"

#include <fcntl.h>
#include <sys/mman.h>

using namespace tutti::execution;

llvm::Expected<std::shared_ptr<const MemoryFile>>
MemoryFile::create(llvm::ArrayRef<llvm::StringRef> parts, llvm::StringRef name) {
  // The kernel limits names; not closed by exec, because ranks load it.
  Descriptor file(memfd_create(name.take_front(64).str().c_str(), MFD_ALLOW_SEALING));
  if (!file)
    return systemError("cannot make a file of memory for " + name);
  for (llvm::StringRef part : parts)
    if (!writeAll(file.get(), part))
      return systemError("cannot write " + name + " into memory");
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return systemError("cannot seal " + name + " in memory");
  return std::shared_ptr<const MemoryFile>(new MemoryFile(std::move(file)));
}
