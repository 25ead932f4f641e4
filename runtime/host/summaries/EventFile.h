// A file of events that TensorBoard reads while it grows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_SUMMARIES_EVENTFILE_H
#define TUTTI_RUNTIME_HOST_SUMMARIES_EVENTFILE_H

#include "runtime/host/summaries/EventMessage.h"
#include "runtime/output/OutputFile.h"

#include <optional>

namespace tutti::runtime::summaries {

/// `event` as a record of a TFRecord file: its length, a masked CRC-32C of that, the event, a
/// masked CRC-32C of that.
std::string record_of(const std::string &event);

/// FOLDER/events.out.tfevents.SECONDS.HOST.PROCESS, a new one each launch. Used by one thread.
class EventFile {
public:
  /// The file of a run that goes on after `step` steps; it is there with its first scalars.
  static Result<EventFile> open(const std::string &folder, int64_t step);
  /// What is known of a step, from 1.
  void write(int64_t step, const Scalars &scalars);
  /// What could not be written so far.
  const Error &error() const { return file.error(); }
  /// Completes the file, if there is one.
  Error close();

private:
  EventFile(output::OutputFile file, int64_t step);

  output::OutputFile file;
  std::string head; ///< the records before the first scalars
};

} // namespace tutti::runtime::summaries

#endif // TUTTI_RUNTIME_HOST_SUMMARIES_EVENTFILE_H
