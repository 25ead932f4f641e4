// A dataset: named arrays from .npy, .npz and TensorProto files, one row a sample. Read-only; may
// be shared by threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_DATA_DATASET_H
#define TUTTI_RUNTIME_DATA_DATASET_H

#include "runtime/data/Array.h"

#include <string>
#include <vector>

namespace tutti::runtime::data {

/// What a program wants of one of its inputs; the first dimension is its local batch.
struct InputSpec {
  std::string name;
  int32_t type;
  std::vector<int64_t> shape;
};

class Dataset {
public:
  /// Opens files, found by content, and folders (their .npy, .npz and .pb files in order of name).
  /// The array of a .npy is called like the file, that of a TensorProto by its own name. Errors
  /// name the file.
  static Result<Dataset> open(const std::vector<std::string> &paths);

  const std::vector<Array> &arrays() const { return all; }
  const Array *find(const std::string &name) const;
  /// Where it came from, for messages.
  const std::string &source() const { return described; }

  /// The arrays for `inputs`, in their order, or why they do not fit: an error names the file, the
  /// array, what was found and what was expected. All have the same number of rows.
  Result<std::vector<Array>> bind(const std::vector<InputSpec> &inputs) const;

private:
  Error add_path(const std::string &path);
  Error add_file(const std::string &path);
  Error add(const std::string &path, Array array);
  Error check(const InputSpec &input) const;

  std::vector<Array> all;
  std::vector<std::string> files; ///< of each array
  std::string described;
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_DATA_DATASET_H
