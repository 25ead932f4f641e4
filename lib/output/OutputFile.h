// The writer of runtime/output as a stream of LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OUTPUT_OUTPUTFILE_H
#define TUTTI_LIB_OUTPUT_OUTPUTFILE_H

#include "runtime/output/OutputFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace tutti {

/// A file that is there whole or not at all; without `commit` the target stays as it was. "-" is
/// standard output; devices and pipes are written directly.
class OutputFile {
public:
  static llvm::Expected<OutputFile> open(llvm::StringRef path);

  OutputFile(OutputFile &&);
  ~OutputFile();

  llvm::raw_ostream &stream();

  /// Completes the file. Fails when a write failed (disk full) or the rename did.
  llvm::Error commit();

private:
  class Stream;
  explicit OutputFile(runtime::output::OutputFile file);

  std::unique_ptr<Stream> out;
};

/// Writes what `llvm::outs()` still holds. Gives `status`, with which the program ends; or 1, with
/// an error on standard error, if not all that was printed could be written. Without it LLVM
/// reports such a failure as a fault of its own.
int finishStandardOutput(int status);

} // namespace tutti

#endif // TUTTI_LIB_OUTPUT_OUTPUTFILE_H
