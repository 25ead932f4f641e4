/* Element types, reductions, shard modes and groups as compiled code and the runtime number them.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_TYPES_H
#define TUTTI_TYPES_H

#include <stdint.h>

/* X(constant, value, spelling in manifests, bytes of an element). Values never change. */
#define TUTTI_FOR_EACH_TYPE(X)                                                                     \
  X(TUTTI_F16, 1, "f16", 2)                                                                        \
  X(TUTTI_BF16, 2, "bf16", 2)                                                                      \
  X(TUTTI_F32, 3, "f32", 4)                                                                        \
  X(TUTTI_F64, 4, "f64", 8)                                                                        \
  X(TUTTI_I8, 5, "i8", 1)                                                                          \
  X(TUTTI_U8, 6, "u8", 1)                                                                          \
  X(TUTTI_I16, 7, "i16", 2)                                                                        \
  X(TUTTI_I32, 8, "i32", 4)                                                                        \
  X(TUTTI_I64, 9, "i64", 8)                                                                        \
  X(TUTTI_BOOL, 10, "bool", 1)

enum tutti_type {
#define TUTTI_TYPE_CASE(constant, value, spelling, bytes) constant = value,
  TUTTI_FOR_EACH_TYPE(TUTTI_TYPE_CASE)
#undef TUTTI_TYPE_CASE
};

/* X(constant, value, spelling). Sums are taken in rank order, per element: ((r0 + r1) + r2) + ...
   mean is that sum divided by the number of ranks, rounded once; of integers it is refused.
   f16 and bf16 are accumulated in f32 and rounded once. */
#define TUTTI_FOR_EACH_REDUCTION(X)                                                                \
  X(TUTTI_SUM, 0, "sum")                                                                           \
  X(TUTTI_MEAN, 1, "mean")                                                                         \
  X(TUTTI_MIN, 2, "min")                                                                           \
  X(TUTTI_MAX, 3, "max")                                                                           \
  X(TUTTI_PROD, 4, "prod")

enum tutti_reduction {
#define TUTTI_REDUCTION_CASE(constant, value, spelling) constant = value,
  TUTTI_FOR_EACH_REDUCTION(TUTTI_REDUCTION_CASE)
#undef TUTTI_REDUCTION_CASE
};

/* How the samples of a global batch are dealt to the ranks. X(constant, value, spelling). */
#define TUTTI_FOR_EACH_SHARD(X)                                                                    \
  X(TUTTI_SHARD_NONE, 0, "none")             /* every rank sees every sample */                    \
  X(TUTTI_SHARD_STRIDED, 1, "strided")       /* rank r: r, r + N, r + 2N, ... */                   \
  X(TUTTI_SHARD_CONTIGUOUS, 2, "contiguous") /* blocks in rank order, larger ones first */

enum tutti_shard {
#define TUTTI_SHARD_CASE(constant, value, spelling) constant = value,
  TUTTI_FOR_EACH_SHARD(TUTTI_SHARD_CASE)
#undef TUTTI_SHARD_CASE
};

/* The group of all ranks. Others are made with tutti_create_group. */
#define TUTTI_GROUP_WORLD 0

#endif /* TUTTI_TYPES_H */
