// Inflating once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/InflatedArrays.h"

#include "runtime/host/data/Readers.h"
#include "runtime/support/system/MappedFile.h"

#include <utility>

namespace tutti::runtime::data {

static Result<Array> map(int descriptor, const std::string &name) {
  Result<std::shared_ptr<const MappedFile>> file =
      MappedFile::open(SealedMemory::path_of(descriptor));
  if (!file)
    return file.error();
  return read_npy(name, (*file)->bytes(), *file);
}

InflatedArrays InflatedArrays::for_children(std::function<Inherited()> ask) {
  InflatedArrays arrays({});
  arrays.ask = std::move(ask);
  arrays.has_children = true;
  return arrays;
}

/// Null if nobody has inflated it.
const InflatedArray *InflatedArrays::find(const std::string &file, int64_t entry) {
  for (const InflatedArray &array : known)
    if (array.file == file && array.entry == entry)
      return &array;
  if (!ask)
    return nullptr;
  Inherited inherited = std::exchange(ask, nullptr)();
  known = std::move(inherited.list);
  kept = std::move(inherited.memory);
  return find(file, entry);
}

Result<Array> InflatedArrays::read(const std::string &file, int64_t entry,
                                   const std::string &name) {
  if (const InflatedArray *there = find(file, entry))
    return map(there->descriptor, name);
  if (!has_children)
    return read_npz(file, entry);
  Result<SealedMemory> inflated = seal_npz(file, entry);
  if (!inflated)
    return inflated.error();
  Result<Array> array = map(inflated->descriptor(), name);
  if (!array)
    return array;
  known.push_back({file, entry, inflated->descriptor()});
  kept.push_back(std::move(*inflated));
  return array;
}

} // namespace tutti::runtime::data
