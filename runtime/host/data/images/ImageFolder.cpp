// A folder of pictures as the arrays `image` and `label`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Dataset.h"
#include "runtime/host/data/Formats.h"
#include "runtime/host/data/Vocabulary.h"
#include "runtime/host/data/images/ImageList.h"
#include "runtime/host/data/images/Preparation.h"
#include "runtime/support/Names.h"
#include "runtime/support/system/MappedFile.h"

#include <atomic>
#include <filesystem>
#include <new>
#include <sched.h>
#include <system_error>
#include <thread>

namespace tutti::runtime::data {
namespace {

namespace fs = std::filesystem;

constexpr const char *labels_name = "label";

/// What one sample becomes.
struct ImageShape {
  int64_t channels = 3, height = 0, width = 0;
  int32_t type = TUTTI_F32;

  int64_t bytes() const { return channels * height * width * type_bytes(type); }
};

/// A folder, and what --read says of it.
struct ImageFolder {
  ImageList list;
  ImageKeys keys;
  uint64_t seed = 0;
  bool is_drawn = false;      ///< pictures are cropped and flipped at random
  bool is_normalized = false; ///< by a key

  /// A picture as it is used in an epoch. Errors name the file.
  Result<Image> load(int64_t epoch, int64_t sample) const;
  /// The size of all pictures: what is said, or that of the first.
  Result<std::array<int64_t, 2>> size() const;
};

Result<Image> ImageFolder::load(int64_t epoch, int64_t sample) const {
  std::string path = list.folder + "/" + list.files[size_t(sample)];
  auto refuse = [&](const Error &error) {
    return Error::make(error.status, "picture '", path, "': ", error.message);
  };
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.error();
  Result<Image> image = decode_image((*file)->bytes());
  if (!image)
    return refuse(image.error());
  SplitMix random(SplitMix(SplitMix(seed).next() ^ uint64_t(epoch)).next() ^ uint64_t(sample));
  Result<Image> fitted = fit(std::move(*image), keys, is_drawn ? &random : nullptr);
  return fitted ? fitted : Result<Image>(refuse(fitted.error()));
}

Result<std::array<int64_t, 2>> ImageFolder::size() const {
  if (keys.cropped)
    return *keys.cropped;
  if (keys.resized)
    return *keys.resized;
  Result<Image> first = load(0, 0);
  if (!first)
    return first.error();
  return std::array<int64_t, 2>{first->height, first->width};
}

/// How many threads decode a batch: as many as there are processors for this one.
size_t processors() {
  constexpr int most = 16;
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? size_t(std::clamp(CPU_COUNT(&set), 1, most))
                                                     : 1;
}

/// Calls use(i) for i below `count`, by as many threads as there are to be had. The error of the
/// least i that had one.
template <typename Use> Error for_all(size_t count, Use use) {
  std::vector<Error> errors(count);
  std::atomic<size_t> next = 0;
  auto run = [&] {
    for (size_t i = next++; i < count; i = next++)
      errors[i] = use(i);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(count, processors()); ++i)
    try {
      threads.emplace_back(run);
    } catch (const std::system_error &) {
      break; // the limit of threads: those that began do all
    }
  run();
  for (std::thread &thread : threads)
    thread.join();
  for (Error &error : errors)
    if (error)
      return error;
  return Error::success();
}

class ImageSource : public SampleSource {
public:
  ImageSource(std::shared_ptr<const ImageFolder> folder, ImageShape shape)
      : folder(std::move(folder)), shape(shape) {}

  Error read(int64_t epoch, const std::vector<int64_t> &rows,
             std::vector<const char *> &out_columns) override {
    values.resize(rows.size() * size_t(shape.bytes()));
    out_columns = {values.data()};
    return for_all(rows.size(), [&](size_t i) {
      try {
        return load(epoch, rows[i], values.data() + i * size_t(shape.bytes()));
      } catch (const std::bad_alloc &) {
        return Error::make(TUTTI_OUT_OF_MEMORY, "picture '", folder->list.folder, "/",
                           place_of(rows[i]), "': no memory to decode it");
      }
    });
  }
  /// To look at all pictures before the run takes as long as an epoch.
  bool is_stored() const override { return false; }
  std::string place_of(int64_t row) const override { return folder->list.files[size_t(row)]; }

private:
  Error load(int64_t epoch, int64_t sample, char *to) const;

