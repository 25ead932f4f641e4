/* A backend: how ranks reach each other. One static table of functions; `self` is the smallest and
   the one to copy. A null function means that the runtime uses its generic algorithm, built on
   all_gather. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_BACKEND_H
#define TUTTI_BACKEND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tutti_context tutti_context;

#define TUTTI_BACKEND_VERSION 1

/* What a backend can do beyond the plain calls; a bit set means yes. */
#define TUTTI_BACKEND_SHARES_MEMORY 1u /* alloc gives memory that peers read and write directly */

/* One call of a collective on one rank. Pointers live as long as the call. */
typedef struct tutti_call {
  int64_t plan_entry;
  int32_t type;
  int32_t reduction; /* reductions only */
  int32_t root;      /* broadcast only */
  int32_t unused;
  int64_t count; /* buffers in the bucket */
  const void *const *sources;
  void *const *destinations;
  const int64_t *elements; /* as the door's function of the same name states them */
} tutti_call;

/* Functions return a status; before they return anything but TUTTI_OK they record the error with
   tutti_context_fail. `state` is what `open` made. The arguments are checked before a backend sees
   them. */
typedef struct tutti_backend {
  uint32_t version;      /* TUTTI_BACKEND_VERSION */
  uint32_t struct_bytes; /* sizeof(tutti_backend) of the one who filled it */
  const char *name;
  uint32_t capabilities;
  uint32_t unused;

  /* Joins the world described by `connection`. Required. */
  int32_t (*open)(tutti_context *context, const char *connection, int32_t rank, int32_t size,
                  void **out_state);
  /* Leaves it and frees `state` and all memory given out. Required. */
  void (*close)(void *state);
  /* Zeroed, 64-byte aligned memory, the backend's until close. Null: private memory. */
  int32_t (*alloc)(void *state, tutti_context *context, int64_t bytes, void **out_memory);
  /* Required: every generic algorithm stands on it. */
  int32_t (*all_gather)(void *state, tutti_context *context, const tutti_call *call);
  int32_t (*all_reduce)(void *state, tutti_context *context, const tutti_call *call);
  int32_t (*broadcast)(void *state, tutti_context *context, const tutti_call *call);
  int32_t (*reduce_scatter)(void *state, tutti_context *context, const tutti_call *call);
  int32_t (*barrier)(void *state, tutti_context *context, int64_t plan_entry);
  /* This rank failed with `message`: tell the peers so that they do not wait. Null: they find out
   * alone. */
  void (*fail)(void *state, int32_t status, const char *message);
  /* The step that runs next, for messages of peers. May be null. */
  void (*set_step)(void *state, int64_t step);
} tutti_backend;

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_BACKEND_H */
