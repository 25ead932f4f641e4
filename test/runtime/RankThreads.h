// Runs a function on N ranks, each a thread of this process, over a backend whose ranks meet there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_RANKTHREADS_H
#define TUTTI_TEST_RUNTIME_RANKTHREADS_H

#include "runtime/support/Error.h"
#include "test/runtime/ThreadBackend.h"

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

struct RankThreads {
  int32_t ranks = 1;
  const tutti_backend *backend = thread_backend();

  /// The complaint of every rank, "" where all is well. No body begins before every rank has its
  /// context: a body may fail at once.
  std::vector<std::string>
  run(const std::function<std::string(tutti_context *context, int32_t rank)> &body) const {
    tutti_meeting *meeting = nullptr;
    tutti_meeting_create(backend, ranks, 0, &meeting);
    std::vector<std::string> complaints(ranks);
    std::vector<std::thread> threads;
    std::atomic<int32_t> ready{0};
    for (int32_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        tutti_context_options options = {};
        options.struct_bytes = sizeof options;
        options.backend = backend;
        options.connection = tutti_meeting_connection(meeting);
        options.rank = rank;
        options.size = ranks;
        options.one_backend = 1;
        tutti_context *context = nullptr;
        tutti_context_create(&options, &context);
        for (++ready; ready < ranks;)
          std::this_thread::yield();
        complaints[rank] =
            tutti_context_status(context) ? tutti_context_message(context) : body(context, rank);
        tutti_context_destroy(context);
      });
    for (std::thread &thread : threads)
      thread.join();
    tutti_meeting_destroy(meeting);
    return complaints;
  }
  /// What run() gives where no rank complains.
  std::vector<std::string> content() const { return std::vector<std::string>(ranks); }
};

#endif // TUTTI_TEST_RUNTIME_RANKTHREADS_H
