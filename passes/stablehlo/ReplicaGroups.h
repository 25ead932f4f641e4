// Replica groups of StableHLO and groups of ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_REPLICAGROUPS_H
#define TUTTI_PASSES_STABLEHLO_REPLICAGROUPS_H

#include "dialects/collective/Collective.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti::stablehlo {

using Sets = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// Of a collective on the world: its groups were empty, which means all replicas.
inline constexpr llvm::StringLiteral kAllReplicas = "stablehlo.all_replicas";

/// The groups of a module, found or declared by what they mean.
class ReplicaGroups {
public:
  /// `replicas` is the number of processes, 0 where it is not known.
  ReplicaGroups(mlir::ModuleOp module, int64_t replicas);

  /// The group of `sets`; of the whole world if there is none.
  mlir::FlatSymbolRefAttr get(const Sets &sets);

  int64_t getReplicas() const { return replicas; }

private:
  mlir::FlatSymbolRefAttr getWorld();
  mlir::FlatSymbolRefAttr declare(llvm::StringRef name, collective::MembersAttrInterface members,
                                  int64_t size);
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  int64_t replicas;
};

/// The sets of `replica_groups` of `op`, without the -1 that fill up short ones. Fails, with an
/// error, where they are written as axes of a mesh, name a replica twice or one that does not
/// exist (`replicas` 0: any does).
mlir::FailureOr<Sets> readReplicaGroups(mlir::Operation *op, int64_t replicas);

/// As many processes as attributes of the module or, without these, the groups of its collectives
/// say; 0 if nothing does.
int64_t countReplicas(mlir::ModuleOp module);

/// The sets of `group`; fails, with an error at `user`, where they are known at run time only.
mlir::FailureOr<Sets> getSets(mlir::Operation *user, collective::GroupOp group);

/// `sets` as a tensor, the short ones filled up with -1.
mlir::DenseIntElementsAttr toTensor(mlir::Builder &builder, const Sets &sets);

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_REPLICAGROUPS_H
