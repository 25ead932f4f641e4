// From the memory that a rank may have to what is left for temporary buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/MemoryLimit.h"

#include "lib/diagnostics/QuietDiagnostics.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/ReportText.h"
#include "tools/dist-run/Errors.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace tutti;
using runtime::text;
using runtime::worker::bytes_text;
using runtime::worker::Manifest;

static llvm::Expected<RunPrograms> compileWith(mlir::ModuleOp module, const RunOptions &options,
                                               const planning::MemoryMeasures &memory) {
  return compileForRanks(module, llvm::sys::path::stem(options.input), options.instructions,
                         options.cluster, options.dryRun || options.printPlan, memory);
}

/// Without a limit all states lie in the file that is asked for.
static llvm::Expected<planning::MemoryMeasures>
firstMeasures(mlir::ModuleOp module, const RunOptions &options, const search::Answer *choice) {
  if (choice && choice->best().memory)
    return choice->best().memory->measures;
  bool mayOffload = !options.config.offload.empty();
  return mayOffload && options.memory > 0 ? measuresWithin(module, options.memory)
                                          : planning::MemoryMeasures{/*arenaBytes=*/0, mayOffload};
}

/// The bytes of the largest program that are not temporary buffers, and of all.
struct Needed {
  int64_t fixed = 0, all = 0;
};

static llvm::Expected<Needed> neededBy(const RunPrograms &programs) {
  Needed needed;
  for (const execution::CompiledProgram &program : programs.ofRanks) {
    runtime::Result<Manifest> manifest = Manifest::read(program.path());
    if (!manifest)
      return makeError(manifest.error().message);
    int64_t bytes = manifest->memory_bytes();
    needed.all = std::max(needed.all, bytes);
    needed.fixed = std::max(needed.fixed, bytes - manifest->largest_arena());
  }
  return needed;
}

/// Whether `keys` let all of `ranks` share one model, so that none has what another one has.
static bool isOneModel(llvm::StringRef keys, int64_t ranks) {
  llvm::StringRef size = keys.split("tp:").second;
  int64_t neighbours = 0;
  return !size.consumeInteger(10, neighbours) && neighbours == ranks;
}

/// What makes a rank need less, of what is not asked for yet: of all that it has, or of variables
/// and batches alone, of which parts of a batch need as much.
static std::string keysThatHelp(const RunOptions &options, bool isOfVariables) {
  llvm::StringRef asked = options.distribute ? llvm::StringRef(*options.distribute) : "";
  std::string keys;
  auto add = [&](const char *key, const char *what) {
    if (!asked.contains(key))
      keys += text(keys.empty() ? "" : ", ", "'", key, "=", what);
  };
  if (!isOfVariables)
    add("accumulate", "2' (or more: the activations of a part of the batch at a time)");
  if (options.config.ranks > 1 && !isOneModel(asked, options.config.ranks))
    add("shard-optimizer", "3' (parts of variables and states)");
  if (options.config.ranks == 1 && isOfVariables)
    return "Take more ranks, which divide variables and states with "
           "--distribute=\"shard-optimizer=3\"";
  return keys.empty() ? "Take more ranks or a smaller global batch"
                      : text("What needs less, as a key of --distribute: ", keys,
                             "; or more ranks, or a smaller global batch");
}

/// Programs that keep to --memory, with operations that run again if they must; else an error,
/// without a text where variables and batches alone take more. `outNeeded`: what they would take.
static llvm::Expected<RunPrograms> tryWithinMemory(mlir::ModuleOp module, const RunOptions &options,
                                                   const search::Answer *choice,
                                                   Needed &outNeeded) {
  auto measures = firstMeasures(module, options, choice);
  if (!measures)
    return measures.takeError();
  auto programs = compileWith(module, options, *measures);
  if (!programs || options.memory == 0)
    return programs;
  auto needed = neededBy(*programs);
  if (!needed)
    return needed.takeError();
  outNeeded = *needed;
  if (needed->all <= options.memory)
    return programs;
  if (needed->fixed >= options.memory)
    return makeError("");
  measures->arenaBytes = options.memory - needed->fixed;
  return compileWith(module, options, *measures);
}

/// "; or --offload=FOLDER, which ...", where that is not asked for, and is enough.
static std::string offloadThatHelps(mlir::ModuleOp module, RunOptions options) {
  if (!options.config.offload.empty())
    return "";
  options.config.offload = "."; // nobody writes there now
  diagnostics::QuietDiagnostics quiet(module.getContext());
  Needed needed;
  auto programs = tryWithinMemory(module, options, /*choice=*/nullptr, needed);
  if (!programs)
    return llvm::consumeError(programs.takeError()), "";
  auto manifest = Manifest::read(programs->ofRanks.front().path());
  return manifest ? text("; or --offload=FOLDER, which keeps ", bytes_text(manifest->state_bytes()),
                         " of states in a file, and ", bytes_text(manifest->window),
                         " of them in memory at once")
                  : "";
}

llvm::Expected<RunPrograms> tutti::compileWithinMemory(mlir::ModuleOp module,
                                                       const RunOptions &options,
                                                       const search::Answer *choice) {
  Needed needed;
  auto programs = tryWithinMemory(module, options, choice, needed);
  if (programs || needed.all <= options.memory)
    return programs;
  std::string limit = text("--memory allows a rank ", bytes_text(options.memory));
  std::string offload = offloadThatHelps(module, options);
  if (needed.fixed >= options.memory) {
    llvm::consumeError(programs.takeError());
    return makeError(text(limit, ", and its variables and batches alone take ",
                          bytes_text(needed.fixed), ". ",
                          keysThatHelp(options, /*isOfVariables=*/true), offload));
  }
  mlir::emitError(module.getLoc())
      << limit << ", of which variables and batches take " << bytes_text(needed.fixed) << ". "
      << keysThatHelp(options, /*isOfVariables=*/false) << offload;
  return programs;
}
