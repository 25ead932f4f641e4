// The communication plan: the calls that a program will make on the network, in order, as data that
// can be printed, compared and hashed. Works on programs on tensors and on buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_PLAN_PLAN_H
#define TUTTI_LIB_PROGRAM_PLAN_PLAN_H

#include "lib/program/plan/ManifestText.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::program {

/// One call of the runtime. What is not constant in the program is PlanEntry::unknown.
using manifest::PlanEntry;

/// Discardable attribute of casts that a wire type made.
inline constexpr llvm::StringLiteral kWireCast = "collective.wire";

/// The spelling of an element type in manifests and plans ("f32", "bool"); empty if the runtime has
/// no such type.
llvm::StringRef spellType(mlir::Type type);

/// The runtime's number of an element type (include/tutti/types.h), 0 if it has none.
int32_t numberOfType(mlir::Type type);

/// Bytes of one element in memory; 0 if the runtime has no such type.
int64_t bytesOfType(mlir::Type type);
/// The same by the runtime's number.
int64_t bytesOfType(int32_t number);

/// The values that `op`, a collective or a message, gives or, if it only receives, gets; empty for
/// those that move no data. Together they tell the element types and sizes of its calls.
llvm::SmallVector<mlir::Value> payloadOf(mlir::Operation *op);

/// How many entries of the plan, calls of the runtime, `op` makes: one for each element type of its
/// payload, one if it has none; one for each table that it pulls from or pushes to. 0 for what does
/// not communicate.
unsigned countCalls(mlir::Operation *op);

/// What communicates in `module`, in order, each with the id of its first entry in the plan.
/// Lowered pulls and pushes keep the ids that they had, wherever they stand now.
std::vector<std::pair<mlir::Operation *, int64_t>> numberEntries(mlir::ModuleOp module);

/// Groups positions of `elementTypes` by type, in order of first appearance: the runtime takes
/// buckets of one type.
llvm::SmallVector<llvm::SmallVector<unsigned>> splitByType(mlir::TypeRange elementTypes);

/// All entries of a program, by their ids: @initialize first, then @step, then @evaluate.
std::vector<PlanEntry> extractPlan(mlir::ModuleOp module);

/// One line that identifies an entry but for its sources:
/// "step all_reduce mean on world: f32 [640, 10], 2600 bytes", or
/// "step pull_rows of user.weight at servers: f32 [768], 3072 bytes". The type is what travels. The
/// peer of a message is left out: the ranks have different ones.
std::string describe(const PlanEntry &entry);

/// What one call of a function communicates, with every trip of its loops.
struct PlanTotal {
  int64_t calls = 0;            ///< of the runtime; unknown where a loop's trips are
  int64_t bytes = 0;            ///< of a rank's payloads; unknown where an entry's or trips are
  double predictedSeconds = -1; ///< one after another; negative: unknown
};
PlanTotal totalOf(llvm::ArrayRef<PlanEntry> plan, llvm::StringRef function);

/// A table for people: one line an entry, and the total of a step.
void printPlan(llvm::ArrayRef<PlanEntry> plan, llvm::raw_ostream &out);

/// Hex sha256 of the descriptions: equal plans on all ranks have equal hashes.
std::string hashPlan(llvm::ArrayRef<PlanEntry> plan);

/// Hex sha256 of `text`.
std::string hashText(llvm::StringRef text);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PLAN_PLAN_H
