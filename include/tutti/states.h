/* States of optimizers that lie in a file: between their uses they need not be in memory. The host
   maps the file, and its buffers are those of the program; the manifest says which variables these
   are, and in which use of the step each is used.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_STATES_H
#define TUTTI_STATES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So many neighbouring uses have their states in memory at one time: one is written, one is used,
   one is read. A compiled program counts its memory by it. */
#define TUTTI_STATE_USES_AT_ONCE 3

/* Called from the thread of the context. */
typedef struct tutti_state_service {
  int64_t struct_bytes;
  void *self;
  /* Uses follow one another in the step as they are numbered, from 0, and then begin again. Those
     of `use` are over: its states may leave memory, and those of later uses may be read. Wherever
     they are, their values stay. Returns a status, and writes a text of at most `message_bytes`
     with its NUL where that is not TUTTI_OK. Does not throw. */
  int32_t (*release)(void *self, int64_t use, char *message, int64_t message_bytes);
} tutti_state_service;

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_STATES_H */
