// The collective dialect: groups of ranks, and the data they exchange. The operations are
// specified in CollectiveOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_COLLECTIVE_H
#define TUTTI_DIALECTS_COLLECTIVE_H

#include "dialects/interfaces/TypeRefinement.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/interfaces/ranks/Uniformity.h"
#include "dialects/interfaces/sharding/ShardingRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace tutti::collective {

// What passes ask of its operations, and of those of any dialect.
using ::tutti::BucketOpInterface;
using ::tutti::CollectiveOpInterface;
using ::tutti::PointToPointOpInterface;

/// The wire between the ranks. Collectives on memrefs, messages and barriers write it, so that no
/// rewrite drops or reorders them.
struct NetworkResource : mlir::SideEffects::Resource::Base<NetworkResource> {
  llvm::StringRef getName() final { return "<Network>"; }
};

} // namespace tutti::collective

#include "dialects/collective/CollectiveDialect.h.inc"
#include "dialects/collective/CollectiveEnums.h.inc"
#include "dialects/collective/CollectiveMembers.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/collective/CollectiveOpsAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/collective/CollectiveOpsTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/collective/CollectiveOps.h.inc"

namespace tutti::collective {

/// The attribute of collectives that are started and awaited by `collective.complete`: the number
/// of their future.
inline constexpr llvm::StringLiteral kFuture = "collective.future";

/// The group that `group` names at `user`, or null if it names none.
GroupOp lookupGroup(mlir::Operation *user, mlir::FlatSymbolRefAttr group);

/// The number of ranks of each set of the group that `group` names at `user`, if all sets have the
/// same number and it is known: a number of the shapes that members see.
std::optional<int64_t> lookupGroupSize(mlir::Operation *user, mlir::FlatSymbolRefAttr group);

/// The number of ranks of the job, if a group that `user` could name tells it.
std::optional<int64_t> lookupWorldSize(mlir::Operation *user);

/// Whether each rank of the world surely takes part in communication of `user` on `group`.
bool isEveryRankMember(mlir::Operation *user, mlir::FlatSymbolRefAttr group);

/// The value of an index that is constant.
std::optional<int64_t> getConstantIndex(mlir::Value value);

} // namespace tutti::collective

#endif // TUTTI_DIALECTS_COLLECTIVE_H
