// The functions of the door, made from abi.def: each calls its implementation, and turns whatever
// that throws into a status with a text. Nothing is thrown across the door.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Context.h"
#include "runtime/engine/core/Door.h"

#include <cstdio>
#include <new>

namespace tutti::runtime {
namespace {

/// The exception that is being handled.
struct Problem {
  int32_t status = TUTTI_SYSTEM_ERROR;
  std::string message = "out of memory"; ///< short enough to need none

  explicit Problem(const char *entry) {
    try {
      throw;
    } catch (const std::bad_alloc &) {
      status = TUTTI_OUT_OF_MEMORY;
      describe(entry, "memory is exhausted");
    } catch (const std::exception &error) {
      describe(entry, error.what());
    } catch (...) {
      describe(entry, "unknown exception");
    }
  }

private:
  void describe(const char *entry, const char *what) noexcept {
    try {
      message = std::string(entry) + ": " + what; // a stream would cut it short instead of throwing
    } catch (...) {                               // the status has to do
    }
  }
};

/// Tells the object that an entry was called for; entries without one return the status alone.
struct Teller {
  const Problem &problem;

  template <typename... Rest> void operator()(tutti_context *context, Rest...) const {
    if (context)
      context->fail(problem.status, problem.message);
  }
  template <typename... Rest> void operator()(const tutti_context *context, Rest...) const {
    (*this)(const_cast<tutti_context *>(context));
  }
  void operator()(const tutti_context_options *, tutti_context **out_context) const {
    if (out_context)
      (*this)(*out_context);
  }
  void operator()(const tutti_backend *, int32_t, int64_t, tutti_meeting **out_meeting) const {
    if (out_meeting && *out_meeting)
      door::set_message(*out_meeting, problem.message);
  }
  void operator()(const char *, const tutti_backend **, char *out_message,
                  int64_t message_bytes) const {
    if (out_message && message_bytes > 0)
      std::snprintf(out_message, size_t(message_bytes), "%s", problem.message.c_str());
  }
  template <typename... Others> void operator()(Others...) const {}
};

/// What an entry returns for an exception: the status where it returns one, else nothing.
template <typename Result> Result answer(const Problem &problem) {
  if constexpr (std::is_same_v<Result, int32_t>)
    return problem.status;
  else if constexpr (std::is_same_v<Result, const char *>)
    return "";
  else
    return Result();
}

template <typename Result, typename Work, typename Tell>
Result guarded(const char *entry, Work work, Tell tell) noexcept {
  try {
    return work();
  } catch (...) {
    Problem problem(entry);
    tell(Teller{problem});
    return answer<Result>(problem);
  }
}

} // namespace
} // namespace tutti::runtime

using namespace tutti::runtime;

#define GUARDED(result, name, arguments)                                                           \
  return guarded<result>(                                                                          \
      #name, [&]() -> result { return door::name arguments; },                                     \
      [&](const Teller &tell) { tell arguments; });
#define TUTTI_ENTRY(name, spelling, parameters, arguments)                                         \
  void name parameters { GUARDED(void, name, arguments) }
#define TUTTI_QUERY_ENTRY(name, spelling, parameters, arguments)                                   \
  int64_t name parameters { GUARDED(int64_t, name, arguments) }
#define TUTTI_HOST_ENTRY(result, name, parameters, arguments)                                      \
  result name parameters { GUARDED(result, name, arguments) }
#include "tutti/abi.def"
