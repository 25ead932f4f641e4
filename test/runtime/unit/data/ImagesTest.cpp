// Pictures: decoders and resampling beside Pillow's values, and folders of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/data/Readers.h"
#include "runtime/host/data/images/ImageList.h"
#include "runtime/host/data/images/Preparation.h"
#include "runtime/host/data/images/Resample.h"
#include "test/runtime/TemporaryFolder.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

const std::string photos = TEST_DATA "/photos";

/// What Pillow reads, by name.
std::map<std::string, Array> pillow() {
  std::map<std::string, Array> arrays;
  std::string path = TEST_DATA "/photos.npz";
  Result<std::vector<std::string>> names = list_npz(path);
  for (size_t i = 0; names && i < names->size(); ++i)
    arrays[(*names)[i]] = *read_npz(path, int64_t(i));
  return arrays;
}

void expect_same(const Image &image, const Array &expected, const std::string &what) {
  ASSERT_EQ(expected.shape, (std::vector<int64_t>{image.height, image.width, 3})) << what;
  EXPECT_EQ(std::string(expected.data, image.pixels.size()),
            std::string(image.pixels.begin(), image.pixels.end()))
      << what;
}

class Images : public testing::Test {
protected:
  Result<Dataset> open(const std::string &path = photos, bool evaluates = false) {
    if (options.training.empty())
      options.training = path;
    Opening opening;
    opening.options = options;
    opening.evaluates = evaluates;
    return Dataset::open({path}, {}, opening);
  }

  /// The samples `rows` of the input `image`, of 3 x 8 x 8 floats.
  std::vector<float> read(std::vector<int64_t> rows, int64_t epoch = 0, bool evaluates = false) {
    auto bound = open(photos, evaluates)->bind({{"image", TUTTI_F32, {2, 3, 8, 8}}});
    if (!bound)
      return ADD_FAILURE() << bound.error().message, std::vector<float>();
    std::vector<float> values(rows.size() * 3 * 8 * 8);
    void *buffers[] = {values.data()};
    if (Error error = RowGatherer(*bound).gather(epoch, rows, buffers))
      ADD_FAILURE() << error.message;
    return values;
  }

  std::string complaint(const std::string &path, std::vector<int64_t> shape = {2, 3, 8, 8}) {
    options.training = path;
    Result<Dataset> dataset = open(path);
    if (!dataset)
      return dataset.error().message;
    auto bound = dataset->bind({{"image", TUTTI_F32, shape}});
    if (!bound)
      return bound.error().message;
    RowGatherer rows(*bound);
    std::vector<float> values(size_t(rows.rows()) * 3 * 64);
    std::vector<int64_t> all(size_t(rows.rows()));
    std::iota(all.begin(), all.end(), 0);
    void *buffers[] = {values.data()};
    return rows.gather(0, all, buffers).message;
  }

  TemporaryFolder folder;
  ReadOptions options;
};

} // namespace

TEST_F(Images, have_the_pixels_that_pillow_reads) {
  std::map<std::string, Array> expected = pillow();
  ASSERT_EQ(expected.size(), 36u);
  ImageList list = *ImageList::find(photos);
  ASSERT_EQ(list.files.size(), 9u);
  for (const std::string &file : list.files) {
    Result<Image> image = decode_image(TemporaryFolder::read(photos + "/" + file));
    ASSERT_TRUE(image) << file << image.error().message;
    std::string name = fs::path(file).filename();
    expect_same(*image, expected[name], name);
    expect_same(resample(*image, 31, 23), expected[name + ".large"], name + " enlarged");
    ImageKeys keys;
    keys.shorter = 9;
    expect_same(*fit(*image, keys, nullptr), expected[name + ".resized"], name + " resized");
    std::vector<uint8_t> grey(size_t(image->width * image->height));
    write_bytes(*image, keys, 1, grey.data());
    EXPECT_EQ(std::string(expected[name + ".grey"].data, grey.size()),
              std::string(grey.begin(), grey.end()))
        << name;
  }
}

