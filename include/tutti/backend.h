/* A backend: how ranks reach each other. One static table of functions; `self` is the smallest and
   the one to copy. A backend knows transport and, where it has something better than the generic
   algorithms of the runtime,
   collectives of its own. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_BACKEND_H
#define TUTTI_BACKEND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tutti_context tutti_context;

#define TUTTI_BACKEND_VERSION 3

/* How long a rank waits for others, and what it computes with. In the options of a context a 0
   stands for the default. */
typedef struct tutti_limits {
  double stall_warning; /* seconds after which a rank that waits says for whom; 10 */
  double stall_error;   /* seconds after which it gives up; 300 */
  int64_t threads;      /* that each rank computes with; 1 */
} tutti_limits;

/* What a backend can do beyond the plain calls; a bit set means yes. */
#define TUTTI_BACKEND_SHARES_MEMORY 1u /* alloc gives memory that peers read and write directly */
#define TUTTI_BACKEND_IN_ORDER 2u      /* its reductions are taken in rank order, as types.h says */
#define TUTTI_BACKEND_NOTICES_DEATH 4u /* it tells the context when the process of a peer ends */

/* The kinds of calls. X(constant, value, name). Values never change. */
#define TUTTI_FOR_EACH_CALL(X)                                                                     \
  X(TUTTI_ALL_REDUCE, 0, "all_reduce")                                                             \
  X(TUTTI_BROADCAST, 1, "broadcast")                                                               \
  X(TUTTI_ALL_GATHER, 2, "all_gather")                                                             \
  X(TUTTI_REDUCE_SCATTER, 3, "reduce_scatter")                                                     \
  X(TUTTI_REDUCE, 4, "reduce")                                                                     \
  X(TUTTI_GATHER, 5, "gather")                                                                     \
  X(TUTTI_SCATTER, 6, "scatter")                                                                   \
  X(TUTTI_ALL_TO_ALL, 7, "all_to_all")                                                             \
  X(TUTTI_ALL_TO_ALL_V, 8, "all_to_all_v")                                                         \
  X(TUTTI_SEND, 9, "send")                                                                         \
  X(TUTTI_RECV, 10, "recv")                                                                        \
  X(TUTTI_BARRIER, 11, "barrier")

enum tutti_call_kind {
#define TUTTI_CALL_CASE(constant, value, name) constant = value,
  TUTTI_FOR_EACH_CALL(TUTTI_CALL_CASE)
#undef TUTTI_CALL_CASE
      TUTTI_CALL_KINDS = 12
};

/* One call on one rank, as the door's function of the same name describes it. Pointers live as long
   as the call; for all_to_all_v, count is 1, elements[0] is unused and counts and displacements are
   in elements. */
typedef struct tutti_call {
  int64_t plan_entry;
  int32_t kind;
  int32_t type;
  int32_t reduction; /* reductions only */
  int32_t peer;      /* the root, or the other side of send and recv: a rank of the group */
  int64_t tag;       /* send and recv only */
  int64_t count;     /* buffers in the bucket */
  const void *const *sources;
  void *const *destinations;
  const int64_t *elements;
  const int64_t *send_counts, *send_displacements;       /* all_to_all_v only */
  const int64_t *receive_counts, *receive_displacements; /* all_to_all_v only */
} tutti_call;

/* Bytes to or from a member of the group. */
typedef struct tutti_transfer {
  int32_t peer;
  int32_t is_send; /* else it is a receive */
  void *memory;    /* of a send: only read */
  int64_t bytes;
} tutti_transfer;

/* A group as its member sees it. */
typedef struct tutti_group {
  int32_t rank; /* of this process within the group */
  int32_t size;
  const int32_t *members; /* their world ranks; live as long as the group */
  /* Counts the groups that these very members have made in this order, so that all of them can name
   * this one alike. */
  int64_t occurrence;
} tutti_group;

/* A collective of a backend. `communicator` is what `join` made. */
typedef int32_t (*tutti_backend_call)(void *communicator, tutti_context *context,
                                      const tutti_call *call);

/* Functions return a status; before they return anything but TUTTI_OK they record the error with
   tutti_context_fail. `state` is what `open` made. Arguments are checked before a backend sees
   them. Two threads of a process may be inside a backend at once, never with the same communicator.
 */
typedef struct tutti_backend {
  uint32_t version;      /* TUTTI_BACKEND_VERSION */
  uint32_t struct_bytes; /* sizeof(tutti_backend) where it was filled in */
  const char *name;
  uint32_t capabilities;
  uint32_t unused;

  /* For launchers: makes a place where `size` ranks of this machine can meet, with `shared_bytes`
     of memory for each where ranks share memory, and gives the text by which they `open` it. The
     text lives as long as the place. Null: ranks meet by other means (their launcher's). */
  int32_t (*host)(int32_t size, int64_t shared_bytes, void **out_place, const char **out_connection,
                  char *out_message, int64_t message_bytes);
  /* Ends the place; ranks that are inside stay connected. */
  void (*unhost)(void *place);
  /* Joins the world described by `connection`. `limits` are all above 0; every wait keeps to them.
     Required. */
  int32_t (*open)(tutti_context *context, const char *connection, const tutti_limits *limits,
                  int32_t rank, int32_t size, void **out_state);
  /* Leaves it and frees `state` and all memory given out; communicators are gone by then. Required.
   */
  void (*close)(void *state);
  /* Makes a communicator among the members of `group`. Called by all of them and no one else.
   * Required. */
  int32_t (*join)(void *state, tutti_context *context, const tutti_group *group,
                  void **out_communicator);
  void (*leave)(void *communicator); /* Required. */
  /* Zeroed, 64-byte aligned memory, the backend's until close. Null: private memory. */
  int32_t (*alloc)(void *state, tutti_context *context, int64_t bytes, void **out_memory);
  /* Starts all transfers and returns when all are complete. Between two ranks transfers match in
     order; a peer is never this rank. Every generic algorithm stands on it. Required, but for
     worlds of one rank. */
  int32_t (*exchange)(void *communicator, tutti_context *context, int64_t plan_entry,
                      const tutti_transfer *transfers, int64_t count);
  /* By kind; null: the runtime's generic algorithm, which is also used when a call answers
     TUTTI_UNSUPPORTED without recording an error. TUTTI_SEND and TUTTI_RECV have none. */
  tutti_backend_call calls[TUTTI_CALL_KINDS];
  /* This rank failed with `message`: tell the peers so that they do not wait. May be called from
     another thread while a collective waits. Null: they find out alone. */
  void (*fail)(void *state, int32_t status, const char *message);
  /* The step that runs next, for messages of peers. May be null. */
  void (*set_step)(void *state, int64_t step);
  /* Not 0 if operations that failed could not be stopped, and memory given to them may still be
     read or written: the context then keeps its memory until the process ends. Null: never. */
  int32_t (*is_using_memory)(void *state);
  /* In place of `open`, on a rank that will not come, as `message` says: tells those that meet, so
     that their `open` fails with it at once. Returns once they know, or after the seconds of
     `limits->stall_error`. Null, or beyond struct_bytes: the others find out when their own limit
     ends. */
  void (*decline)(const char *connection, const tutti_limits *limits, int32_t rank, int32_t size,
                  const char *message);
} tutti_backend;

/* What the shared object of a backend `name`, libtutti_backend_NAME.so, exports: */
typedef const tutti_backend *(*tutti_backend_entry)(void);
#define TUTTI_BACKEND_ENTRY_SYMBOL "tutti_backend_plugin"

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_BACKEND_H */
