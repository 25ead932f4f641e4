// Copying variables, and writing the copy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/Snapshot.h"

#include "runtime/host/checkpoint/TypeNames.h"
#include "runtime/host/rundir/folder/FileChecksum.h"

#include <cstring>

namespace tutti::runtime::rundir {

using worker::Placement;

Snapshot::Snapshot(const worker::Manifest &manifest, int64_t rank) {
  for (size_t index = 0; index < manifest.variables.size(); ++index) {
    const worker::Variable &variable = manifest.variables[index];
    if (rank != 0 && variable.placement == Placement::replicate)
      continue;
    variables.push_back({variable.name, variable.type, variable.shape, nullptr});
    indices.push_back(index);
    bytes.push_back(*data::array_bytes(variable.type, variable.shape));
  }
}

void Snapshot::take(const worker::Buffers &buffers) {
  int64_t all = 0;
  for (int64_t size : bytes)
    all += size;
  memory.resize(size_t(all));
  char *at = memory.data();
  for (size_t i = 0; i < variables.size(); ++i) {
    variables[i].data = at;
    if (bytes[i] > 0) // then there may be no memory
      std::memcpy(at, buffers.variables[indices[i]], size_t(bytes[i]));
    buffers.let_go(indices[i]);
    at += bytes[i];
  }
}

Error Snapshot::write(const std::string &path, const RunState &state) {
  Metadata metadata = state.metadata();
  FileChecksum sum(metadata);
  for (size_t i = 0; i < variables.size(); ++i)
    sum.add(variables[i].name, checkpoint::saved_type_name(variables[i].type), variables[i].shape,
            {static_cast<const char *>(variables[i].data), size_t(bytes[i])});
  metadata[checksum_key] = sum.text();
  return checkpoint::save(path, variables, {metadata.begin(), metadata.end()});
}

} // namespace tutti::runtime::rundir
