// The buffers of a loop nest as the function of the nest takes them: flat arrays behind pointers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CODEGEN_NESTBUFFERS_H
#define TUTTI_PASSES_CODEGEN_NESTBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>

namespace tutti::codegen {

/// One buffer: `flat` elements from a pointer on, of which an op sees `shown`.
struct NestBuffer {
  mlir::Value base;      ///< what the pointer comes from
  bool isPlaced = false; ///< `base` is an arena: bytes, in which the pointer goes to some place
  int64_t shift = 0;     ///< the bytes from there to the pointer, in an arena
  mlir::MemRefType flat; ///< what the function gets: as many elements as `shown` reaches
  mlir::MemRefType shown;
  int64_t absorbed = 0;       ///< how many elements of the op's offset went into `shift`
  int64_t begin = 0, end = 0; ///< the bytes behind `base` that `shown` covers
  bool isWritten = false;

  /// Whether both are one array behind one pointer.
  bool isSameArray(const NestBuffer &other) const {
    return base == other.base && shift == other.shift && flat == other.flat;
  }
};

/// Describes the buffer `value`; nothing if its place or layout is not static.
std::optional<NestBuffer> describeBuffer(mlir::Value value);

/// Whether no write to one of them can be seen through the other: they are read only, or other
/// bytes of the same memory, or of memory that an argument of the function promises not to share.
bool areIndependent(const NestBuffer &a, const NestBuffer &b);

/// The array behind its pointer.
mlir::Value createArray(mlir::OpBuilder &builder, mlir::Location loc, const NestBuffer &buffer);

/// `array`, as createArray made it, in the form that the op sees.
mlir::Value createShown(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value array,
                        mlir::MemRefType shown);

} // namespace tutti::codegen

#endif // TUTTI_PASSES_CODEGEN_NESTBUFFERS_H
