// The trace of a run, as one rank takes part in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_REPORTING_RUNTRACE_H
#define TUTTI_RUNTIME_HOST_REPORTING_RUNTRACE_H

#include "runtime/engine/trace/SpanWriter.h"
#include "runtime/engine/trace/TraceFile.h"
#include "runtime/host/program/Program.h"
#include "runtime/host/reporting/ClockAgreement.h"
#include "runtime/host/run/RunConfig.h"

#include <optional>

namespace tutti::runtime::worker {

/// Does nothing, and costs nothing, if no trace is asked for. Outlives the context.
class RunTrace {
public:
  /// Our launcher puts the parts of the ranks together. Without it rank 0 gathers them; this fails
  /// early then if rank 0 cannot write the file.
  Error open(const WorkerConfig &config);
  /// What a rank does before `start`: from the making of one to its end.
  class Phase {
  public:
    /// `name` is static.
    Phase(RunTrace &trace, const char *name) : trace(trace), name(name) {}
    Phase(const Phase &) = delete;
    ~Phase() { trace.phases.push_back({name, begin, Stopwatch::ticks()}); }

  private:
    RunTrace &trace;
    const char *name;
    uint64_t begin = Stopwatch::ticks();
  };

  /// Collective. What happens from here on is recorded, and the phases so far are.
  void start(tutti_context *context, const Program &program);
  /// Null if nothing is recorded.
  trace::Recorder *recorder() { return recording ? &*recording : nullptr; }
  /// Writes what was recorded, also after a failure of the context; collective unless there was
  /// one.
  Error write(tutti_context *context);

private:
  struct EarlyPhase {
    const char *name;
    uint64_t begin, end; ///< ticks
  };

  std::string events();
  std::string events_before(int64_t origin);
  void record_phases();
  Error gather(tutti_context *context, const std::string &own);
  void send_text(tutti_context *context, const std::string &text);
  std::string receive_text(tutti_context *context, int32_t from, int64_t bytes);

  std::string path, program_name;
  int64_t rank = 0, ranks = 1, plan_entry = 0;
  int part = -1; ///< where our launcher wants the events, if there is one
  trace::StepRange steps;
  std::optional<trace::TraceFile> file; ///< of rank 0 without our launcher
  std::optional<trace::Recorder> recording;
  trace::Names names;
  std::vector<EarlyPhase> phases; ///< before there is a recorder
  std::vector<StartSpan> launch;  ///< before this process was a rank
  trace::ClockReading begin = trace::ClockReading::take();
  ClockAgreement clock;
  std::string node; ///< for the rank's name, where there are several
};

/// What is known of the file as a whole, as a JSON object.
std::string about_trace(const std::string &program, int64_t ranks,
                        const std::vector<int64_t> &missing);

/// The launcher's side: the file that the ranks' parts become. A part is a file without a name that
/// the rank inherits, so that nothing is left of it, whichever process dies.
class TraceParts {
public:
  /// Fails early if the file cannot be written.
  static Result<TraceParts> create(const RunConfig &config);
  /// Where `rank` leaves its part.
  int descriptor(int64_t rank) const { return parts[size_t(rank)].get(); }
  /// Writes the trace of the ranks that left a part, if any did.
  Error merge(const std::string &program);

private:
  explicit TraceParts(trace::TraceFile file) : file(std::move(file)) {}
  std::vector<output::Descriptor> parts;
  trace::TraceFile file;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_REPORTING_RUNTRACE_H
