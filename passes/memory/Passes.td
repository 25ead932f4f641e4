// Passes that place the buffers of a function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_MEMORY_PASSES
#define TUTTI_MEMORY_PASSES

include "mlir/Pass/PassBase.td"

def PlanMemoryPass : Pass<"lower-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Place all temporary buffers of a function in one arena";
  let description = [{
    Replaces each `memref.alloc` by a view of the function's arena. Buffers whose lives overlap get disjoint,
    64-byte aligned places; larger buffers are placed first, each in the smallest gap that holds it. The size of the
    arena is recorded as `kernel.arena_bytes` of the function.

    A buffer that is allocated in a loop has one place for all iterations and lives within one of them; one that is
    allocated outside lives through every loop that uses it. It is an error when an iteration hands its own buffer to
    the next one, which would need a second place.

    The buffers of one bucket that is communicated in place are contiguous, so that the network sees them
    as one and nothing is packed; each takes memory only while it is live. `kernel.adjacent` of the bucket tells which.

    What `collective.flatten` takes stands at the start of the row from the beginning, where it is not needed
    afterwards; else it is copied there.

    With a `budget`, what does not fit is computed again where it is needed late (rematerialization): of the buffers that live at the
    worst moment the one whose operations take the least time for the bytes that it frees is given up, and these
    operations are repeated before its next use. What they read has not changed since, so no bit of any result differs.
    Only Linalg, copies and kernels are repeated, never communication. If nothing more helps, it is an error that names
    the moment and the largest buffers, and `kernel.least_arena_bytes` of the function is what it needs. `kernel.repeated` of the function is
    how many operations it runs again.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
  let options = [
    Option<"recordsLayout", "record-layout", "bool", /*default=*/"false",
           "Leave the places and lives of the largest buffers as `kernel.arena_layout` of the function: of each its name, bytes, first and last moment, offset">,
    Option<"budget", "budget", "int64_t", /*default=*/"0",
           "Bytes that the arena may have; 0: as many as it needs">
  ];
  let statistics = [
    Statistic<"buffers", "buffers", "buffers placed in an arena">,
    Statistic<"buckets", "buckets", "buckets whose buffers are contiguous">,
    Statistic<"repeated", "repeated", "operations that are repeated to save memory">,
    Statistic<"copiedRows", "copied-rows", "values that had to be copied to be flattened">,
    Statistic<"requested", "requested-bytes", "sum of the sizes of these buffers">,
    Statistic<"live", "live-bytes", "sum of the most bytes that live at once: no arena is smaller">,
    Statistic<"reserved", "reserved-bytes", "sum of the sizes of the arenas">
  ];
}

#endif // TUTTI_MEMORY_PASSES
