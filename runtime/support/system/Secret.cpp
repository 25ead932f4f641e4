// Reading a secret, and codes under it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/Secret.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {
namespace {

constexpr size_t fewest_letters = 16, most_letters = 4096;

/// What is wrong with who may read or write a secret, by its open file; "" if nothing is.
std::string exposure_of(const struct stat &file) {
  if (!S_ISREG(file.st_mode))
    return "is no file";
  if (file.st_uid != geteuid() && file.st_uid != 0)
    return text("belongs to user ", file.st_uid, ", not to us (user ", geteuid(), ")");
  if ((file.st_mode & 077) == 0)
    return "";
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", unsigned(file.st_mode & 07777));
  return text("may be read or written by others (mode ", mode, "): chmod 600 it");
}

/// The first line of an open file; `problem` says why there is none.
std::string read_line(int file, std::string &problem) {
  struct stat found = {};
  if (fstat(file, &found) != 0)
    problem = std::strerror(errno);
  else
    problem = exposure_of(found);
  if (!problem.empty())
    return "";
  std::string line(most_letters, 0);
  ssize_t got = ::read(file, line.data(), line.size());
  if (got < 0)
    problem = text("cannot be read: ", std::strerror(errno));
  line.resize(size_t(std::max<ssize_t>(0, got)));
  line.erase(std::min(line.find_first_of("\r\n"), line.size()));
  if (problem.empty() && line.size() < fewest_letters)
    problem = text("has ", line.size(), " letters; ", fewest_letters,
                   " are the least that cannot be guessed");
  return line;
}

} // namespace

Result<std::string> read_token(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot read the token '", path,
                       "': ", std::strerror(errno));
  std::string problem, token = read_line(file, problem);
  close(file);
  if (!problem.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT, "the token '", path, "' ", problem);
  return token;
}

std::string make_nonce() {
  std::string bytes(nonce_bytes, 0);
  bool is_made = RAND_bytes(reinterpret_cast<unsigned char *>(bytes.data()), int(nonce_bytes)) == 1;
  return is_made ? bytes : std::string();
}

std::string code_of(const std::string &token, std::initializer_list<std::string_view> parts) {
  std::string all;
  for (std::string_view part : parts)
    all += text(part.size(), ":", part);
  unsigned char code[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), token.data(), int(token.size()),
       reinterpret_cast<const unsigned char *>(all.data()), all.size(), code, &size);
  std::string digits;
  for (unsigned i = 0; i < size; ++i) {
    digits += "0123456789abcdef"[code[i] >> 4];
    digits += "0123456789abcdef"[code[i] & 15];
  }
  return digits;
}

bool are_equal_secrets(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

} // namespace tutti::runtime
