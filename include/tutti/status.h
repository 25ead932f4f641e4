/* Status codes of the runtime: what every door function that can fail returns, and what a context
   keeps. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_STATUS_H
#define TUTTI_STATUS_H

#include <stdint.h>

/* X(constant, value, name): the name is what tutti_status_name returns. Values never change. */
#define TUTTI_FOR_EACH_STATUS(X)                                                                   \
  X(TUTTI_OK, 0, "ok")                                                                             \
  X(TUTTI_INVALID_ARGUMENT, 1, "invalid argument")                                                 \
  X(TUTTI_UNSUPPORTED, 2, "unsupported")                                                           \
  X(TUTTI_OUT_OF_MEMORY, 3, "out of memory")                                                       \
  X(TUTTI_RANK_DIED, 4, "a rank died")                                                             \
  X(TUTTI_STALLED, 5, "stalled")                                                                   \
  X(TUTTI_PLAN_MISMATCH, 6, "plan mismatch")                                                       \
  X(TUTTI_BAD_DATA, 7, "bad data")                                                                 \
  X(TUTTI_KERNEL_FAILED, 8, "kernel failed")                                                       \
  X(TUTTI_INTERRUPTED, 9, "interrupted")                                                           \
  X(TUTTI_SYSTEM_ERROR, 10, "system error")                                                        \
  X(TUTTI_BAD_PROGRAM, 11, "bad program")                                                          \
  X(TUTTI_PEER_FAILED, 12, "a peer failed")

enum tutti_status {
#define TUTTI_STATUS_CASE(constant, value, name) constant = value,
  TUTTI_FOR_EACH_STATUS(TUTTI_STATUS_CASE)
#undef TUTTI_STATUS_CASE
};

#endif /* TUTTI_STATUS_H */
