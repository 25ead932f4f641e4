// What DIR/owner.json says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_OWNERRECORD_H
#define TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_OWNERRECORD_H

#include "runtime/support/Error.h"
#include "runtime/support/system/ProcessMark.h"

#include <optional>
#include <string>

namespace tutti::runtime::rundir {

/// In the run directory.
constexpr const char *owner_name = "owner.json";

/// The process that writes in a run directory.
struct OwnerRecord {
  std::string host, since; ///< for people: its machine, and when it took the folder
  ProcessMark process;
  int64_t started = 0; ///< when the process was, as its system counts: numbers are used again
  int64_t lease = 0;   ///< a random number
  int64_t renewals = 0;

  /// Of this process, now.
  static OwnerRecord own(int64_t lease);
  /// As JSON, as long however often it was renewed: it is written over.
  std::string text() const;
  /// Nothing if `text` is no record, or not all of one.
  static std::optional<OwnerRecord> parse(const std::string &text);

  /// Of a process of this machine: whether there is none any more.
  bool has_ended() const;

  /// "process 4711 of 'node-1', since 2026-01-31 12:00:00 UTC"; `text` may be anything.
  static std::string describe(const std::string &text);
  /// Whether the second may be the first, renewed. Texts that are none tell nothing else.
  static bool are_of_one_lease(const std::string &first, const std::string &second);
  /// The text of the file `path`; nothing if there is no file.
  static Result<std::optional<std::string>> read(const std::string &path);
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_OWNERRECORD_H
