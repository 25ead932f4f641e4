/* The context: one rank of one run. Compiled code gets it as its first argument; the host makes and
   frees it. A context is used from one thread at a time. No function here throws, exits or aborts.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_CONTEXT_H
#define TUTTI_CONTEXT_H

#include "tutti/backend.h"
#include "tutti/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TUTTI_EXPORT __attribute__((visibility("default")))
#else
#define TUTTI_EXPORT
#endif

/* Grows by one when compiled programs of before can no longer run. */
#define TUTTI_ABI_VERSION 1

/* How a context is made. Set `struct_bytes` to sizeof(tutti_context_options). */
typedef struct tutti_context_options {
  int64_t struct_bytes;
  const tutti_backend *backend; /* from tutti_backend_self, tutti_backend_shm or a plug-in */
  const char *connection;       /* what the backend's `open` expects; may be null for self */
  int32_t rank;                 /* 0 <= rank < size */
  int32_t size;                 /* number of ranks of the world */
} tutti_context_options;

/* What a context has done so far. */
typedef struct tutti_counters {
  int64_t collectives;          /* calls of collectives */
  int64_t bytes;                /* payload of those calls on this rank, in bytes */
  double communication_seconds; /* inside collectives, waiting included */
  int64_t kernels;              /* calls of kernels */
  int64_t allocated_bytes;      /* given out by tutti_context_alloc */
} tutti_counters;

/* tutti_abi_version: TUTTI_ABI_VERSION of the library.
   tutti_status_name, tutti_type_name: static text, "unknown status", "unknown type".
   tutti_type_bytes: bytes of an element, 0 for an unknown type.
   tutti_backend_self, tutti_backend_shm: the embedded backends; static, never null.

   tutti_context_create: sets *out_context whenever it is not null. On failure too there is a
   context (unless memory is exhausted), so that its message can be read; it must be destroyed like
   any other. tutti_context_destroy: frees the context and all memory that it gave out. Null is
   allowed. tutti_context_status, tutti_context_message: the first error, or TUTTI_OK and "". The
   text is the context's. tutti_context_fail: records an error unless there is one; peers learn of
   it at their next wait. tutti_context_set_step: the number of the step that runs next, from 0; for
   dropout and for messages. tutti_context_set_samples: how dropout finds the global index of a
   local sample; see types.h. tutti_context_describe_plan_entry: the text by which messages call a
   plan entry; copied. tutti_context_exchange_plan: collective. Fails on every rank, and names both
   sides, unless ABI version, world size, fingerprint and plan (one entry a line) agree on all
   ranks. tutti_context_alloc: zeroed memory, 64-byte aligned, where the backend wants it; freed
   with the context. tutti_context_counters: a copy of the counters. */
#define TUTTI_HOST_ENTRY(result, name, parameters) TUTTI_EXPORT result name parameters;
#include "tutti/abi.def"

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_CONTEXT_H */
