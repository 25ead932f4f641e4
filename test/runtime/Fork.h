// A function in a process of its own, which answers with a text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_FORK_H
#define TUTTI_TEST_RUNTIME_FORK_H

#include <functional>
#include <string>
#include <sys/types.h>

struct Fork {
  pid_t pid = -1;
  int pipe = -1;
};

/// Starts `work` in a child that dies with its parent. pid -1 if that cannot be.
Fork start_fork(const std::function<std::string()> &work);

/// Waits for the child; what `work` returned, or how the child died.
std::string finish_fork(const Fork &fork);

/// Whether the system lets one child read the memory of another.
bool can_forks_read_each_other();

#endif // TUTTI_TEST_RUNTIME_FORK_H
