// The file by which ranks find rank 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/gloo/Rendezvous.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
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

} // namespace tutti::runtime::gloo_backend
