// Deadlines of calls, and connections that are made anew, by a clock that nobody sets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_CALLWATCH_H
#define TUTTI_RUNTIME_SERVERS_RPC_CALLWATCH_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <grpc/support/time.h>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace grpc {
class Channel;
class ClientContext;
class Status;
} // namespace grpc

namespace tutti::runtime::servers {

class CallLimit;

/// So long from when it is asked. A span, and no time of day: somebody may set that clock.
inline gpr_timespec span_of(double seconds) {
  return gpr_time_from_millis(int64_t(seconds * 1000), GPR_TIMESPAN);
}

/// gRPC's timers sleep until times of day (absl::CondVar::WaitWithDeadline): where the clock is set
/// back by an hour, a connection is tried again an hour later, and so late a call ends that nobody
/// answers. The thread of a watch does both by the steady clock. Thread-safe.
class CallWatch {
public:
  CallWatch() = default;
  ~CallWatch();
  CallWatch(const CallWatch &) = delete;

  /// As long as the channel lives, it connects again a quarter of a second after it could not.
  void keep_connecting(const std::shared_ptr<grpc::Channel> &channel);

private:
  friend class CallLimit;
  void begin(CallLimit &limit);
  void end(CallLimit &limit);
  void start();
  void run();
  void end_late_calls();

  std::mutex mutex;
  std::condition_variable ends;
  bool is_over = false;
  std::set<CallLimit *> limits;
  std::vector<std::weak_ptr<grpc::Channel>> channels;
  std::thread thread;
};

/// Of one call, whose context outlives it: the call ends within so many seconds.
class CallLimit {
public:
  CallLimit(std::shared_ptr<CallWatch> watch, grpc::ClientContext &context, double seconds);
  ~CallLimit();
  CallLimit(const CallLimit &) = delete;

  /// What the call ended with, once it has: DEADLINE_EXCEEDED where that is so, whoever ended it.
  grpc::Status outcome(const grpc::Status &status) const;

private:
  friend class CallWatch;
  std::shared_ptr<CallWatch> watch;
  grpc::ClientContext &context;
  std::chrono::steady_clock::time_point end;
  bool is_late = false; ///< the watch has ended the call; under its mutex
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_CALLWATCH_H
