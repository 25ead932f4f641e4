// The groups of ranks that a program names, as the runtime knows them: by number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_GROUPS_H
#define TUTTI_LIB_PROGRAM_GROUPS_H

#include "tutti/manifest.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <vector>

namespace tutti::program {

/// What compiled code knows of a group.
struct GroupNumber {
  int64_t number = 0;          ///< 0 for the world
  std::optional<int64_t> size; ///< of each set, if it is known
};

/// The groups of `module` by their symbols' names. The world has number 0, the others have 1, 2,
/// ... in the order of their declaration.
llvm::MapVector<mlir::StringAttr, GroupNumber> numberGroups(mlir::ModuleOp module);

/// All groups but the world. Fails, with an error, where the sets depend on the size of the world
/// and nothing tells it.
mlir::FailureOr<std::vector<manifest::Group>> extractGroups(mlir::ModuleOp module);

/// The group of `module` whose sets list these world ranks; declared as `name`, or a name like it,
/// after the other groups if there is none. Null, and nothing is declared, where `like`, whose
/// group it is to be, is of a dialect whose groups list no ranks: those of `collective` alone do.
mlir::FlatSymbolRefAttr findOrDeclareGroup(mlir::ModuleOp module, llvm::StringRef name,
                                           const std::vector<std::vector<int64_t>> &sets,
                                           mlir::Operation *like);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GROUPS_H
