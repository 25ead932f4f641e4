// Finding the format of a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Formats.h"

#include "runtime/host/data/Readers.h"
#include "runtime/host/data/commands/CommandSource.h"
#include "runtime/host/data/tables/TextFile.h"
#include "runtime/support/system/MappedFile.h"

#include <filesystem>

namespace tutti::runtime::data {
namespace {

namespace fs = std::filesystem;

Result<Columns> open_zip(const std::string &path, const Opening &opening) {
  Result<std::vector<std::string>> names = list_npz(path);
  if (!names)
    return Error::make(names.error().status, "dataset '", path, "': ", names.error().message);
  Columns columns;
  for (size_t i = 0; i < names->size(); ++i)
    columns.push_back({(*names)[i], path, [path, i, name = (*names)[i], arrays = opening.inflated] {
                         return arrays ? arrays->read(path, int64_t(i), name)
                                       : read_npz(path, int64_t(i));
                       }});
  return columns;
}

} // namespace

bool is_array_file(const std::string &path) {
  std::string ending = fs::path(path).extension();
  return ending == ".npy" || ending == ".npz" || ending == ".pb";
}

bool is_table_file(const std::string &path) {
  std::string ending = fs::path(without_compression(path)).extension();
  return ending == ".csv" || ending == ".tsv";
}

bool has_words(const ReadOptions &options, const std::string &path) {
  return is_table_file(path) ? !options.categories.empty() : is_image_folder(path);
}

Result<std::string> vocabulary_to_keep(const ReadOptions &options) {
  std::error_code none;
  if (options.vocabulary.empty() || fs::exists(options.vocabulary, none) ||
      !has_words(options, options.training))
    return std::string();
  Result<Vocabulary> words =
      is_table_file(options.training) ? words_of_table(options) : words_of_images(options);
  return words ? to_json(*words) : Result<std::string>(words.error());
}

Result<Columns> open_file(const std::string &path, const Opening &opening) {
  if (is_command(path))
    return open_command(path);
  std::string stem = fs::path(path).stem().string(), ending = fs::path(path).extension().string();
  if (is_table_file(path))
    return open_csv(path, opening);
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.error();
  std::string_view bytes = (*file)->bytes();
  if (bytes.substr(0, 4) == "PK\x03\x04" || bytes.substr(0, 4) == "PK\x05\x06")
    return open_zip(path, opening);
  if (bytes.substr(0, 6) == "\x93NUMPY")
    return Columns{
        {stem, path, [stem, file = *file] { return read_npy(stem, file->bytes(), file); }}};
  if (bytes.substr(0, 4) == "PAR1")
    return Error::make(
        TUTTI_BAD_DATA, "dataset '", path,
        "' is a Parquet file, which is not read: write it as .csv or .npz, or let a "
        "program hand out its rows (--dataset \"exec:python3 rows.py\"; docs/data.md, "
        "\"Programs that make samples\", has one of one line)");
  if (ending == ".bin")
    return open_tokens(path, opening);
  if (ending != ".pb")
    return Error::make(TUTTI_BAD_DATA, "dataset '", path,
                       "' is neither .npy nor .npz nor a TensorProto (.pb) nor a file of values "
                       "(.csv, .tsv) or tokens (.bin), or is damaged");
  // Only what is in it tells its name. One that is no tensor matters when somebody wants it.
  Result<Array> array = read_tensor_proto(stem, bytes, *file);
  return Columns{{array ? array->name : stem, path, [array] { return array; }}};
}

} // namespace tutti::runtime::data
