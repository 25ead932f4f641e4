// Mapping the values of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Values.h"

namespace tutti::runtime::worker {

Result<Values> Values::map(const Manifest &manifest, const ValuePlaces &places,
                           const void **table) {
  Values values;
  std::map<std::string, std::shared_ptr<const MappedFile>> files;
  for (const Value &value : manifest.values) {
    auto place = places.find(value.name);
    if (place == places.end())
      return Error::make(TUTTI_BAD_PROGRAM, "the program wants the value '", value.name,
                         "', which the run does not name a file for");
    const auto &[path, offset] = place->second;
    auto [file, is_new] = files.try_emplace(path);
    if (is_new) {
      Result<std::shared_ptr<const MappedFile>> opened = MappedFile::open(path);
      if (!opened)
        return opened.error();
      file->second = std::move(*opened);
    }
    int64_t size = file->second->bytes().size();
    if (offset < 0 || offset > size || value.bytes > size - offset)
      return Error::make(TUTTI_BAD_DATA, "'", path, "' has ", size, " bytes, but the value '",
                         value.name, "' takes ", value.bytes, " from ", offset,
                         ": the file was changed after the program was compiled");
    *table++ = file->second->bytes().data() + offset;
    (value.is_initial ? values.initial : values.lasting).push_back(file->second);
  }
  return values;
}

} // namespace tutti::runtime::worker
