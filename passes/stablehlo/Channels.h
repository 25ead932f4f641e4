// Channels of collectives: what StableHLO says about them that our collectives do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_CHANNELS_H
#define TUTTI_PASSES_STABLEHLO_CHANNELS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tutti::stablehlo {

/// Of a collective: its channel handle, where that is not what we write ourselves; empty where it
/// had none. A number that is counted stands as #.
inline constexpr llvm::StringLiteral kChannel = "stablehlo.channel";
/// Of a collective that reduces or gathers: without use_global_device_ids.
inline constexpr llvm::StringLiteral kLocalIds = "stablehlo.local_ids";

// What we write ourselves: all_reduce, all_gather and reduce_scatter have a channel of their own
// and global ids, so that their groups mean devices, whether XLA runs replicas or partitions. The
// others have none: a channel would make partitions of their replicas.

/// Whether operations of this kind can say use_global_device_ids.
bool hasGlobalIds(llvm::StringRef kind);

/// Marks for the collective that stands for `op`. `isShared` says that all channels of the program
/// have one number, which stays then.
void markChannel(mlir::Operation *op, bool isShared, mlir::NamedAttrList &marks);

/// Whether there are several channels with positive numbers in `module`, and all numbers are one.
bool isChannelShared(mlir::ModuleOp module);

/// Counts channels as operations are written.
class Channels {
public:
  /// Numbers that `module` keeps are left out.
  explicit Channels(mlir::ModuleOp module);

  /// Adds what `marks` say to the attributes of an operation of `kind`, and takes the marks out.
  void write(mlir::Builder &builder, llvm::StringRef kind, mlir::NamedAttrList &marks,
             llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);

  /// Gives `op`, a copy of an operation that was written, a channel of its own, if it was counted.
  void renew(mlir::Operation *op);

private:
  std::string takeNumber();

  llvm::DenseSet<int64_t> kept;
  int64_t next = 1;
};

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_CHANNELS_H
