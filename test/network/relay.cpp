// network-relay A B UNTIL RATE DELAY: a wire between two tun devices, for kernels that cannot delay
// packets themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A and B are files that are open already and do not block; each direction has RATE (bit a second,
// 0: unlimited) for itself and takes DELAY (seconds). Ends when the file UNTIL ends: then the
// process that asked for the wire is gone.
#include "wire.h"

#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>

using namespace tutti::test;

namespace {

Time now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// A wire does not wait for a processor, where this process may ask for that, nor for others to
/// wake up with.
void be_punctual() {
  sched_param urgent = {};
  urgent.sched_priority = 1;
  sched_setscheduler(0, SCHED_RR, &urgent);
  prctl(PR_SET_TIMERSLACK, 1);
}

/// Sleeps until a packet comes, or is due.
void wait(pollfd (&files)[3], const Wire (&wires)[2]) {
  std::optional<Time> due;
  for (const Wire &wire : wires)
    if (std::optional<Time> next = wire.next_arrival(); next && (!due || *next < *due))
      due = next;
  timespec pause = {};
  if (due) {
    Time left = std::max(Time(0), *due - now());
    pause.tv_sec = left.count() / 1000000000;
    pause.tv_nsec = left.count() % 1000000000;
  }
  ppoll(files, 3, due ? &pause : nullptr, nullptr);
}

void relay(int a, int b, int until, double rate, Time delay) {
  Wire wires[] = {{a, b, rate, delay}, {b, a, rate, delay}};
  pollfd files[] = {{a, POLLIN, 0}, {b, POLLIN, 0}, {until, POLLIN, 0}};
  while (!files[2].revents) {
    wait(files, wires);
    for (int side : {0, 1}) {
      if (files[side].revents & POLLIN)
        wires[side].take(now());
      wires[side].deliver(now());
    }
  }
}

} // namespace

int main(int count, char **words) {
  if (count != 6) {
    std::fputs("usage: network-relay A B UNTIL RATE DELAY (the first three are open files)\n",
               stderr);
    return 2;
  }
  be_punctual();
  relay(std::atoi(words[1]), std::atoi(words[2]), std::atoi(words[3]), std::atof(words[4]),
        Time(int64_t(std::atof(words[5]) * 1e9)));
}
