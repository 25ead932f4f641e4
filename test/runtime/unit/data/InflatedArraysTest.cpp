// A .npz is inflated once for a process and its children.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Dataset.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::HasSubstr;

namespace {

class Inflated : public testing::Test {
protected:
  Inflated() {
    zip_t *archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const auto &[name, content] : entries)
      zip_file_add(archive, name.c_str(),
                   zip_source_buffer(archive, content.data(), content.size(), 0), 0);
    EXPECT_EQ(zip_close(archive), 0);
  }

  static std::vector<int64_t> values(const Array &array) {
    const auto *begin = reinterpret_cast<const int64_t *>(array.data);
    return {begin, begin + array.rows()};
  }

  std::vector<std::pair<std::string, std::string>> entries = {
      {"x.npy", npy("<i8", "(3,)", bytes_of<int64_t>({1, 2, 3}))},
      {"y.npy", npy("<i8", "(2,)", bytes_of<int64_t>({5, 6}))},
      {"bad.npy", "no array"}};
  TemporaryFolder folder;
  std::string path = folder.path("data.npz");
};

} // namespace

TEST_F(Inflated, is_there_for_children_once) {
  auto own = InflatedArrays::for_children();
  Result<Array> first = own.read(path, 1, "y");
  ASSERT_TRUE(first) << first.error().message;
  std::filesystem::remove(path); // nobody reads it again
  EXPECT_TRUE(own.read(path, 1, "y"));
  ASSERT_EQ(own.list().size(), 1u);
  EXPECT_EQ(own.list()[0].file, path);
  EXPECT_EQ(own.list()[0].entry, 1);

  InflatedArrays inherited(own.list());
  Result<Array> array = inherited.read(path, 1, "y");
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(array->name, "y");
  EXPECT_EQ(values(*array), (std::vector<int64_t>{5, 6}));
}

TEST_F(Inflated, arrays_outlive_whoever_inflated_them) {
  Result<Array> array = InflatedArrays::for_children().read(path, 0, "x");
  ASSERT_TRUE(array);
  EXPECT_EQ(values(*array), (std::vector<int64_t>{1, 2, 3}));
}

TEST_F(Inflated, is_done_by_a_child_for_what_it_does_not_inherit) {
  InflatedArrays none({});
  Result<Array> array = none.read(path, 0, "x");
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(values(*array), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_TRUE(none.list().empty());
}

TEST_F(Inflated, tells_what_is_wrong_as_without_children) {
  auto own = InflatedArrays::for_children();
  Result<Array> bad = own.read(path, 2, "bad");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("array 'bad.npy': "));
  EXPECT_EQ(bad.error().message, InflatedArrays({}).read(path, 2, "bad").error().message);
  EXPECT_TRUE(own.list().empty());
}

TEST_F(Inflated, serves_all_datasets_that_name_the_file) {
  auto own = InflatedArrays::for_children();
  for (int i = 0; i < 2; ++i) {
    Result<Dataset> dataset = Dataset::open({path}, {}, {&own});
    ASSERT_TRUE(dataset);
    ASSERT_TRUE(dataset->bind({{"x", TUTTI_I64, {1}}}));
  }
  EXPECT_EQ(own.list().size(), 1u);
}
