// Writing variables that are there, or that a source gives one after another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/StreamedFile.h"
#include "runtime/data/Array.h"

namespace tutti::runtime::checkpoint {

Error save(const std::string &path, const std::vector<Variable> &variables,
           const std::vector<std::pair<std::string, std::string>> &metadata, const Source &source) {
  Result<StreamedFile> file = StreamedFile::open(path, variables, metadata);
  if (!file)
    return file.error();
  for (size_t i = 0; i < variables.size(); ++i) {
    Result<const void *> data = source ? source(i) : Result<const void *>(variables[i].data);
    if (!data)
      return data.error();
    file->write(*data, *data::array_bytes(variables[i].type, variables[i].shape));
  }
  return file->commit();
}

} // namespace tutti::runtime::checkpoint
