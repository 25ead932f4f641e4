// What files hold: one function a format, all with the same answer. Whoever reads samples, deals
// them to ranks or evaluates on them knows arrays only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_FORMATS_H
#define TUTTI_RUNTIME_HOST_DATA_FORMATS_H

#include "runtime/host/data/InflatedArrays.h"
#include "runtime/host/data/ReadOptions.h"
#include "runtime/host/data/Vocabulary.h"
#include "tutti/manifest.h"

#include <functional>

namespace tutti::runtime::data {

using manifest::IndexBounds;
/// What a program wants of one of its inputs; dimension `axis` is its local batch.
using InputSpec = manifest::Tensor;

/// An array that may be read.
struct Column {
  std::string name, file;
  std::function<Result<Array>()> read;
  /// Where set, what is stored has no type of its own: the array for this input, in its type, and
  /// in its shape where that has as many elements.
  std::function<Result<Array>(const InputSpec &)> read_for = nullptr;
};

using Columns = std::vector<Column>;

/// With what files are opened.
struct Opening {
  InflatedArrays *inflated = nullptr; ///< outlives what is opened; null: arrays are read by itself
  ReadOptions options = {};
  bool evaluates = false; ///< nothing is drawn at random
};

/// The columns of a file, known by its content or, where that says nothing, by its ending. An error
/// names the file.
Result<Columns> open_file(const std::string &path, const Opening &opening);

/// Whether files of this ending are read of a folder.
bool is_array_file(const std::string &path);

/// Whether a file of this ending is one of comma- or tab-separated values.
bool is_table_file(const std::string &path);

/// A file of tokens, numbers of `options.tokens` and nothing else: `tokens`, of which sample i is
/// the tokens from i * length on, and `targets`, those from one further on. It is mapped, and
/// numbers become integers when they are read.
Result<Columns> open_tokens(const std::string &path, const Opening &opening);

/// A file of comma- or tab-separated values: an array for each column, called like it, and for each
/// of `options.columns`. What it holds is parsed when it is read.
Result<Columns> open_csv(const std::string &path, const Opening &opening);

/// The words of the training data that the options name: of the columns of categories of a file of
/// values, or the classes of a folder of pictures, as those of `label`.
Result<Vocabulary> words_of_table(const ReadOptions &options);
Result<Vocabulary> words_of_images(const ReadOptions &options);

/// Whether a folder is one of pictures: it has sub-folders, and no arrays.
bool is_image_folder(const std::string &path);

/// A folder of pictures, JPEG and PNG, as torchvision's ImageFolder: `image`, which is decoded when
/// it is read, and `label`, the class.
Result<Columns> open_images(const std::string &path, const Opening &opening);

/// Whether data that are read so have words, or classes, with numbers to keep.
bool has_words(const ReadOptions &options, const std::string &path);

/// The vocabulary by which data are read, as its file is to be, where the options name a file that
/// is not there yet; empty: there is nothing to keep.
Result<std::string> vocabulary_to_keep(const ReadOptions &options);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_FORMATS_H
