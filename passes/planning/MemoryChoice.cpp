// Plans the memory of a step with more and more states in a file, as long as that is faster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/planning/MemoryChoice.h"

#include "lib/diagnostics/QuietDiagnostics.h"
#include "lib/execution/Manifest.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::planning;

/// Seconds to write a byte of a state and to read it again, on a common disk (500 MB and 1 GB a
/// second).
constexpr double kDiskSecondsPerByte = 1 / 5e8 + 1 / 1e9;
/// The states that stay in memory are tried in so many parts of all.
constexpr int64_t kParts = 8;

compile::CompileOptions planning::MemoryMeasures::options() const {
  compile::CompileOptions options;
  options.arenaBytes = arenaBytes;
  options.offloadsStates = offloadsStates;
  options.keptStates = keptStates;
  return options;
}

FailureOr<PlannedMemory> planning::planMemory(ModuleOp program, const MemoryMeasures &measures,
                                              std::string &why) {
  PlannedMemory planned{{}, program.clone()};
  diagnostics::QuietDiagnostics quiet(program.getContext(), &why);
  FailureOr<manifest::Manifest> manifest =
      execution::createManifest(*planned.program, {}, program::extractPlan(*planned.program));
  PassManager passes(program.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(false); // for a program that nobody sees
  compile::addMemoryPlanPipeline(passes, measures.options());
  if (failed(manifest) || failed(passes.run(*planned.program))) {
    if (why.empty())
      why = "its memory cannot be planned";
    return failure();
  }
  execution::addLowered(*manifest, *planned.program);
  planned.need.measures = measures;
  planned.need.arena = execution::arenaBytesOf(*manifest);
  planned.need.bytes = execution::memoryBytesOf(*manifest);
  planned.need.repeated = manifest->repeated;
  planned.need.inFile = execution::bytesInFileOf(*manifest);
  return planned;
}

static double secondsOf(const PlannedMemory &planned, const cost::Cluster &cluster, int64_t ranks) {
  return cost::timeOfStep(*planned.program, cluster, ranks).step;
}

std::optional<double> planning::secondsOfRepeats(ModuleOp program, const MemoryMeasures &memory,
                                                 const cost::Cluster &cluster, int64_t ranks,
                                                 std::string &why) {
  if (memory.arenaBytes == 0)
    return 0;
  MemoryMeasures withoutLimit = memory;
  withoutLimit.arenaBytes = 0;
  FailureOr<PlannedMemory> within = planMemory(program, memory, why);
  FailureOr<PlannedMemory> free = planMemory(program, withoutLimit, why);
  if (failed(within) || failed(free))
    return std::nullopt;
  return std::max(0.0, secondsOf(*within, cluster, ranks) - secondsOf(*free, cluster, ranks));
}

namespace {

class MemoryKeeper {
public:
  MemoryKeeper(ModuleOp program, int64_t limit, const cost::Cluster &cluster, int64_t ranks)
      : program(program), limit(limit), cluster(cluster), ranks(ranks) {}

  FailureOr<PlannedMemory> keep(bool mayOffload, std::string &why) {
    FailureOr<PlannedMemory> free = planMemory(program, {}, why);
    if (failed(free) || fits(*free))
      return free;
    once = secondsOf(*free, cluster, ranks);
    if (!mayOffload)
      return consider(*free) ? std::move(*best) : std::move(free);
    FailureOr<PlannedMemory> moved = planMemory(program, {0, /*offloadsStates=*/true}, why);
    if (failed(moved))
      return failure();
    const int64_t states = moved->need.inFile;
    if (states == 0) // the file saves nothing
      return consider(*free) ? std::move(*best) : std::move(free);
    if (!consider(*moved)) // which needs the least
      return moved;
    if (keepParts(states))
      (void)consider(*free);
    fillUp(states);
    return std::move(*best);
  }

private:
  bool fits(const PlannedMemory &planned) const { return planned.need.bytes <= limit; }

  /// The program of `planned` with as many operations that run again as the limit asks for. None
  /// if that is not enough.
  std::optional<PlannedMemory> repeatIn(const PlannedMemory &planned) {
    int64_t fixed = planned.need.bytes - planned.need.arena;
    if (fixed >= limit)
      return std::nullopt;
    MemoryMeasures measures = planned.need.measures;
    measures.arenaBytes = limit - fixed;
    std::string unused; // that it does not help is no problem of its own
    FailureOr<PlannedMemory> smaller = planMemory(program, measures, unused);
    if (failed(smaller) || !fits(*smaller))
      return std::nullopt;
    return std::move(*smaller);
  }

  void take(PlannedMemory planned) {
    double again = planned.need.repeated > 0 ? secondsOf(planned, cluster, ranks) - once : 0;
    planned.need.longer = std::max(0.0, again) + kDiskSecondsPerByte * double(planned.need.inFile);
    if (!best || planned.need.longer <= best->need.longer)
      best = std::move(planned);
  }

  /// Whether `planned` keeps to the limit, perhaps with operations that run again. It is taken
  /// then, unless another one is faster.
  bool consider(PlannedMemory &planned) {
    if (fits(planned)) {
      take(std::move(planned));
      return true;
    }
    std::optional<PlannedMemory> smaller = repeatIn(planned);
    if (smaller)
      take(std::move(*smaller));
    return smaller.has_value();
  }

  /// The same for a program of which so many bytes of states stay in memory.
  bool considerKept(int64_t bytes) {
    std::string unused;
    FailureOr<PlannedMemory> planned =
        planMemory(program, {0, /*offloadsStates=*/true, bytes}, unused);
    return succeeded(planned) && consider(*planned);
  }

  /// The more states stay in memory, the more operations run again, and the fewer bytes a step
  /// writes and reads, until the limit cannot be met: then false.
  bool keepParts(int64_t states) {
    for (int64_t part = 1; part < kParts; ++part)
      if (!considerKept(states / kParts * part))
        return false;
    return true;
  }

  /// Keeps what there is room for, if nothing has to run again.
  void fillUp(int64_t states) {
    if (!best->need.measures.offloadsStates || best->need.repeated > 0)
      return;
    int64_t kept = states - best->need.inFile + limit - best->need.bytes;
    if (kept < states)
      (void)considerKept(kept);
  }

  ModuleOp program;
  int64_t limit;
  const cost::Cluster &cluster;
  int64_t ranks;
  double once = 0; ///< seconds of a step in which nothing runs again
  std::optional<PlannedMemory> best;
};

} // namespace

FailureOr<PlannedMemory> planning::keepToMemory(ModuleOp program, int64_t limit, bool mayOffload,
                                                const cost::Cluster &cluster, int64_t ranks,
                                                std::string &why) {
  return MemoryKeeper(program, limit, cluster, ranks).keep(mayOffload, why);
}
