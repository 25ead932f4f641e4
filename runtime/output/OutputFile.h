// The one way in which compiler and runtime write files. No other place of either opens a file for
// writing; test/layering looks for those that do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_OUTPUT_OUTPUTFILE_H
#define TUTTI_RUNTIME_OUTPUT_OUTPUTFILE_H

#include "runtime/output/Place.h"

#include <string>

namespace tutti::runtime::output {

/// What is written grows in a file without a guessable name in the target's folder, which takes the
/// target's name when it is complete; until then, and after any failure, the target is as it was.
/// It keeps the permissions of the file that it replaces, and its owner where that is allowed.
/// Devices, pipes, this process's own descriptors ("-", /dev/stdout) and files that something is
/// mounted on are written directly. Used by one thread at a time.
class OutputFile {
public:
  /// Fails if nothing can be written to `path`, and says why. Removes unfinished files of writers
  /// that have died from its folder. A named pipe is waited for up to ten seconds, until someone
  /// reads it.
  static Result<OutputFile> open(const std::string &path);
  /// As `open`, but touches neither the file nor a pipe.
  static Error check(const std::string &path);

  OutputFile(OutputFile &&) = default;
  OutputFile &operator=(OutputFile &&) = delete;
  /// Without `commit` what was written goes, unless it has appeared.
  ~OutputFile();

  /// Whole or not at all where it is a file. After a failure it does nothing.
  void write(const void *data, size_t bytes);
  void write(const std::string &text) { write(text.data(), text.size()); }

  /// Gives the file its name already; what is written later is added where others can follow it.
  void appear();
  /// Completes the file, on the disk too. Says what has failed since it was opened.
  Error commit();
  const Error &error() const { return problem; }

private:
  OutputFile(std::string given, Place place) : given(std::move(given)), place(std::move(place)) {}
  Error open_directly();
  Error open_beside();
  void keep_permissions();
  void fail(int number);
  bool is_file() const { return place.kind == PlaceKind::file; }

  std::string given;
  Place place;
  Descriptor file;
  std::string temporary; ///< its name in the folder; empty once it has the target's
  Error problem;
};

/// A file for this process and its children, in the folder of `path`, that has no name and vanishes
/// with the last process that has it open.
Result<Descriptor> open_nameless(const std::string &path);

} // namespace tutti::runtime::output

#endif // TUTTI_RUNTIME_OUTPUT_OUTPUTFILE_H
