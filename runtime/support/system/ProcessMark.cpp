// The boot of this machine, the space of process numbers, and a process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/ProcessMark.h"

#include "runtime/support/Error.h"
#include "runtime/support/Fnv1a.h"

#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {
namespace {

constexpr size_t digits = 12;

uint64_t here() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat space = {};
  stat("/proc/self/ns/pid", &space);
  return fnv1a(tutti::runtime::text(boot, " ", space.st_ino)) >> (64 - 4 * digits);
}

} // namespace

ProcessMark ProcessMark::own() {
  static const uint64_t where = here();
  return {where, getpid()};
}

std::string ProcessMark::text() const {
  char written[32];
  std::snprintf(written, sizeof written, "%012" PRIx64 "-%d", where, process);
  return written;
}

std::optional<ProcessMark> ProcessMark::parse(std::string_view name, std::string_view &rest) {
  ProcessMark mark;
  const char *end = name.data() + name.size();
  if (name.size() < digits + 2 || name[digits] != '-')
    return std::nullopt;
  auto where = std::from_chars(name.data(), name.data() + digits, mark.where, 16);
  auto process = std::from_chars(name.data() + digits + 1, end, mark.process);
  if (where.ptr != name.data() + digits || process.ec != std::errc() || mark.process <= 0)
    return std::nullopt;
  rest = name.substr(size_t(process.ptr - name.data()));
  return mark;
}

bool ProcessMark::has_ended() const {
  return is_of_here() && kill(process, 0) != 0 && errno == ESRCH;
}

} // namespace tutti::runtime
