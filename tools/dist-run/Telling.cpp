// Asking and answering through a socket in the abstract name space, and a word to the launcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Telling.h"

#include "runtime/support/Stopwatch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace tutti;
using runtime::Stopwatch;
using runtime::worker::LaunchEnvironment;

namespace {

/// A socket that ends with its scope.
class LocalSocket {
public:
  explicit LocalSocket(int type) : file(socket(AF_UNIX, type | SOCK_CLOEXEC, 0)) {}
  ~LocalSocket() {
    if (file >= 0)
      close(file);
  }
  LocalSocket(const LocalSocket &) = delete;
  const int file;
};

/// A name that begins with a zero byte is no file.
struct Address {
  explicit Address(const std::string &name) {
    content.sun_family = AF_UNIX;
    size_t letters = std::min(name.size(), sizeof content.sun_path - 1);
    std::memcpy(content.sun_path + 1, name.data(), letters);
    bytes = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + letters);
  }
  const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&content); }

  sockaddr_un content = {};
  socklen_t bytes;
};

std::string nameOf(const LaunchEnvironment &launched, int argc, char **argv) {
  llvm::SmallString<128> folder;
  (void)llvm::sys::fs::current_path(folder);
  std::string all = launched.launcher + '\n' + launched.size + '\n' + launched.run + '\n' +
                    folder.str().str() + '\n';
  for (int i = 0; i < argc; ++i)
    all += std::string(argv[i]) + '\0';
  return "tutti-told-" + std::to_string(getuid()) + "-" + llvm::utohexstr(llvm::xxh3_64bits(all));
}

bool sendWhole(int file, const char *text) {
  return write(file, text, std::strlen(text)) == ssize_t(std::strlen(text));
}

} // namespace

Telling::Telling(const LaunchEnvironment &launched, int argc, char **argv)
    : name(nameOf(launched, argc, argv)),
      others((launched.local_ranks ? launched.local_ranks : launched.ranks) - 1) {}

void Telling::answer(double seconds) const {
  LocalSocket listening(SOCK_STREAM);
  Address address(name);
  if (bind(listening.file, address.get(), address.bytes) != 0 ||
      listen(listening.file, SOMAXCONN) != 0)
    return;
  Stopwatch watch;
  for (int64_t left = others; left > 0 && watch.seconds() < seconds;) {
    pollfd who = {listening.file, POLLIN, 0};
    if (poll(&who, 1, int((seconds - watch.seconds()) * 1000) + 1) <= 0)
      continue;
    int asking = accept4(listening.file, nullptr, nullptr, SOCK_CLOEXEC);
    if (asking < 0)
      return;
    close(asking);
    --left;
  }
}

bool Telling::isTold(double seconds) const {
  constexpr useconds_t pause = 20000;
  Stopwatch watch;
  Address address(name);
  do {
    LocalSocket asking(SOCK_STREAM);
    if (connect(asking.file, address.get(), address.bytes) == 0)
      return true;
    usleep(pause);
  } while (watch.seconds() < seconds);
  return false;
}

void tutti::endLaunch(int status) {
  const char *variable = std::getenv("PMI_FD");
  int launcher = variable ? std::atoi(variable) : -1;
  if (launcher < 0)
    return;
  constexpr useconds_t untilErrorsAreRead = 300000; // the launcher drops what it has not read yet
  usleep(untilErrorsAreRead);
  char answer[256];
  pollfd wait = {launcher, POLLIN, 0};
  if (sendWhole(launcher, "cmd=init pmi_version=1 pmi_subversion=1\n") &&
      poll(&wait, 1, 1000) > 0 && read(launcher, answer, sizeof answer) > 0)
    (void)sendWhole(launcher, ("cmd=abort exitcode=" + std::to_string(status) + "\n").c_str());
}
