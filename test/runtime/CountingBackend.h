// A backend that counts what each rank exchanges.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_COUNTINGBACKEND_H
#define TUTTI_TEST_RUNTIME_COUNTINGBACKEND_H

#include "test/runtime/RankThreads.h"

/// What a rank has given to `exchange`: calls, and bytes.
struct RankTraffic {
  int64_t steps = 0, sent = 0, received = 0;
  bool operator==(const RankTraffic &other) const {
    return steps == other.steps && sent == other.sent && received == other.received;
  }
};

/// Of the rank of this thread.
inline thread_local RankTraffic traffic;
inline thread_local int64_t messages_sent = 0;

inline int32_t count_and_exchange(void *communicator, tutti_context *context, int64_t plan_entry,
                                  const tutti_transfer *transfers, int64_t count) {
  ++traffic.steps;
  for (int64_t i = 0; i < count; ++i) {
    (transfers[i].is_send ? traffic.sent : traffic.received) += transfers[i].bytes;
    messages_sent += transfers[i].is_send;
  }
  return thread_backend()->exchange(communicator, context, plan_entry, transfers, count);
}

/// Static; the backend of threads otherwise.
inline const tutti_backend *counting_backend() {
  static const tutti_backend backend = [] {
    tutti_backend made = *thread_backend();
    made.exchange = count_and_exchange;
    return made;
  }();
  return &backend;
}

#endif // TUTTI_TEST_RUNTIME_COUNTINGBACKEND_H
