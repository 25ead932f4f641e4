// How verifiers of this dialect cite the constraint that an operation violates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_COLLECTIVE_VIOLATION_H
#define TUTTI_DIALECTS_COLLECTIVE_VIOLATION_H

#include "dialects/collective/Collective.h"

#include "llvm/ADT/STLExtras.h"

namespace tutti::collective {

/// Starts an error that cites constraint `number` of the operation, as all_reduce_c2.
inline mlir::InFlightDiagnostic violates(mlir::Operation *op, int number) {
  return op->emitOpError() << "violates " << op->getName().stripDialect() << "_c" << number << ": ";
}

/// C1 of every operation that names a group.
mlir::LogicalResult verifyGroup(mlir::Operation *op, mlir::FlatSymbolRefAttr group,
                                mlir::SymbolTableCollection &symbols);

/// `root` is a rank of the group: not negative, and below the size of the group where that is
/// known. C1 holds.
mlir::LogicalResult verifyRoot(mlir::Operation *op, int64_t root, mlir::FlatSymbolRefAttr group,
                               int constraint);

/// Whether all `types` are memrefs, whether all are tensors; neither if they are mixed.
inline bool areMemRefs(mlir::TypeRange types) {
  return llvm::all_of(types, [](mlir::Type type) { return mlir::isa<mlir::BaseMemRefType>(type); });
}
inline bool areTensors(mlir::TypeRange types) {
  return llvm::none_of(types,
                       [](mlir::Type type) { return mlir::isa<mlir::BaseMemRefType>(type); });
}

} // namespace tutti::collective

#endif // TUTTI_DIALECTS_COLLECTIVE_VIOLATION_H
