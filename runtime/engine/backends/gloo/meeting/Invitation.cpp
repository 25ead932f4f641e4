// The file by which ranks find rank 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/Rendezvous.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

constexpr char title[] = "tutti rendezvous 1";

int digit(char letter) {
  if (letter >= '0' && letter <= '9')
    return letter - '0';
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

Error system_error(const std::string &what) {
  return Error::make(TUTTI_SYSTEM_ERROR, what, ": ", std::strerror(errno));
}

} // namespace

std::string Invitation::text() const {
  std::string digits;
  for (uint8_t byte : secret) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    digits += two;
  }
  return tutti::runtime::text(title, "\n", digits, "\n", address.text(), "\n");
}

Result<Invitation> Invitation::parse(const std::string &content) {
  Error bad = Error::make(TUTTI_BAD_DATA, "is no invitation to a rendezvous");
  std::istringstream lines(content);
  std::string first, digits, host, port;
  Invitation read;
  if (!std::getline(lines, first) || first != title || !std::getline(lines, digits) ||
      digits.size() != 2 * read.secret.size() || !(lines >> host >> port) || lines.get() != '\n')
    return bad;
  for (size_t i = 0; i < read.secret.size(); ++i) {
    int high = digit(digits[2 * i]), low = digit(digits[2 * i + 1]);
    if (high < 0 || low < 0)
      return bad;
    read.secret[i] = uint8_t(high << 4 | low);
  }
  Result<SocketAddress> address = SocketAddress::parse(host, port);
  if (!address)
    return bad;
  read.address = *address;
  return read;
}

/// No address has these letters.
constexpr std::pair<char, char> as_letters_of_words[] = {{' ', ','}, {'\n', ';'}};

std::string Invitation::word() const {
  std::string word = text();
  for (auto [letter, other] : as_letters_of_words)
    std::replace(word.begin(), word.end(), letter, other);
  return word;
}

Result<Invitation> Invitation::parse_word(std::string word) {
  for (auto [letter, other] : as_letters_of_words)
    std::replace(word.begin(), word.end(), other, letter);
  return parse(word);
}

Error Invitation::write(const std::string &path) const {
  std::string content = text(), temporary = path + ".XXXXXX";
  int descriptor = mkstemp(temporary.data()); // with rights for its owner only
  if (descriptor < 0)
    return system_error("cannot write '" + path + "'");
  bool is_written = ::write(descriptor, content.data(), content.size()) == ssize_t(content.size());
  is_written &= close(descriptor) == 0;
  if (is_written && std::rename(temporary.c_str(), path.c_str()) == 0)
    return Error::success();
  Error error = system_error("cannot write '" + path + "'");
  unlink(temporary.c_str());
  return error;
}

/// Why a file is not to be trusted; "" if it is.
static std::string problem_of(const struct stat &found) {
  if (!S_ISREG(found.st_mode))
    return "is no regular file";
  if (found.st_uid != geteuid())
    return tutti::runtime::text("belongs to user ", found.st_uid, ", not to user ", geteuid());
  if (found.st_mode & 077)
    return "may be read or written by other users";
  return "";
}

std::string read_invitation(const std::string &path, std::string &out_problem) {
  constexpr size_t most_letters = 4096;
  out_problem.clear();
  int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    if (errno != ENOENT)
      out_problem = errno == ELOOP ? "is a link" : std::strerror(errno);
    return "";
  }
  struct stat found = {};
  out_problem = fstat(file, &found) == 0 ? problem_of(found) : std::strerror(errno);
  std::string content(out_problem.empty() ? most_letters : 0, 0);
  ssize_t got = content.empty() ? 0 : read(file, content.data(), content.size());
  if (got < 0)
    out_problem = std::strerror(errno);
  close(file);
  content.resize(size_t(std::max<ssize_t>(0, got)));
  return content;
}

} // namespace tutti::runtime::gloo_backend
