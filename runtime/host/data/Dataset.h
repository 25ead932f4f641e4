// A dataset: named arrays of files, one row a sample, and how they are bound to the inputs of a
// program. Read-only; may be shared by threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_DATASET_H
#define TUTTI_RUNTIME_HOST_DATA_DATASET_H

#include "runtime/host/data/Formats.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tutti::runtime::data {

/// Arrays for inputs whose names differ, by the name of the input.
using Bindings = std::map<std::string, std::string>;

/// An array as it is stored, and the input that wants it: the cast keeps every value.
struct BoundArray {
  Array array;
  InputSpec input;
  /// Of how many blocks a sample consists that do not lie together in a batch: as many as the
  /// dimensions before the samples have places.
  int64_t blocks = 1;
};

class Dataset {
public:
  /// Finds the arrays of files (see Formats.h) and of folders (their .npy, .npz and .pb files in
  /// order of name, or the pictures of their sub-folders). The array of a .npy is called like the
  /// file, that of a TensorProto by its own name. No array is looked at before it is bound. Errors
  /// name the file.
  static Result<Dataset> open(const std::vector<std::string> &paths, Bindings bindings = {},
                              Opening opening = {});

  /// Of all arrays.
  std::vector<std::string> names() const;
  /// Where it came from, for messages.
  const std::string &source() const { return described; }

  /// The shape of the array for the input, samples first, or why there is none.
  Result<std::vector<int64_t>> shape_of(const std::string &input) const;

  /// The arrays for `inputs`, in their order, or why they do not fit: an error names the file, the
  /// array, what was found and what was expected. All have the same number of rows. Arrays for
  /// which nobody asks may be anything.
  Result<std::vector<BoundArray>> bind(const std::vector<InputSpec> &inputs) const;

  /// Why the arrays are no data for `inputs`, of whose sizes those below 0 are not known yet: as
  /// bind() says, or because they have fewer than `least` samples, one global batch.
  Error check(const std::vector<InputSpec> &inputs, int64_t least) const;

private:
  Error add_path(const std::string &path);
  Error add_columns(const Result<Columns> &columns);
  std::string name_for(const InputSpec &input) const;
  Result<const Column *> find(const InputSpec &input, const std::vector<InputSpec> &inputs) const;
  std::string suggest(const InputSpec &input, const std::vector<InputSpec> &inputs) const;
  Result<BoundArray> bind_one(const InputSpec &input, const std::vector<InputSpec> &inputs) const;

  Columns all;
  Bindings bindings;
  Opening opening;
  std::string described;
};

/// What is wrong with `bindings` for a program that has the inputs `names`, if anything.
Error check_bindings(const Bindings &bindings, const std::vector<std::string> &names);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_DATASET_H
