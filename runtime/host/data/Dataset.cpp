// Opening datasets and binding their arrays to a program's inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Dataset.h"

#include "runtime/host/data/Values.h"
#include "runtime/support/Spelling.h"

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
    if (is_array_file(at->path()))
      files.push_back(at->path().string());
  }
  if (code)
    return Error::make(TUTTI_BAD_DATA, "cannot list '", folder, "': ", code.message());
  if (files.empty())
    return Error::make(TUTTI_BAD_DATA, "folder '", folder,
                       "' has no .npy, .npz or .pb file, and no sub-folders with pictures");
  std::sort(files.begin(), files.end());
  return files;
}

/// Equal but for the first dimension, and for those of which the program does not know the size.
bool same_samples(const std::vector<int64_t> &array, const std::vector<int64_t> &input) {
  auto fits = [](int64_t size, int64_t expected) { return size == expected || expected < 0; };
  return array.size() == input.size() && !array.empty() &&
         std::equal(array.begin() + 1, array.end(), input.begin() + 1, fits);
}

/// What is stored of an input: samples first.
std::vector<int64_t> stored_shape(const InputSpec &input) {
  std::vector<int64_t> shape = input.shape;
  if (input.axis < int64_t(shape.size()))
    std::rotate(shape.begin(), shape.begin() + input.axis, shape.begin() + input.axis + 1);
  return shape;
}

/// The number of places in the dimensions before the samples.
int64_t blocks_of(const InputSpec &input) {
  int64_t blocks = 1;
  for (int64_t i = 0; i < input.axis; ++i)
    blocks *= input.shape[i];
  return std::max<int64_t>(blocks, 1);
}

std::string with_any_rows(const InputSpec &input) {
  std::string shape = describe(input.type, stored_shape(input));
  size_t first = shape.find('[') + 1, end = shape.find_first_of(",]");
  return shape.replace(first, end - first, "samples");
}

} // namespace

Result<Dataset> Dataset::open(const std::vector<std::string> &paths, Bindings bindings,
                              Opening opening) {
  Dataset dataset;
  dataset.bindings = std::move(bindings);
  dataset.opening = std::move(opening);
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
    return add_columns(open_file(path, opening));
  if (is_image_folder(path))
    return add_columns(open_images(path, opening));
  Result<std::vector<std::string>> files = files_in(path);
  if (!files)
    return files.error();
  for (const std::string &file : *files)
    if (Error error = add_columns(open_file(file, opening)))
      return error;
  return Error::success();
}

Error Dataset::add_columns(const Result<Columns> &columns) {
  if (!columns)
    return columns.error();
  all.insert(all.end(), columns->begin(), columns->end());
  return Error::success();
}

std::vector<std::string> Dataset::names() const {
  std::vector<std::string> names;
  for (const Column &entry : all)
    names.push_back(entry.name);
  return names;
}

std::string Dataset::name_for(const InputSpec &input) const {
  auto bound = bindings.find(input.name);
  return bound == bindings.end() ? input.name : bound->second;
}

/// What the user may want instead of an array that is not there.
std::string Dataset::suggest(const InputSpec &input, const std::vector<InputSpec> &inputs) const {
  std::vector<std::string> unused;
  for (const Column &entry : all) {
    bool is_used = false;
    for (const InputSpec &other : inputs)
      is_used |= name_for(other) == entry.name;
    if (!is_used)
      unused.push_back(entry.name);
  }
  std::string nearest = nearest_name(name_for(input), unused);
  if (nearest.empty() && unused.size() == 1)
    nearest = unused[0];
  if (nearest.empty())
    return unused.empty() ? "" : text("; choose one by --bind ", input.name, "=ARRAY");
  return text("; if '", nearest, "' is meant: --bind ", input.name, "=", nearest);
}

Result<const Column *> Dataset::find(const InputSpec &input,
                                     const std::vector<InputSpec> &inputs) const {
  std::string name = name_for(input);
  const Column *found = nullptr;
  for (const Column &entry : all) {
    if (entry.name != name)
      continue;
    if (found)
      return Error::make(TUTTI_BAD_DATA, "array '", name, "' is both in '", found->file,
                         "' and in '", entry.file, "'");
    found = &entry;
  }
  if (found)
    return found;
  std::string wanted_by = bindings.count(input.name)
                              ? text(", which --bind gives to input '", input.name, "'")
                              : std::string(" for the program's input of that name");
  return Error::make(TUTTI_BAD_DATA, "dataset '", described, "' has no array '", name, "'",
                     wanted_by, "; it has: ", join_names(names()), suggest(input, inputs));
}

Result<std::vector<int64_t>> Dataset::shape_of(const std::string &input) const {
  InputSpec wanted;
  wanted.name = input;
  Result<const Column *> entry = find(wanted, {wanted});
  if (!entry)
    return entry.error();
  Result<Array> array = (*entry)->read();
  if (!array)
    return in_file((*entry)->file, array.error());
  return array->shape;
}

Result<BoundArray> Dataset::bind_one(const InputSpec &input,
                                     const std::vector<InputSpec> &inputs) const {
  Result<const Column *> entry = find(input, inputs);
  if (!entry)
    return entry.error();
  Result<Array> array = (*entry)->read_for ? (*entry)->read_for(input) : (*entry)->read();
  if (!array)
    return in_file((*entry)->file, array.error());
  if (!same_samples(array->shape, stored_shape(input)))
    return Error::make(TUTTI_BAD_DATA, "dataset '", (*entry)->file, "': array '", array->name,
                       "' is ", describe(array->type, array->shape), ", the program expects ",
                       with_any_rows(input));
  if (Error error = check_values(*array, input))
    return in_file((*entry)->file, error);
  return BoundArray{std::move(*array), input, blocks_of(input)};
}

Result<std::vector<BoundArray>> Dataset::bind(const std::vector<InputSpec> &inputs) const {
  std::vector<BoundArray> bound;
  for (const InputSpec &input : inputs) {
    Result<BoundArray> one = bind_one(input, inputs);
    if (!one)
      return one.error();
    bound.push_back(std::move(*one));
    const Array &first = bound.front().array, &last = bound.back().array;
    if (last.rows() != first.rows())
      return Error::make(TUTTI_BAD_DATA, "dataset '", described, "': array '", first.name, "' has ",
                         first.rows(), " samples, '", last.name, "' has ", last.rows());
  }
  return bound;
}

Error Dataset::check(const std::vector<InputSpec> &inputs, int64_t least) const {
  Result<std::vector<BoundArray>> bound = bind(inputs);
  if (!bound)
    return bound.error();
  int64_t rows = bound->empty() ? least : bound->front().array.rows();
  if (rows >= least)
    return Error::success();
  if (rows == 0)
    return Error::make(TUTTI_BAD_DATA, "dataset '", described, "' has no samples");
  return Error::make(TUTTI_BAD_DATA, "dataset '", described, "' has ", rows,
                     " samples, too few for one global batch of ", least,
                     "; use a smaller global batch or more data");
}

Error check_bindings(const Bindings &bindings, const std::vector<std::string> &names) {
  for (const auto &[input, array] : bindings) {
    if (std::find(names.begin(), names.end(), input) != names.end())
      continue;
    std::string nearest = nearest_name(input, names);
    std::string meant = nearest.empty() ? "" : text("did you mean '", nearest, "'? ");
    return Error::make(TUTTI_INVALID_ARGUMENT, "--bind ", input, "=", array,
                       ": the program has no input '", input, "'; ", meant,
                       "its inputs are: ", join_names(names));
  }
  return Error::success();
}

} // namespace tutti::runtime::data
