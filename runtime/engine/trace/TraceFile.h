// The file of a trace: events of all ranks, whole or absent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_TRACE_TRACEFILE_H
#define TUTTI_RUNTIME_ENGINE_TRACE_TRACEFILE_H

#include "runtime/engine/trace/analysis/ReadSpans.h"
#include "runtime/output/OutputFile.h"

namespace tutti::runtime::trace {

/// Is written under a temporary name, and renamed when it is complete. The critical path of a long
/// trace covers its first steps only.
class TraceFile {
public:
  /// Fails early if no file can be made there.
  static Result<TraceFile> create(const std::string &path);

  /// Adds the events of a rank, as events_of gives them; of a long text, piece by piece. The first
  /// piece of a rank begins a new event.
  void add_rank();
  void add_piece(const char *text, size_t bytes);
  /// Adds the events that a rank left behind `descriptor`. False if it has left none, or not all.
  bool add_part(int descriptor);
  /// Completes the file with the critical path of each step and who was late; `about` is a JSON
  /// object on the run. Reports what could not be written.
  Error commit(const std::string &about);

private:
  explicit TraceFile(output::OutputFile file);

  output::OutputFile file;
  analysis::Reader reader; ///< has read all events that were added
  bool is_empty = true;
};

/// Leaves a rank's events for the launcher in an empty file: the number of bytes, then they.
Error write_part(int descriptor, const std::string &events);

} // namespace tutti::runtime::trace

#endif // TUTTI_RUNTIME_ENGINE_TRACE_TRACEFILE_H
