// Reading the connection text, and opening what it names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Connection.h"

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace tutti::runtime::shm {

/// Takes "key=value"; false if it is no such thing.
bool Connection::take(std::string_view item) {
  size_t equals = item.find('=');
  if (equals == std::string_view::npos)
    return false;
  std::string_view key = item.substr(0, equals);
  std::string value(item.substr(equals + 1));
  if (key == "path") {
    path = value;
    return true;
  }
  char *end = nullptr;
  double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != 0 || !(number >= 0 && number < 1e9))
    return false;
  if (key == "descriptor")
    descriptor = int(number);
  else if (key == "staged")
    is_staged = number != 0;
  else
    return false;
  return true;
}

Result<Connection> Connection::parse(std::string_view text) {
  Connection connection;
  while (!text.empty()) {
    size_t end = text.find(';');
    if (!connection.take(text.substr(0, end)))
      return Error::make(TUTTI_INVALID_ARGUMENT, "'", text.substr(0, end), "' is not a setting of ",
                         "backend 'shm' (descriptor, path, staged)");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (connection.descriptor < 0 && connection.path.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT,
                       "backend 'shm' needs descriptor=NUMBER or path=FILE");
  return connection;
}

Result<Segment> Connection::attach() const {
  if (path.empty())
    return Segment::attach(dup(descriptor));
  int own = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (own < 0)
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot open the shared memory '", path,
                       "': ", system_message(errno));
  return Segment::attach(own);
}

} // namespace tutti::runtime::shm
