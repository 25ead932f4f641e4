// The communication plan: the calls that a program will make on the network, in order, as data that
// can be printed, compared and hashed. Works on programs on tensors and on buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_PLAN_PLAN_H
#define TUTTI_LIB_PROGRAM_PLAN_PLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::program {

/// One call of the runtime: a bucket of buffers of one element type.
struct PlanEntry {
  int64_t id = 0;                ///< position in the plan
  std::string function;          ///< "initialize", "step" or "evaluate"
  std::string operation;         ///< "all_reduce", "broadcast", ...
  std::string reduction;         ///< "sum", "mean", ...; empty where nothing is reduced
  std::string group;             ///< symbol of the group; kServers of pulls and pushes
  std::string type;              ///< of the values, as spelled in include/tutti/types.h
  std::string wire;              ///< what travels: `type`, or the narrower type it is cast to
  std::vector<int64_t> elements; ///< of each buffer; kUnknown where the shape is not static
  int64_t bytes = 0;             ///< of all buffers, as they travel; kUnknown if a shape is
  int64_t bucket = -1; ///< which of the function's collectives that move data this is part of, from
                       ///< 0: entries of one bucket differ in type; -1 of messages and barriers
  int64_t times = 1;   ///< in one call of the function: a loop around it makes each of its trips;
                       ///< kUnknown where a loop's trips are not constant
  int64_t root = -1;   ///< of those that have one, else -1
  int64_t peer = -1;   ///< of a message, where it is constant, else -1
  int64_t tag = -1;    ///< of a message, else -1
  bool isAsynchronous = false; ///< started here and awaited later
  std::vector<std::string>
      source; ///< of each buffer: the variable or metric it belongs to, else nodeAt()
  double predictedSeconds = -1; ///< by the cost model; negative: unknown
  std::string table;            ///< of a pull or a push: whose rows travel; else empty
  std::string way;              ///< of an all_reduce, how it goes where ranks send messages:
                                ///< "slices", "tree" or "chain"; else, or if not known, empty

  static constexpr int64_t kUnknown = -1;
  static constexpr llvm::StringLiteral kServers = "servers"; ///< who is asked for rows
};

/// Discardable attribute of casts that a wire type made.
inline constexpr llvm::StringLiteral kWireCast = "collective.wire";

/// The spelling of an element type in manifests and plans ("f32", "bool"); empty if the runtime has
/// no such type.
llvm::StringRef spellType(mlir::Type type);

/// The runtime's number of an element type (include/tutti/types.h), 0 if it has none.
int32_t numberOfType(mlir::Type type);

/// Bytes of one element in memory; 0 if the runtime has no such type.
int64_t bytesOfType(mlir::Type type);

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

/// The entry as JSON, see include/tutti/program.h.
llvm::json::Value toJson(const PlanEntry &entry);

/// What one call of a function communicates, with every trip of its loops.
struct PlanTotal {
  int64_t calls = 0;            ///< of the runtime; kUnknown where a loop's trips are
  int64_t bytes = 0;            ///< of a rank's payloads; kUnknown where an entry's or trips are
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
