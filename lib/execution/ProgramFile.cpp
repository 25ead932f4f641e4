// Files of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/ProgramFile.h"

#include <fcntl.h>
#include <sys/mman.h>

using namespace tutti::execution;

llvm::Expected<std::shared_ptr<const ProgramFile>> ProgramFile::create(llvm::StringRef content,
                                                                       llvm::StringRef name) {
  // The kernel limits names; not closed by exec, because ranks load it.
  Descriptor file(memfd_create(name.take_front(64).str().c_str(), MFD_ALLOW_SEALING));
  if (!file)
    return systemError("cannot make a file of memory for the compiled program");
  if (!writeAll(file.get(), content))
    return systemError("cannot write the compiled program into memory");
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return systemError("cannot seal the compiled program");
  return std::shared_ptr<const ProgramFile>(new ProgramFile(std::move(file)));
}
