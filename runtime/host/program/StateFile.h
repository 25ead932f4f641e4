// States of optimizers that lie in a file of a disk: mapped, and in memory around their use alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_STATEFILE_H
#define TUTTI_RUNTIME_HOST_PROGRAM_STATEFILE_H

#include "runtime/host/program/Manifest.h"
#include "runtime/support/system/NamedMemory.h"
#include "runtime/support/system/PrivateFile.h"
#include "tutti/states.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// The variables of a manifest that have a use, in a file that no folder lists any more: it ends
/// with the process. When a use is over its pages begin to be written, those of the use before it
/// have been and are given back, and those of the use after the next one begin to be read: of three
/// neighbouring uses states are in memory (Manifest::window). Values are the same wherever they
/// are. The idea is that of offloading to a disk in Rajbhandari et al., "ZeRO-Infinity" (2021),
/// with a schedule that the compiled step holds.
class StateFile {
public:
  /// Makes the file in `folder`, takes room for all of it, and maps it, zeroed. An error names the
  /// folder: it does not exist or cannot be written, lies in memory itself, or has too little room.
  static Result<std::unique_ptr<StateFile>> create(const std::string &folder,
                                                   const Manifest &manifest);
  ~StateFile();
  StateFile(const StateFile &) = delete;

  /// Where the variable of this index lies, at a multiple of 64 bytes; null for those without use.
  void *address(size_t variable) const { return addresses[variable]; }
  /// For tutti_context_set_states; this object's.
  const tutti_state_service *service() const { return &offered; }

  /// The states of `use` have been used.
  Error release(int64_t use);
  /// Until release_all others than the step will fill the variables: pages come with their
  /// neighbours, as of other files.
  void expect_all() const;
  /// Gives a variable back, unless all stay in memory, and begins to read the next one. If
  /// that fails, the next release returns the error.
  void let_go(size_t variable) const;
  /// After others than the step have used any of them: all are written, and given back.
  Error release_all();

private:
  /// Bytes of the file that one use takes.
  struct Range {
    int64_t offset = 0, bytes = 0;
  };

  explicit StateFile(std::string folder);
  void lay_out(const Manifest &manifest);
  Error reserve();
  Error map();
  Error begin_writing(const Range &range) const;
  Error give_back(const Range &range) const;
  void begin_reading(const Range &range) const;
  /// Uses that are not in memory all the time.
  bool has_window() const;
  Error system_error(const char *what) const;

  std::string folder;
  std::unique_ptr<PrivateFile> file;
  std::optional<NamedMemory> name; ///< for what a fault of the disk ends
  char *memory = nullptr;
  int64_t bytes = 0;
  std::vector<Range> uses;
  std::vector<Range> ranges;      ///< of each variable; empty without a use
  std::vector<void *> addresses;  ///< of each variable
  std::optional<int64_t> written; ///< the use that is being written
  tutti_state_service offered = {};
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_STATEFILE_H
