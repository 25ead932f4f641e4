// A file that appears under its name only when it is complete.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_OUTPUTFILE_H
#define TUTTI_LIB_EXECUTION_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <optional>
#include <string>

namespace tutti {

/// Writes go to a temporary file beside the target, which `commit` renames; without `commit` the
/// target stays as it was. "-" is standard output; devices and pipes are written directly.
class OutputFile {
public:
  static llvm::Expected<OutputFile> open(llvm::StringRef path);

  OutputFile(OutputFile &&) = default;
  ~OutputFile();

  llvm::raw_ostream &stream() { return *out; }

  /// Completes the file. Fails when a write failed (disk full) or the rename did.
  llvm::Error commit();

private:
  OutputFile() = default;

  std::string path;
  std::optional<llvm::sys::fs::TempFile> temporary; ///< none when written directly
  std::unique_ptr<llvm::raw_fd_ostream> out;
};

} // namespace tutti

#endif // TUTTI_LIB_EXECUTION_OUTPUTFILE_H
