// Reading /proc/self/maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/Origins.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

using namespace tutti::execution;
using llvm::StringRef;

Origins::Origins() {
  auto text = llvm::MemoryBuffer::getFileAsStream("/proc/self/maps");
  if (!text)
    return;
  for (StringRef line : llvm::split((*text)->getBuffer(), '\n')) {
    // BEGIN-END r--p OFFSET MAJOR:MINOR INODE      PATH
    llvm::SmallVector<StringRef> words;
    line.split(words, ' ', /*MaxSplit=*/5, /*KeepEmpty=*/true);
    if (words.size() < 6 || !words[1].starts_with("r--"))
      continue;
    auto [first, last] = words[0].split('-');
    auto [major, minor] = words[3].split(':');
    uintptr_t begin;
    unsigned majorNumber, minorNumber;
    Mapping mapping;
    if (first.getAsInteger(16, begin) || last.getAsInteger(16, mapping.end) ||
        words[2].getAsInteger(16, mapping.offset) || major.getAsInteger(16, majorNumber) ||
        minor.getAsInteger(16, minorNumber) || words[4].getAsInteger(10, mapping.inode))
      continue;
    mapping.device = makedev(majorNumber, minorNumber);
    mapping.path = words[5].ltrim(' ').str();
    if (mapping.inode != 0)
      mappings.emplace(begin, std::move(mapping));
  }
}

std::shared_ptr<const Descriptor> Origins::open(const Mapping &mapping) const {
  // Inherited by ranks: not closed by exec.
  Descriptor file(::open(mapping.path.c_str(), O_RDONLY | O_NONBLOCK));
  struct stat status;
  bool isSame = file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_dev == mapping.device && status.st_ino == mapping.inode;
  return isSame ? std::make_shared<const Descriptor>(std::move(file)) : nullptr;
}

std::optional<Origin> Origins::find(llvm::ArrayRef<char> bytes) {
  auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  auto found = mappings.upper_bound(begin);
  if (found == mappings.begin())
    return std::nullopt;
  const auto &[start, mapping] = *--found;
  if (begin + bytes.size() > mapping.end)
    return std::nullopt;
  auto [file, isNew] = files.try_emplace({mapping.device, mapping.inode});
  if (isNew)
    file->second = open(mapping);
  if (!file->second)
    return std::nullopt;
  return Origin{file->second, mapping.offset + (begin - start)};
}
