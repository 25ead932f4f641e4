// The collective dialect: groups of ranks, and the data they exchange. The operations are
// specified in CollectiveOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_COLLECTIVE_H
#define TUTTI_DIALECTS_COLLECTIVE_H

#include "dialects/interfaces/Uniformity.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/collective/CollectiveDialect.h.inc"
#include "dialects/collective/CollectiveEnums.h.inc"

#include "dialects/collective/CollectiveInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/collective/CollectiveOps.h.inc"

namespace tutti::collective {

/// The wire between the ranks. Collectives on memrefs and barriers write it, so that no rewrite
/// drops or reorders them.
struct NetworkResource : mlir::SideEffects::Resource::Base<NetworkResource> {
  llvm::StringRef getName() final { return "<Network>"; }
};

/// The group that `group` names at `user`, or null if it names none.
GroupOp lookupGroup(mlir::Operation *user, mlir::FlatSymbolRefAttr group);

/// The number of ranks of the group that `group` names at `user`, if it is declared.
std::optional<int64_t> lookupGroupSize(mlir::Operation *user, mlir::FlatSymbolRefAttr group);

} // namespace tutti::collective

#endif // TUTTI_DIALECTS_COLLECTIVE_H
