// Variables on disk: safetensors, the header of which is JSON and the data of which can be mapped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_CHECKPOINT_SAFETENSORS_H
#define TUTTI_RUNTIME_CHECKPOINT_SAFETENSORS_H

#include "runtime/core/Error.h"
#include "tutti/types.h"

#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime::checkpoint {

/// A variable in memory, dense and row-major; the memory is the caller's.
struct Variable {
  std::string name;
  int32_t type;
  std::vector<int64_t> shape;
  void *data;
};

/// Writes `variables` in their order: to a temporary file beside `path`, synchronised to disk, then
/// renamed, so that `path` is always whole. The same input gives the same bytes.
Error save(const std::string &path, const std::vector<Variable> &variables,
           const std::vector<std::pair<std::string, std::string>> &metadata);

/// Fills `variables` from `path`. Each must be there with its type and shape; nothing is written
/// before all of them are found good. `out_unused`: tensors of the file that no variable asked for.
Error load(const std::string &path, const std::vector<Variable> &variables,
           std::vector<std::string> *out_unused);

} // namespace tutti::runtime::checkpoint

#endif // TUTTI_RUNTIME_CHECKPOINT_SAFETENSORS_H
