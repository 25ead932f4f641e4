// Variables on disk: safetensors, the header of which is JSON and the data of which can be mapped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_CHECKPOINT_SAFETENSORS_H
#define TUTTI_RUNTIME_HOST_CHECKPOINT_SAFETENSORS_H

#include "runtime/support/Error.h"
#include "tutti/types.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::runtime::checkpoint {

/// A variable in memory, dense and row-major; the memory is the caller's.
struct Variable {
  std::string name;
  int32_t type;
  std::vector<int64_t> shape;
  void *data;
  /// A part of it, if `count` is not negative: `data` holds that many of the elements, from number
  /// `first` of the flattened value on, and zeros after its end. For loading.
  int64_t first = 0, count = -1;
};

/// Takes the next bytes of a variable; the memory stays the caller's.
using Sink = std::function<void(const void *data, size_t bytes)>;

/// Gives the data of variable `index` to `sink`, in as many pieces as it likes. It is called once
/// for each variable, in order.
using Source = std::function<Error(size_t index, const Sink &sink)>;

/// Writes `variables` in their order, as output::OutputFile does, so that `path` is always whole.
/// The same input gives the same bytes. With `source`, the data is what that gives, each when its
/// turn comes.
Error save(const std::string &path, const std::vector<Variable> &variables,
           const std::vector<std::pair<std::string, std::string>> &metadata,
           const Source &source = nullptr);

/// Fills `variables` from `path`. Each must be there with its type and shape; nothing is written
/// before all of them are found good. `out_unused`: tensors of the file that no variable asked for.
Error load(const std::string &path, const std::vector<Variable> &variables,
           std::vector<std::string> *out_unused);

/// A tensor in the bytes of a file.
struct StoredTensor {
  std::string type; ///< as the format spells it: "F32"
  std::vector<int64_t> shape;
  std::string_view data; ///< of any alignment; of a size that need not fit type and shape
};

/// The tensors of `bytes`, a whole file, by name. They lie in `bytes`.
Result<std::map<std::string, StoredTensor>> parse(std::string_view bytes);

/// A whole file: its tensors, and the texts that it has beside them.
struct StoredFile {
  std::map<std::string, StoredTensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// As `parse`, with the metadata; of those, what is no text is left out.
Result<StoredFile> parse_with_metadata(std::string_view bytes);

/// The shapes of all tensors of the file at `path`, by name.
Result<std::map<std::string, std::vector<int64_t>>> read_shapes(const std::string &path);

} // namespace tutti::runtime::checkpoint

#endif // TUTTI_RUNTIME_HOST_CHECKPOINT_SAFETENSORS_H
