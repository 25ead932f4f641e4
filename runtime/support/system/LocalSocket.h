// Sockets by which processes of one machine find each other without a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_LOCALSOCKET_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_LOCALSOCKET_H

#include <string>
#include <sys/socket.h>

namespace tutti::runtime {

/// A socket of this machine, closed with its scope and on exec. Its names are no files (unix(7),
/// abstract sockets), and go with it.
class LocalSocket {
public:
  explicit LocalSocket(int type);
  /// One that this process has inherited; it is closed on exec from now on.
  static LocalSocket adopt(int descriptor);
  LocalSocket(LocalSocket &&other) noexcept;
  LocalSocket(const LocalSocket &) = delete;
  ~LocalSocket();

  int descriptor() const { return file; }
  /// Whether it has the name now, which no other socket had.
  bool listen(const std::string &name) const;
  /// Whether somebody listens by that name.
  bool connect(const std::string &name) const;
  /// The next connection, if one is made within `seconds`; else a socket that is not open.
  LocalSocket accept(double seconds) const;
  bool is_open() const { return file >= 0; }
  /// Whether the other side is a process of this user.
  bool is_of_own_user() const;

private:
  struct Descriptor {
    int file;
  };
  explicit LocalSocket(Descriptor given) : file(given.file) {}
  int file;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_LOCALSOCKET_H
