// Bytes as an entry of the cache of compiled programs, and as such a program. (Open symbols are
// asked of what the linker has just written, so LLVM's reader of dynamic sections is not fed here.)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Compile.h"
#include "lib/execution/files/Cache.h"
#include "runtime/host/program/Manifest.h"
#include "test/fuzz/formats/Input.h"

using tutti::execution::Cache;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tutti::fuzz::ScratchFile file("entry.so");
  llvm::StringRef content = tutti::fuzz::textOf(data, size);
  const std::string &path = file.write(content);
  static Cache cache(file.folder(), /*limit=*/1 << 30);
  (void)cache.find("entry");
  auto manifest = tutti::execution::readManifest(content);
  if (!manifest)
    llvm::consumeError(manifest.takeError());
  file.write(content); // what is damaged is removed from the cache
  (void)tutti::runtime::worker::Manifest::read(path);
  return 0;
}
