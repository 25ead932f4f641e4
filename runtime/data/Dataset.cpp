// Opening datasets and binding their arrays to a program's inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/Dataset.h"

#include "runtime/core/MappedFile.h"
#include "runtime/data/Readers.h"

#include <algorithm>
#include <filesystem>

namespace tutti::runtime::data {
namespace {

namespace fs = std::filesystem;

Error in_file(const std::string &path, const Error &error) {
  return Error::make(error.status, "dataset '", path, "': ", error.message);
}

Result<std::vector<std::string>> files_in(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::string ending = at->path().extension().string();
    if (ending == ".npy" || ending == ".npz" || ending == ".pb")
      files.push_back(at->path().string());
  }
  if (code)
    return Error::make(TUTTI_BAD_DATA, "cannot list '", folder, "': ", code.message());
  if (files.empty())
    return Error::make(TUTTI_BAD_DATA, "folder '", folder, "' has no .npy, .npz or .pb file");
  std::sort(files.begin(), files.end());
  return files;
}

/// Equal but for the first dimension.
bool same_samples(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  return a.size() == b.size() && !a.empty() && std::equal(a.begin() + 1, a.end(), b.begin() + 1);
}

std::string with_any_rows(const InputSpec &input) {
  std::string shape = describe(input.type, input.shape);
  size_t first = shape.find('[') + 1, end = shape.find_first_of(",]");
  return shape.replace(first, end - first, "samples");
}

} // namespace

Result<Dataset> Dataset::open(const std::vector<std::string> &paths) {
  Dataset dataset;
  for (const std::string &path : paths) {
    dataset.described += (dataset.described.empty() ? "" : ", ") + path;
    if (Error error = dataset.add_path(path))
      return error;
  }
  return dataset;
}

Error Dataset::add_path(const std::string &path) {
  std::error_code code;
  if (!fs::is_directory(path, code))
    return add_file(path);
  Result<std::vector<std::string>> files = files_in(path);
  if (!files)
    return files.error();
  for (const std::string &file : *files)
    if (Error error = add_file(file))
      return error;
  return Error::success();
}

Error Dataset::add_file(const std::string &path) {
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.error();
  std::string_view bytes = (*file)->bytes();
  std::string stem = fs::path(path).stem().string();
  if (bytes.substr(0, 4) == "PK\x03\x04" || bytes.substr(0, 4) == "PK\x05\x06") {
    Result<std::vector<Array>> arrays = read_npz(path);
    if (!arrays)
      return in_file(path, arrays.error());
    for (Array &array : *arrays)
      if (Error error = add(path, std::move(array)))
        return error;
    return Error::success();
  }
  bool is_npy = bytes.substr(0, 6) == "\x93NUMPY";
  if (!is_npy && fs::path(path).extension() != ".pb")
    return Error::make(TUTTI_BAD_DATA, "dataset '", path,
                       "' is neither .npy nor .npz nor a TensorProto (.pb), or is damaged");
  Result<Array> array =
      is_npy ? read_npy(stem, bytes, *file) : read_tensor_proto(stem, bytes, *file);
  return array ? add(path, std::move(*array)) : in_file(path, array.error());
}

Error Dataset::add(const std::string &path, Array array) {
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].name == array.name)
      return Error::make(TUTTI_BAD_DATA, "array '", array.name, "' is both in '", files[i],
                         "' and in '", path, "'");
  all.push_back(std::move(array));
  files.push_back(path);
  return Error::success();
}

const Array *Dataset::find(const std::string &name) const {
  for (const Array &array : all)
    if (array.name == name)
      return &array;
  return nullptr;
}

Error Dataset::check(const InputSpec &input) const {
  const Array *array = find(input.name);
  if (!array) {
    std::string present;
    for (const Array &other : all)
      present += (present.empty() ? "" : ", ") + other.name;
    return Error::make(
        TUTTI_BAD_DATA, "dataset '", described, "' has no array '", input.name,
        "' for the program's input of that name; it has: ", present.empty() ? "nothing" : present);
  }
  if (array->type != input.type || !same_samples(array->shape, input.shape))
    return Error::make(TUTTI_BAD_DATA, "dataset '", files[array - all.data()], "': array '",
                       array->name, "' is ", describe(array->type, array->shape),
                       ", the program expects ", with_any_rows(input));
  return Error::success();
}

Result<std::vector<Array>> Dataset::bind(const std::vector<InputSpec> &inputs) const {
  std::vector<Array> bound;
  for (const InputSpec &input : inputs) {
    if (Error error = check(input))
      return error;
    bound.push_back(*find(input.name));
    if (bound.back().rows() != bound.front().rows())
      return Error::make(TUTTI_BAD_DATA, "dataset '", described, "': array '", bound.front().name,
                         "' has ", bound.front().rows(), " samples, '", bound.back().name, "' has ",
                         bound.back().rows());
  }
  return bound;
}

} // namespace tutti::runtime::data
