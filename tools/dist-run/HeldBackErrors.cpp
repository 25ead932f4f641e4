// Standard error as a file in memory; asking and answering through a socket.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/HeldBackErrors.h"

#include "runtime/host/launch/NameOnNode.h"
#include "runtime/support/Stopwatch.h"
#include "runtime/support/system/LocalSocket.h"
#include "tools/dist-run/EndLaunch.h"

#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace tutti;
using runtime::LocalSocket;
using runtime::Stopwatch;
using namespace runtime::worker;

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

HeldBackErrors::HeldBackErrors(const std::optional<runtime::worker::LaunchEnvironment> &launched,
                               int argc, char **argv) {
  if (!launched || launched->ranks == 1)
    return;
  telling.emplace(*launched, argc, argv);
  isFirst = launched->rank == 0;
  if (!isFirst)
    hold();
}

void HeldBackErrors::hold() {
  held = memfd_create("tutti-errors", MFD_CLOEXEC);
  standardError = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (held < 0 || standardError < 0 || dup2(held, STDERR_FILENO) < 0)
    forget();
}

static std::string contentOf(int file) {
  std::string content;
  char piece[4096];
  while (true) {
    ssize_t bytes = pread(file, piece, sizeof piece, off_t(content.size()));
    if (bytes <= 0)
      return content;
    content.append(piece, size_t(bytes));
  }
}

void HeldBackErrors::giveOut(int status) {
  constexpr double secondsOfRankZero = 3; // mpirun takes more than one to end the others
  constexpr double secondsOfOthers = 1;   // until they have failed too, if they do
  if (!telling)
    return;
  if (isFirst) {
    telling->answer(secondsOfOthers);
  } else if (held >= 0 && telling->isTold(secondsOfRankZero)) {
    return forget();
  } else if (held >= 0) {
    std::string content = contentOf(held);
    forget();
    (void)!write(STDERR_FILENO, content.data(), content.size());
  }
  endLaunch(status);
}

void HeldBackErrors::forget() {
  if (standardError >= 0)
    dup2(standardError, STDERR_FILENO);
  for (int *file : {&standardError, &held}) {
    if (*file >= 0)
      close(*file);
    *file = -1;
  }
}
