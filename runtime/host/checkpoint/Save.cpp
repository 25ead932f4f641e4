// Writing variables that are there, or that a source gives one after another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/checkpoint/StreamedFile.h"
#include "runtime/host/data/Array.h"

namespace tutti::runtime::checkpoint {

Error save(const std::string &path, const std::vector<Variable> &variables,
           const std::vector<std::pair<std::string, std::string>> &metadata, const Source &source) {
  Result<StreamedFile> file = StreamedFile::open(path, variables, metadata);
  if (!file)
    return file.error();
  Sink sink = [&](const void *data, size_t bytes) { file->write(data, bytes); };
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!source)
      sink(variables[i].data, *data::array_bytes(variables[i].type, variables[i].shape));
    else if (Error error = source(i, sink))
      return error;
  }
  return file->commit();
}

} // namespace tutti::runtime::checkpoint
