// The file of the secret.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/UserToken.h"

#include "lib/execution/files/Cache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <array>
#include <sys/random.h>

using namespace tutti::execution;
using llvm::StringRef;

static constexpr StringRef kToken = "servers.token";

static llvm::Error makeToken(const CacheFolder &folder) {
  std::array<uint8_t, 32> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    return systemError("no random numbers for a secret");
  return folder.write(kToken, {llvm::toHex(bytes, /*LowerCase=*/true), "\n"});
}

llvm::Expected<std::string> tutti::execution::findUserToken() {
  llvm::Expected<std::string> path = defaultCacheDirectory();
  if (!path)
    return path;
  llvm::Expected<CacheFolder> folder = CacheFolder::open(*path);
  if (!folder)
    return folder.takeError();
  Descriptor lock = folder->lock((kToken + ".lock").str(), std::chrono::seconds(10));
  llvm::Expected<std::string> token = folder->read(kToken);
  llvm::Error unmade = llvm::handleErrors(
      token.takeError(), [&](std::unique_ptr<llvm::ErrorInfoBase> error) -> llvm::Error {
        if (error->convertToErrorCode() == std::errc::no_such_file_or_directory)
          return makeToken(*folder);
        return llvm::Error(std::move(error));
      });
  if (unmade)
    return unmade;
  llvm::SmallString<128> file(*path);
  llvm::sys::path::append(file, kToken);
  return file.str().str();
}
