// The file of a trace: events of all ranks, whole or absent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_TRACE_TRACEFILE_H
#define TUTTI_RUNTIME_TRACE_TRACEFILE_H

#include "runtime/core/Error.h"

#include <cstdio>
#include <memory>

namespace tutti::runtime::trace {

/// Grows beside its place under another name, and takes its place when it is complete.
class TraceFile {
public:
  /// Fails early if no file can be made there.
  static Result<TraceFile> create(const std::string &path);
  TraceFile(TraceFile &&other) noexcept;
  /// Removes what was not committed.
  ~TraceFile();

  /// Adds the events of a rank, as events_of gives them; of a long text, piece by piece. The first
  /// piece of a rank begins a new event.
  void add_rank();
  void add_piece(const char *text, size_t bytes);
  /// Adds the events in the file of a rank. False if there is no such file.
  bool add_part(const std::string &path);
  /// Completes the file; `about` is a JSON object on the run. Reports what could not be written.
  Error commit(const std::string &about);

private:
  TraceFile() = default;

  std::string path, temporary;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file{nullptr, std::fclose};
  bool is_empty = true;
};

/// Where a rank leaves its events for the launcher.
std::string part_path(const std::string &path, int64_t rank);
/// Writes such a file.
Error write_part(const std::string &path, const std::string &events);

} // namespace tutti::runtime::trace

#endif // TUTTI_RUNTIME_TRACE_TRACEFILE_H
