// Whether this process can have the threads that a rank is to use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_THREADS_H
#define TUTTI_RUNTIME_HOST_WORKER_THREADS_H

#include "runtime/support/Error.h"

namespace tutti::runtime::worker {

/// Has `count` threads at once, this one among them, for a moment; or says why it cannot. OpenMP
/// would end the process instead.
Error try_threads(int64_t count);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_THREADS_H