TEST_F(Images, are_listed_as_image_folders_are) {
  ImageList list = *ImageList::find(photos);
  EXPECT_THAT(list.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(list.files, ElementsAre("cat/grey.jpg", "cat/plain.jpg", "cat/progressive.jpeg",
                                      "dog/alpha.png", "dog/bits.png", "dog/deep.png",
                                      "dog/palette.png", "dog/rgb.png", "dog/turned.JPG"));
  EXPECT_THAT(list.labels, ElementsAre(0, 0, 0, 1, 1, 1, 1, 1, 1));
}

TEST_F(Images, are_cropped_and_normalised) {
  options.crop = "8", options.normalize = "imagenet";
  Array grey = pillow()["grey.jpg"];
  std::vector<float> values = read({0});
  auto expected = [&](int64_t y, int64_t x, float mean, float deviation) {
    float colour = float(uint8_t(grey.data[((y + 2) * 12 + x + 2) * 3]));
    return (colour / 255.0f - mean) / deviation;
  };
  EXPECT_EQ(values[0], expected(0, 0, 0.485f, 0.229f));
  EXPECT_EQ(values[64 + 8 * 3 + 5], expected(3, 5, 0.456f, 0.224f));
  options.normalize = "none";
  EXPECT_EQ(read({0})[0], float(uint8_t(grey.data[(2 * 12 + 2) * 3])));
}

TEST_F(Images, come_as_bytes_and_grey_where_the_input_wants_that) {
  options.crop = "8", options.layout = "nhwc";
  auto bound = open()->bind({{"image", TUTTI_U8, {2, 8, 8, 1}}});
  ASSERT_TRUE(bound) << bound.error().message;
  std::vector<uint8_t> values(64);
  void *buffers[] = {values.data()};
  ASSERT_FALSE(RowGatherer(*bound).gather(0, {0}, buffers));
  EXPECT_EQ(values[0], uint8_t(pillow()["grey.jpg"].data[(2 * 12 + 2) * 3]));
  options.normalize = "imagenet";
  EXPECT_THAT(open()->bind({{"image", TUTTI_U8, {2, 8, 8, 1}}}).error().message,
              HasSubstr("input 'image' is u8, which has colours from 0 to 255"));
}

TEST_F(Images, are_drawn_by_seed_epoch_and_sample) {
  options.crop = "8", options.random_crop = options.flip = true, options.padding = 2;
  std::vector<float> all = read({0, 1, 2, 3, 4, 5, 6, 7, 8}), some = read({3, 1});
  EXPECT_TRUE(std::equal(some.begin(), some.begin() + 192, all.begin() + 3 * 192));
  EXPECT_TRUE(std::equal(some.begin() + 192, some.end(), all.begin() + 192));
  EXPECT_NE(read({0, 1, 2}, 1), read({0, 1, 2}, 0));
  std::vector<float> evaluated = read({0, 1, 2}, 0, /*evaluates=*/true);
  EXPECT_NE(evaluated, read({0, 1, 2}, 0));
  EXPECT_EQ(evaluated, read({0, 1, 2}, 1, /*evaluates=*/true));
  options.seed = 1;
  EXPECT_NE(read({0, 1, 2}), std::vector<float>(all.begin(), all.begin() + 3 * 192));
  options = {};
  options.crop = "8";
  EXPECT_EQ(evaluated, read({0, 1, 2}));
}

TEST_F(Images, have_the_classes_of_the_training_data) {
  fs::create_directory(folder.path("dog"));
  fs::copy(photos + "/dog/rgb.png", folder.path("dog/a.png"));
  options.training = photos;
  auto bound = open(folder.path(""), true)->bind({{"label", TUTTI_I64, {1}}});
  ASSERT_TRUE(bound) << bound.error().message;
  int64_t label = -1;
  void *buffers[] = {&label};
  ASSERT_FALSE(RowGatherer(*bound).gather(0, {0}, buffers));
  EXPECT_EQ(label, 1);
  EXPECT_THAT(to_json(*words_of_images(options)), HasSubstr("\"cat\""));
  fs::rename(folder.path("dog"), folder.path("wolf"));
  EXPECT_THAT(open(folder.path(""), true)->bind({{"label", TUTTI_I64, {1}}}).error().message,
              HasSubstr("its sub-folder 'wolf' is not among the 2 classes of the training data"));
  options.training = "t.npz";
  EXPECT_THAT(open(folder.path(""), true)->bind({{"label", TUTTI_I64, {1}}}).error().message,
              HasSubstr("name these, too (--dataset), or say where the numbers are kept"));
}

TEST_F(Images, say_which_file_is_damaged) {
  options.crop = "8";
  fs::create_directory(folder.path("a"));
  for (const char *name : {"cat/plain.jpg", "cat/progressive.jpeg", "dog/rgb.png"}) {
    std::string whole = TemporaryFolder::read(photos + "/" + name);
    std::string file = "a/" + fs::path(name).filename().string();
    for (size_t size : {whole.size() / 2, whole.size() - 20, size_t(30), size_t(9)}) {
      folder.write(file, whole.substr(0, size));
      EXPECT_THAT(complaint(folder.path("")), HasSubstr(file + "': it is a damaged"))
          << name << " " << size;
    }
    folder.write(file, "GIF89a");
    EXPECT_THAT(complaint(folder.path("")), HasSubstr("it is neither a JPEG nor a PNG"));
    fs::remove(folder.path(file));
  }
}

TEST_F(Images, are_refused_where_colours_are_not_certain) {
  options.crop = "8";
  fs::create_directory(folder.path("a"));
  fs::copy(TEST_DATA "/photos-refused/cmyk.jpg", folder.path("a/x.jpg"));
  EXPECT_THAT(complaint(folder.path("")), HasSubstr("it is a JPEG in CMYK"));
  fs::remove(folder.path("a/x.jpg"));
  fs::copy(TEST_DATA "/photos-refused/deep-grey.png", folder.path("a/x.png"));
  EXPECT_THAT(complaint(folder.path("")), HasSubstr("it is a grey PNG of 16 bits"));
}

TEST_F(Images, need_one_size_and_folders_that_are_classes) {
  EXPECT_THAT(complaint(photos), HasSubstr("'image' is f32 [9, 3, 12, 12], the program expects "
                                           "f32 [samples, 3, 8, 8]"));
  EXPECT_THAT(complaint(photos, {2, 3, 12, 12}),
              HasSubstr("cat/plain.jpg' is 14 x 20 pixels, and the first is 12 x 12; let all have "
                        "one size: --read=\"resize=12x12\""));
  options.crop = "13";
  EXPECT_THAT(complaint(photos, {2, 3, 13, 13}), HasSubstr("cannot be kept; enlarge it"));
  options.crop = "";
  options.padding = 2;
  EXPECT_THAT(complaint(photos), HasSubstr("random-crop and padding need crop=SIZE"));
  options = {};
  options.normalize = "0.5,0.5/1";
  EXPECT_THAT(complaint(photos), HasSubstr("normalize is '0.5,0.5/1'; expected is unit, none"));
  options = {};
  options.resize = "9y9";
  EXPECT_THAT(complaint(photos), HasSubstr("resize is '9y9'; expected is the shorter edge"));
  options = {};
  fs::create_directory(folder.path("empty"));
  EXPECT_THAT(complaint(folder.path("")), HasSubstr("'empty' is a class without a .jpg"));
  folder.write("empty/x.webp", "");
  EXPECT_THAT(complaint(folder.path("")), HasSubstr("x.webp' is neither JPEG nor PNG"));
}

TEST_F(Images, change_the_fingerprint_with_names_and_sizes) {
  options.crop = "8";
  fs::copy(photos, folder.path("p"), fs::copy_options::recursive);
  auto fingerprint = [&] {
    options.training = folder.path("p");
    return RowGatherer(*open(folder.path("p"))->bind({{"image", TUTTI_F32, {2, 3, 8, 8}}}))
        .fingerprint();
  };
  std::string before = fingerprint();
  EXPECT_EQ(fingerprint(), before);
  fs::rename(folder.path("p/dog/rgb.png"), folder.path("p/dog/rgc.png"));
  EXPECT_NE(fingerprint(), before);
}
