// What the system says of a failure, and which limit of this process it comes from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Error.h"

#include <cerrno>
#include <cstring>
#include <sys/resource.h>

namespace tutti::runtime {
namespace {

/// Errors that come from limits which the shell's ulimit sets.
struct Limit {
  int error, resource;
  const char *what, *option; ///< of ulimit
};

constexpr Limit limits[] = {
    {EMFILE, RLIMIT_NOFILE, "open files", "-n"},
    {EAGAIN, RLIMIT_NPROC, "processes and threads of the user", "-u"},
    {EFBIG, RLIMIT_FSIZE, "bytes of a file", "-f"},
    {ENOMEM, RLIMIT_AS, "bytes of address space", "-v"},
};

} // namespace

std::string system_message(int number) {
  char buffer[256];
  std::string message = strerror_r(number, buffer, sizeof buffer); // the GNU form: returns the text
  for (const Limit &limit : limits) {
    rlimit current;
    bool is_limited = limit.error == number && getrlimit(limit.resource, &current) == 0 &&
                      current.rlim_cur != RLIM_INFINITY;
    if (is_limited)
      message += text("; the limit is ", current.rlim_cur, " ", limit.what,
                      "; raise it with ulimit ", limit.option);
  }
  return message;
}

} // namespace tutti::runtime
