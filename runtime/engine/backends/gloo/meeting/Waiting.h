// Waiting while ranks meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_WAITING_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_WAITING_H

#include "runtime/support/Error.h"
#include "tutti/context.h"

#include <chrono>
#include <cstdio>

namespace tutti::runtime::gloo_backend {

/// How long a rank has waited, with its warning and its end.
class Waiting {
public:
  explicit Waiting(const tutti_limits &limits) : limits(limits) {}

  template <typename What> Error check(What what) {
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds >= limits.stall_error)
      return Error::make(TUTTI_STALLED, describe(seconds, what));
    if (seconds >= limits.stall_warning && !has_warned) {
      has_warned = true;
      std::fprintf(stderr, "tutti: warning: %s\n", describe(seconds, what).c_str());
    }
    return Error::success();
  }

private:
  template <typename What> static std::string describe(double seconds, What what) {
    auto [who, whom] = what();
    return text(who, " waited ", int64_t(seconds), " s for ", whom);
  }

  tutti_limits limits;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  bool has_warned = false;
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_WAITING_H
