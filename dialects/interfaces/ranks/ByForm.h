// What follows from a form alone: the answers of the interfaces of Communication.td where an
// operation writes none of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_RANKS_BYFORM_H
#define TUTTI_DIALECTS_INTERFACES_RANKS_BYFORM_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

// Each is the default of the method of the same name.

namespace tutti::byform {

llvm::SmallVector<mlir::Value> getPayload(mlir::Operation *op);

/// Null of an operation without a form.
mlir::FlatSymbolRefAttr getGroup(mlir::Operation *op);

// Of operations that have GroupOpInterface.
mlir::Attribute getDivision(mlir::Operation *group);
bool isOfWholeWorld(mlir::Operation *group);
bool holdsEveryRank(mlir::Operation *group);
bool isOfEqualSets(mlir::Operation *group);
std::optional<int64_t> getSizeOfSets(mlir::Operation *group);
std::optional<llvm::SmallVector<int64_t>> getMembersWith(mlir::Operation *group, int64_t rank,
                                                         int64_t worldSize);

} // namespace tutti::byform

#endif // TUTTI_DIALECTS_INTERFACES_RANKS_BYFORM_H
