// A safetensors file whose tensors are written in pieces, as they come.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_CHECKPOINT_STREAMEDFILE_H
#define TUTTI_RUNTIME_HOST_CHECKPOINT_STREAMEDFILE_H

#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/output/OutputFile.h"

namespace tutti::runtime::checkpoint {

/// Types and shapes are known before the data, so that nothing has to be there as a whole. The file
/// appears complete or not at all, as output::OutputFile does. Used by one thread at a time.
class StreamedFile {
public:
  /// Begins the file with a header for `variables`, whose data are not read.
  static Result<StreamedFile>
  open(const std::string &path, const std::vector<Variable> &variables,
       const std::vector<std::pair<std::string, std::string>> &metadata);

  /// The next bytes of the data: all of the first variable, then all of the second.
  void write(const void *data, size_t bytes);
  /// Completes the file. It is an error if there were fewer or more bytes than the header says, or
  /// if any could not be written.
  Error commit();

private:
  StreamedFile(output::OutputFile file, int64_t left) : file(std::move(file)), left(left) {}

  output::OutputFile file;
  int64_t left; ///< bytes that are still to come
};

} // namespace tutti::runtime::checkpoint

#endif // TUTTI_RUNTIME_HOST_CHECKPOINT_STREAMEDFILE_H
