// The groups of ranks that a program names, as the runtime knows them: by number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_GROUPS_H
#define TUTTI_LIB_PROGRAM_GROUPS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <vector>

namespace tutti::program {

/// A group that is not the world.
struct GroupEntry {
  int64_t number = 0; ///< positive
  std::string name;
  std::string members;                    ///< "ranks", "per_node", "across_nodes" or "at_run_time"
  std::vector<std::vector<int64_t>> sets; ///< of members "ranks"
  std::optional<int64_t> size;            ///< of each set, if the program relies on it
};

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
mlir::FailureOr<std::vector<GroupEntry>> extractGroups(mlir::ModuleOp module);

/// The group as JSON, see include/tutti/program.h.
llvm::json::Value toJson(const GroupEntry &group);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GROUPS_H
