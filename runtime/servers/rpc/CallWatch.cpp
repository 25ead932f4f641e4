// One thread that looks four times a second.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/CallWatch.h"

#include "runtime/support/system/HeldSignals.h"

#include <algorithm>
#include <grpcpp/grpcpp.h>

namespace tutti::runtime::servers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_looks(250);
/// gRPC ends a call itself where its timers are in time, and says more of it.
constexpr std::chrono::milliseconds later_than_grpc(500);
constexpr double endless = 1e9; // seconds

} // namespace

CallWatch::~CallWatch() {
  {
    std::lock_guard lock(mutex);
    is_over = true;
  }
  ends.notify_all();
  if (thread.joinable())
    thread.join();
}

void CallWatch::keep_connecting(const std::shared_ptr<grpc::Channel> &channel) {
  std::lock_guard lock(mutex);
  channels.push_back(channel);
  start();
}

void CallWatch::begin(CallLimit &limit) {
  std::lock_guard lock(mutex);
  limits.insert(&limit);
  start();
}

void CallWatch::end(CallLimit &limit) {
  std::lock_guard lock(mutex);
  limits.erase(&limit);
}

/// With the mutex.
void CallWatch::start() {
  if (thread.joinable())
    return;
  HeldSignals held; // the thread inherits it
  thread = std::thread([this] { run(); });
}

void CallWatch::run() {
  std::unique_lock lock(mutex);
  while (!ends.wait_for(lock, between_looks, [&] { return is_over; })) {
    end_late_calls();
    std::vector<std::shared_ptr<grpc::Channel>> alive;
    for (const std::weak_ptr<grpc::Channel> &channel : channels)
      if (std::shared_ptr<grpc::Channel> one = channel.lock())
        alive.push_back(std::move(one));
    channels.assign(alive.begin(), alive.end());
    lock.unlock(); // the last owner of a channel ends it
    for (std::shared_ptr<grpc::Channel> &channel : alive)
      if (channel->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_TRANSIENT_FAILURE)
        grpc::experimental::ChannelResetConnectionBackoff(channel.get());
    alive.clear();
    lock.lock();
  }
}

/// With the mutex, so that no call ends its context meanwhile.
void CallWatch::end_late_calls() {
  for (CallLimit *limit : limits)
    if (!limit->is_late && Clock::now() > limit->end) {
      limit->is_late = true;
      limit->context.TryCancel();
    }
}

CallLimit::CallLimit(std::shared_ptr<CallWatch> watch_of_call, grpc::ClientContext &context,
                     double seconds)
    : watch(std::move(watch_of_call)), context(context) {
  seconds = std::min(seconds, endless);
  context.set_deadline(span_of(seconds));
  end = Clock::now() + later_than_grpc +
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  watch->begin(*this);
}

CallLimit::~CallLimit() { watch->end(*this); }

grpc::Status CallLimit::outcome(const grpc::Status &status) const {
  std::lock_guard lock(watch->mutex);
  bool is_ours = is_late && status.error_code() == grpc::StatusCode::CANCELLED;
  return is_ours ? grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded") : status;
}

} // namespace tutti::runtime::servers
