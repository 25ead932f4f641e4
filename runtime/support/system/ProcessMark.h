// A part of names of files that says which process made them, on which machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_PROCESSMARK_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_PROCESSMARK_H

#include <optional>
#include <string>
#include <string_view>

namespace tutti::runtime {

/// Folders may be shared by machines, and by containers of one. A process number means something
/// only in the space of numbers of its container, on its machine, since that was started: these
/// three are one hash here. No lock is asked whether a process lives, for many file systems keep
/// locks to themselves.
struct ProcessMark {
  uint64_t where = 0;
  int process = 0;

  static ProcessMark own();
  /// "2f8b6e01c4d3-4711"
  std::string text() const;
  /// Of the beginning of `name`; `rest` is what follows.
  static std::optional<ProcessMark> parse(std::string_view name, std::string_view &rest);

  /// Whether it is a process of here, of which the system could say that it has ended.
  bool is_of_here() const { return where == own().where; }
  /// Whether it was one of here, and has ended.
  bool has_ended() const;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_PROCESSMARK_H
