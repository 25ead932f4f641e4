// Two numbers of fixed width in a file. It is written in place, because processes that wait for it
// have it open.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/CacheCount.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <sys/stat.h>

using namespace tutti::execution;
using llvm::StringRef;

static constexpr StringRef kName = ".count";
static constexpr size_t kDigits = 20, kSize = 2 * (kDigits + 1); // each with an end

static uint64_t now() { return uint64_t(time(nullptr)); }

CacheCount::CacheCount(const CacheFolder &folder)
    : folder(folder), file(folder.lock(kName, std::chrono::seconds(10))) {}

CacheCount::~CacheCount() {
  struct stat status;
  bool isCurrent = file && fstat(file.get(), &status) == 0 && status.st_nlink > 0;
  if (!isCurrent) // somebody may have counted without this entry meanwhile
    folder.remove(kName);
}

std::optional<CacheCount::Numbers> CacheCount::read() const {
  char content[kSize + 1]; // a longer file is none of ours
  Numbers numbers;
  if (!file || pread(file.get(), content, sizeof content, 0) != ssize_t(kSize))
    return std::nullopt;
  StringRef bytes(content, kDigits), listed(content + kDigits + 1, kDigits);
  if (content[kDigits] != ' ' || content[kSize - 1] != '\n' ||
      bytes.getAsInteger(10, numbers.bytes) || listed.getAsInteger(10, numbers.listed))
    return std::nullopt;
  return numbers;
}

void CacheCount::write(const Numbers &numbers) {
  std::string content;
  llvm::raw_string_ostream(content)
      << llvm::format("%020" PRIu64 " %020" PRIu64 "\n", numbers.bytes, numbers.listed);
  if (file && (pwrite(file.get(), content.data(), content.size(), 0) != ssize_t(kSize) ||
               ftruncate(file.get(), kSize) != 0))
    file = Descriptor();
}

bool CacheCount::add(uint64_t bytes, uint64_t limit) {
  constexpr uint64_t day = 24 * 60 * 60;
  std::optional<Numbers> numbers = read();
  if (!numbers)
    return false;
  numbers->bytes = llvm::SaturatingAdd(numbers->bytes, bytes);
  write(*numbers);
  bool isRecent = now() >= numbers->listed && now() - numbers->listed < day;
  return file && isRecent && numbers->bytes <= limit;
}

void CacheCount::set(std::optional<uint64_t> bytes) {
  if (bytes)
    write({*bytes, now()});
  else
    file = Descriptor();
}
