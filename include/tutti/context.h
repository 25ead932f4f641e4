/* The context: one rank of one run. Compiled code gets it as its first argument; the host makes and
   frees it. A context is used from one thread at a time. No function here throws, exits or aborts.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_CONTEXT_H
#define TUTTI_CONTEXT_H

#include "tutti/backend.h"
#include "tutti/rows.h"
#include "tutti/states.h"
#include "tutti/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TUTTI_EXPORT __attribute__((visibility("default")))
#else
#define TUTTI_EXPORT
#endif

/* Grows by one when compiled programs of before can no longer run, or a host of before cannot run
   those of now. */
#define TUTTI_ABI_VERSION 7

/* In which order the values of ranks are reduced. */
enum tutti_reduction_order {
  /* In rank order, so that the bits depend neither on backend nor bucket. */
  TUTTI_ORDER_RANKS = 0,
  /* As the backend's own algorithms do, where they are faster. */
  TUTTI_ORDER_NATIVE = 1,
  /* Those of each node in rank order, then the nodes' in the order of their first ranks; each of
     the two rounded to the element type. The bits are those of a reduction within each node that is
     followed by one across them. */
  TUTTI_ORDER_NODES = 2
};

/* How a context is made. Set `struct_bytes` to sizeof(tutti_context_options). */
typedef struct tutti_context_options {
  int64_t struct_bytes;
  const tutti_backend *backend; /* from tutti_backend_self, tutti_backend_shm or a plug-in */
  const char *connection;       /* what the backend's `open` expects; may be null for self */
  int32_t rank;                 /* 0 <= rank < size */
  int32_t size;                 /* number of ranks of the world */
  int32_t reduction_order;      /* a tutti_reduction_order */
  /* 0: a group whose members share a node uses shared memory, whatever `backend` is. 1: `backend`
   * only. */
  int32_t one_backend;
  /* Names this rank's node; ranks of equal names share memory. Null or empty: the machine itself.
   */
  const char *node;
  tutti_limits limits; /* of all transports: the backend's, and the memory of a node */
} tutti_context_options;

/* A place where the ranks of one machine find each other. */
typedef struct tutti_meeting tutti_meeting;

/* What a context has done so far. */
typedef struct tutti_counters {
  int64_t collectives;          /* calls of collectives */
  int64_t bytes;                /* payload of those calls on this rank, in bytes */
  double communication_seconds; /* inside collectives, waiting included */
  int64_t kernels;              /* calls of kernels */
  int64_t allocated_bytes;      /* given out by tutti_context_alloc */
  /* Payload that this rank copied into or out of memory of the transport because its buffers were
     not where peers can reach them. 0 where all buffers came from tutti_context_alloc. What travels
     in the message itself, as the smallest payloads do, is not staged; nor is what sockets and
     libraries copy. */
  int64_t staged_bytes;
} tutti_counters;

/* tutti_abi_version: TUTTI_ABI_VERSION of the library. tutti_version: the library's version,
   "1.2.3". tutti_status_name, tutti_type_name: static text, "unknown status", "unknown type".
   tutti_type_bytes: bytes of an element, 0 for an unknown type.
   tutti_backend_self, tutti_backend_shm: the embedded backends; static, never null.
   tutti_backend_load: the backend `name`: an embedded one, or a plug-in from the folder of this
   library, or from the folders of TUTTI_BACKEND_PATH (separated by colons). TUTTI_UNSUPPORTED with
   a text in out_message where it, or a library that it needs, is not on this machine.
   tutti_meeting_create: makes a place for `size` ranks of this machine, before they start; each may
   get `shared_bytes` from tutti_context_alloc. Sets *out_meeting whenever it is not null; on
   failure to an object that has the message. tutti_meeting_connection: the text for the ranks'
   options; the meeting's. tutti_meeting_destroy: once all ranks have their contexts; null is
   allowed.
   tutti_context_group_backend: the name of the backend that serves a group; "" where this rank is
   no member.

   tutti_context_create: sets *out_context whenever it is not null. On failure too there is a
   context (unless memory is exhausted), so that its message can be read; it must be destroyed like
   any other. tutti_context_destroy: frees the context and all memory that it gave out. Null is
   allowed. tutti_context_status, tutti_context_message: the first error, or TUTTI_OK and "". The
   text is the context's. tutti_context_fail: records an error unless there is one; peers learn of
   it at their next wait. tutti_context_set_step: the number of the step that runs next, from 0; for
   dropout and for messages. tutti_context_set_samples: how dropout finds the global index of a
   local sample; see types.h. tutti_context_set_neighbours: before that, how many neighbouring ranks
   have the same samples, because they hold one model in parts; 1 without it.
   tutti_context_set_rows: who answers for tables
   that servers hold; the host's, which lives as long as the program is called; null is nobody.
   tutti_context_set_states: who keeps states that lie in a file; the same holds of it.
   tutti_context_describe_plan_entry: the text by which messages call a plan entry; copied.
   tutti_context_describe_run: what else ranks must agree on, one "KEY: VALUE" a line, each key
   once, unless it has its default; copied. Nothing without it.
   tutti_context_exchange_plan: collective. Fails on every rank, and names both sides, unless
   library and ABI version, world size, the described run, plan (one entry a line) and fingerprint
   agree on all ranks.
   tutti_context_alloc: zeroed memory, 64-byte aligned, where the backend wants it; freed with the
   context. tutti_context_where: "rank 1 of 4, step 12, plan entry 3 (...)", for messages of
   backends; cut where text_bytes end. tutti_context_counters: a copy of the counters.
 */
#define TUTTI_HOST_ENTRY(result, name, parameters, arguments) TUTTI_EXPORT result name parameters;
#include "tutti/abi.def"

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_CONTEXT_H */
