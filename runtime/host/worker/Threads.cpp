// Starting threads that wait until all are there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/Threads.h"

#include <pthread.h>
#include <vector>

namespace tutti::runtime::worker {

static void *wait_for_start(void *gate) {
  auto *mutex = static_cast<pthread_mutex_t *>(gate);
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  return nullptr;
}

Error try_threads(int64_t count) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  std::vector<pthread_t> started;
  int problem = 0;
  pthread_mutex_lock(&gate);
  while (problem == 0 && int64_t(started.size()) + 1 < count) {
    pthread_t thread;
    problem = pthread_create(&thread, nullptr, wait_for_start, &gate);
    if (problem == 0)
      started.push_back(thread);
  }
  pthread_mutex_unlock(&gate);
  for (pthread_t thread : started)
    pthread_join(thread, nullptr);
  if (problem == 0)
    return Error::success();
  return Error::make(TUTTI_SYSTEM_ERROR, "cannot have ", count, " threads, only ",
                     started.size() + 1, ": ", system_message(problem));
}

} // namespace tutti::runtime::worker