  std::shared_ptr<const ImageFolder> folder;
  ImageShape shape;
  std::vector<char> values;
};

Error ImageSource::load(int64_t epoch, int64_t sample, char *to) const {
  Result<Image> image = folder->load(epoch, sample);
  if (!image)
    return image.error();
  if (image->height != shape.height || image->width != shape.width)
    return Error::make(TUTTI_BAD_DATA, "picture '", folder->list.folder, "/",
                       folder->list.files[size_t(sample)], "' is ", image->height, " x ",
                       image->width, " pixels, and the first is ", shape.height, " x ", shape.width,
                       "; let all have one size: --read=\"resize=", shape.height, "x", shape.width,
                       "\", or also crop=SIZE");
  if (shape.type == TUTTI_U8)
    write_bytes(*image, folder->keys, shape.channels, reinterpret_cast<uint8_t *>(to));
  else
    write_floats(*image, folder->keys, shape.channels, reinterpret_cast<float *>(to));
  return Error::success();
}

/// For an input of bytes, or of floats; one of a single channel gets grey.
Result<Array> image_array(const std::shared_ptr<const ImageFolder> &folder,
                          const InputSpec *input) {
  Result<std::array<int64_t, 2>> size = folder->size();
  if (!size)
    return size.error();
  ImageShape shape{3, (*size)[0], (*size)[1], TUTTI_F32};
  const ImageKeys &keys = folder->keys;
  size_t place = keys.is_nchw ? 1 : 3;
  if (input && input->shape.size() == 4 && input->shape[place] == 1)
    shape.channels = 1;
  if (input && input->type == TUTTI_U8)
    shape.type = TUTTI_U8;
  if (shape.type == TUTTI_U8 && keys.is_scaled && folder->is_normalized)
    return Error::make(TUTTI_INVALID_ARGUMENT, "input '", input->name,
                       "' is u8, which has colours from 0 to 255: leave normalize away");
  Array array{"image", shape.type,
              keys.is_nchw ? std::vector<int64_t>{int64_t(folder->list.files.size()),
                                                  shape.channels, shape.height, shape.width}
                           : std::vector<int64_t>{int64_t(folder->list.files.size()), shape.height,
                                                  shape.width, shape.channels}};
  array.words = folder->list.fingerprint;
  array.source = std::make_shared<ImageSource>(folder, shape);
  return array;
}

/// The class of each picture, by the number that `words` has for its name.
Result<Array> label_array(const ImageList &list, const Words &words, const std::string &origin) {
  std::vector<int64_t> numbers;
  for (const std::string &name : list.classes) {
    std::optional<int64_t> number = words.number_of(name);
    if (!number)
      return Error::make(TUTTI_BAD_DATA, "its sub-folder '", name, "' is not among the ",
                         words.list().size(), " classes of ", origin);
    numbers.push_back(*number);
  }
  auto memory = std::make_shared<std::vector<int64_t>>();
  for (int64_t label : list.labels)
    memory->push_back(numbers[size_t(label)]);
  Array array{labels_name, TUTTI_I64, {int64_t(memory->size())}};
  array.data = reinterpret_cast<const char *>(memory->data());
  array.owner = memory;
  array.words = words.fingerprint();
  return array;
}

Result<std::vector<std::string>> classes_of(const std::string &folder) {
  Result<ImageList> list = ImageList::find(folder);
  return list ? list->classes : Result<std::vector<std::string>>(list.error());
}

/// Classes have the numbers that are kept, or those of the training data.
Result<Array> labels_of(const ImageList &list, const ReadOptions &options) {
  std::error_code none;
  if (!options.vocabulary.empty() && fs::exists(options.vocabulary, none)) {
    Result<Vocabulary> kept = read_vocabulary(options.vocabulary);
    if (!kept)
      return kept.error();
    auto found = kept->find(labels_name);
    if (found == kept->end())
      return Error::make(TUTTI_BAD_DATA, "vocabulary '", options.vocabulary, "' has no classes ('",
                         labels_name, "'); is it that of other data?");
    return label_array(list, *found->second, "vocabulary " + options.vocabulary);
  }
  if (options.training == list.folder)
    return label_array(list, Words(list.classes), "itself");
  if (!is_image_folder(options.training))
    return Error::make(TUTTI_BAD_DATA,
                       "classes have the numbers that they have in the training data: name these, "
                       "too (--dataset), or say where the numbers are kept, such as "
                       "--read=\"vocabulary=run/vocabulary.json\"");
  Result<std::vector<std::string>> classes = classes_of(options.training);
  if (!classes)
    return classes.error();
  return label_array(list, Words(*classes), "the training data");
}

} // namespace

bool is_image_folder(const std::string &path) {
  std::error_code code;
  bool has_folders = false;
  for (fs::directory_iterator at(path, code), end; !code && at != end; at.increment(code)) {
    if (is_array_file(at->path()))
      return false;
    std::error_code none;
    has_folders |= fs::is_directory(at->path(), none);
  }
  return !code && has_folders;
}

Result<Columns> open_images(const std::string &path, const Opening &opening) {
  auto folder = std::make_shared<ImageFolder>();
  Result<ImageKeys> keys = parse_image_keys(opening.options);
  if (!keys)
    return keys.error();
  Result<ImageList> list = ImageList::find(path);
  if (!list)
    return list.error();
  folder->list = std::move(*list), folder->keys = *keys;
  folder->seed = opening.options.seed;
  folder->is_normalized = !opening.options.normalize.empty();
  folder->is_drawn = keys->draws() && !opening.evaluates;
  return Columns{{"image", path, [folder] { return image_array(folder, nullptr); },
                  [folder](const InputSpec &input) { return image_array(folder, &input); }},
                 {labels_name, path, [folder, options = opening.options] {
                    return labels_of(folder->list, options);
                  }}};
}

Result<Vocabulary> words_of_images(const ReadOptions &options) {
  Result<std::vector<std::string>> classes = classes_of(options.training);
  if (!classes)
    return classes.error();
  for (const std::string &name : *classes)
    if (!can_be_kept(name))
      return Error::make(TUTTI_BAD_DATA, "dataset '", options.training,
                         "': the name of sub-folder '", name, "' is no UTF-8");
  return Vocabulary{{labels_name, std::make_shared<Words>(*classes)}};
}

} // namespace tutti::runtime::data
