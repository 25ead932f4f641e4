// Handlers that allocate nothing and lock nothing: they may have interrupted anything.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/FaultSignals.h"

#include "runtime/engine/backends/shm/segment/Segment.h"
#include "runtime/engine/core/Context.h"
#include "runtime/support/system/NamedMemory.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <ucontext.h>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

std::atomic<int64_t> own_rank{-1};
std::atomic<const tutti_context *> watched_context{nullptr};
std::atomic<const shm::Segment *> watched_segment{nullptr};

/// A line of limited length, put together without allocation.
class Line {
public:
  Line &operator<<(const char *part) { return add(part, std::strlen(part)); }
  Line &operator<<(int64_t number) {
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t left = number < 0 ? 0 - uint64_t(number) : uint64_t(number);
    do
      *--at = char('0' + left % 10);
    while (left /= 10);
    if (number < 0)
      *--at = '-';
    return add(at, size_t(digits + sizeof digits - at));
  }
  Line &add(const char *part, size_t bytes) {
    bytes = std::min(bytes, sizeof content - 1 - length);
    std::memcpy(content + length, part, bytes);
    length += bytes;
    return *this;
  }
  const char *text() const { return content; }
  size_t bytes() const { return length; }

private:
  char content[shm::message_bytes] = {};
  size_t length = 0;
};

const char *name_of(int number) {
  switch (number) {
  case SIGSEGV:
    return "SIGSEGV";
  case SIGBUS:
    return "SIGBUS";
  case SIGFPE:
    return "SIGFPE";
  }
  return "SIGILL";
}

/// The name after a kernel's parameters, see include/tutti/abi.def.
void add_node(Line &line, const int64_t *words) {
  char name[256];
  int64_t bytes = std::clamp<int64_t>(words[0], 0, sizeof name);
  for (int64_t i = 0; i < bytes; ++i)
    name[i] = char(uint64_t(words[1 + i / 8]) >> (i % 8 * 8));
  if (bytes > 0)
    line.add(" of node '", 10).add(name, size_t(bytes)) << "'";
}

void add_place(Line &line, const void *code) {
  if (const tutti_context *context = watched_context) {
    line << " at step " << context->step.load();
    if (const char *kernel = context->running.kernel.load()) {
      line << " in " << kernel;
      add_node(line, context->running.node.load());
      return;
    }
  }
  if (const char *program = memory_name(code))
    line << " in the code of " << program;
}

uintptr_t stack_pointer(const ucontext_t *state) {
#if defined(__x86_64__)
  return uintptr_t(state->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return state->uc_mcontext.sp;
#else
  return 0;
#endif
}

const void *program_counter(const ucontext_t *state) {
#if defined(__x86_64__)
  return reinterpret_cast<const void *>(state->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void *>(state->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

/// Whether an access to `address` is one to a stack that has no room left.
bool is_near_stack(const void *address, const ucontext_t *state) {
  constexpr uintptr_t reach = 1 << 20; // a frame may be large
  return uintptr_t(address) + reach > stack_pointer(state) &&
         uintptr_t(address) < stack_pointer(state) + reach;
}

void add_cause(Line &line, const siginfo_t &info, const ucontext_t *state) {
  const char *file = memory_name(info.si_addr);
  if (info.si_code <= 0) // sent by a process
    line << ": process " << int64_t(info.si_pid) << " sent it";
  else if (info.si_signo == SIGBUS && file)
    line << ": " << file << " became shorter while it was in use, or cannot be read any more";
  else if (info.si_signo == SIGBUS)
    line << ": the machine, or the control group, has no memory left for what the ranks share";
  else if (info.si_signo == SIGFPE)
    line << ": a division of whole numbers, by zero or of the smallest by -1";
  else if (info.si_signo == SIGILL)
    line << ": an instruction that this processor does not have; was it compiled on another?";
  else if (is_near_stack(info.si_addr, state))
    line << ": the stack is full (its limit is told by ulimit -s)";
  else if (file)
    line << ": " << file << " was written or used in a way that its mapping does not allow";
  else
    line << ": an access to memory that is not there";
}

void report(int number, siginfo_t *info, void *raw_state) {
  auto *state = static_cast<const ucontext_t *>(raw_state);
  Line line;
  line << name_of(number);
  add_place(line, program_counter(state));
  add_cause(line, *info, state);
  const shm::Segment *segment = watched_segment;
  bool is_told = segment && segment->abort_with_message(own_rank, TUTTI_RANK_DIED, line.text());
  if (!is_told) {
    Line whole;
    whole << "error: ";
    if (own_rank >= 0)
      whole << "rank " << own_rank.load() << ": ";
    whole << line.text() << "\n";
    (void)!write(STDERR_FILENO, whole.text(), whole.bytes());
  }
  signal(number, SIG_DFL);
  raise(number); // it is delivered when this handler returns
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_sanitizer = true;
#else
constexpr bool has_sanitizer = false;
#endif

void handle(std::initializer_list<int> numbers) {
  if (has_sanitizer)
    return;
  // A stack of its own: what is reported may be that the other one is full.
  constexpr size_t bytes = 64 << 10;
  static char stack[bytes];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = bytes;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int number : numbers)
    sigaction(number, &action, nullptr);
}

} // namespace

void report_faults(int64_t rank) {
  own_rank = rank;
  handle({SIGSEGV, SIGBUS, SIGFPE, SIGILL});
}

void report_file_faults() { handle({SIGBUS}); }

void report_faults_of(const tutti_context *context, const shm::Segment *segment) {
  watched_context = context;
  watched_segment = segment;
}

} // namespace tutti::runtime::worker
