// The manifest of a compiled program: what the runtime must know of it, see
// include/tutti/program.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_MANIFEST_H
#define TUTTI_LIB_EXECUTION_MANIFEST_H

#include "lib/program/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti::execution {

/// What the manifest says that the program's functions do not.
struct ManifestHeader {
  std::string name;
  std::string fingerprint;
  bool isCeil = true; ///< which of the two local batches of policy `weighted`
};

/// The manifest of a program of static shapes, on tensors; what lowering tells is added later.
/// Fails, with an error at the function, where the program is not one that can be run: no
/// @initialize or @step, arguments without a role, types that the runtime does not have, more than
/// one sharded dataset.
mlir::FailureOr<manifest::Manifest> createManifest(mlir::ModuleOp module,
                                                   const ManifestHeader &header,
                                                   llvm::ArrayRef<program::PlanEntry> plan);

/// Adds what is known of the lowered program: "arena" from the `kernel.arena_bytes` of its
/// functions, "repeated" from `kernel.repeated`, "layout" from their `kernel.arena_layout`,
/// "values" from its `kernel.values`, "window" and the "use" of variables from
/// `kernel.state_window` and `kernel.state_uses`.
void addLowered(manifest::Manifest &manifest, mlir::ModuleOp lowered);

/// Bytes of the largest arena of a rank, once addLowered has told them.
int64_t arenaBytesOf(const manifest::Manifest &manifest);

/// Bytes that a rank asks for, as the runtime counts them (Manifest::memory_bytes there).
int64_t memoryBytesOf(const manifest::Manifest &manifest);

/// Bytes of variables with a use, once addLowered has told them; 0 where all of them are in memory
/// at once.
int64_t bytesInFileOf(const manifest::Manifest &manifest);

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_MANIFEST_H
