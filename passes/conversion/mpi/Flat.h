// Buffers of any shape as flat ones, which is all that upstream's lowering of messages counts
// right.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_MPI_FLAT_H
#define TUTTI_PASSES_CONVERSION_MPI_FLAT_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::conversion {

/// The type of flat buffers: elements one after the other, of any number, from any offset.
mlir::MemRefType getFlatType(mlir::Type element);

/// A memref as a flat one: the same memory, or a copy where elements have gaps between them.
class FlatBuffer {
public:
  FlatBuffer(mlir::ImplicitLocOpBuilder &builder, mlir::Value buffer, bool isWritten);
  mlir::Value get() const { return flat; }
  /// After the last use: what was written to a copy goes where it belongs.
  void finish();

private:
  mlir::ImplicitLocOpBuilder &builder;
  mlir::Value buffer, copy, flat; ///< `copy` is null where there is none
  bool isWritten;
};

/// The elements of one row, a slice along dimension 0, as an index.
mlir::Value countRowElements(mlir::ImplicitLocOpBuilder &builder, mlir::Value buffer);

/// The elements of `input` at the start of `row`, and zeros after them.
void writeFlattened(mlir::ImplicitLocOpBuilder &builder, mlir::Value input, mlir::Value row);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_MPI_FLAT_H
