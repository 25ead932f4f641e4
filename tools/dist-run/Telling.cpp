// Asking and answering through a socket, and a word to the launcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Telling.h"

#include "runtime/host/launch/NameOnNode.h"
#include "runtime/support/Stopwatch.h"
#include "runtime/support/system/LocalSocket.h"

#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <unistd.h>

using namespace tutti;
using runtime::LocalSocket;
using runtime::Stopwatch;
using namespace runtime::worker;

static bool sendWhole(int file, const char *text) {
  return write(file, text, std::strlen(text)) == ssize_t(std::strlen(text));
}

Telling::Telling(const LaunchEnvironment &launched, int argc, char **argv)
    : name(name_on_node("told", launched, {argv, argv + argc})),
      others((launched.local_ranks ? launched.local_ranks : launched.ranks) - 1) {}

void Telling::answer(double seconds) const {
  LocalSocket listening(SOCK_STREAM);
  if (!listening.listen(name))
    return;
  Stopwatch watch;
  for (int64_t left = others; left > 0 && watch.seconds() < seconds;)
    left -= listening.accept(seconds - watch.seconds()).is_open();
}

bool Telling::isTold(double seconds) const {
  constexpr useconds_t pause = 20000;
  Stopwatch watch;
  do {
    if (LocalSocket(SOCK_STREAM).connect(name))
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
