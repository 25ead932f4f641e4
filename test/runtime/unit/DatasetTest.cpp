// Datasets of files and folders, binding to inputs, and the errors that users meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/Dataset.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::HasSubstr;

namespace {

class DatasetTest : public testing::Test {
protected:
  std::string file(const std::string &name, int64_t rows, const std::string &descr = "<f4") {
    return folder.write(name, npy(descr, text("(", rows, ", 2)"), std::string(rows * 16, 0)));
  }
  template <typename T> static std::string complaint(const Result<T> &result) {
    return result ? "no error" : result.error().message;
  }
  TemporaryFolder folder;
};

} // namespace

TEST_F(DatasetTest, opens_files_and_folders) {
  file("b.npy", 3);
  file("a.npy", 3);
  folder.write("notes.txt", "not data");
  Result<Dataset> whole = Dataset::open({folder.path("")});
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_EQ(whole->arrays().size(), 2u);
  EXPECT_EQ(whole->arrays()[0].name, "a");
  EXPECT_TRUE(Dataset::open({folder.path("a.npy"), folder.path("b.npy")}));
}

TEST_F(DatasetTest, binds_arrays_by_name_whatever_the_batch) {
  Result<Dataset> dataset = Dataset::open({file("x.npy", 5), file("y.npy", 5)});
  ASSERT_TRUE(dataset);
  Result<std::vector<Array>> bound =
      dataset->bind({{"y", TUTTI_F32, {2, 2}}, {"x", TUTTI_F32, {99, 2}}});
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ((*bound)[0].name, "y");
  EXPECT_EQ((*bound)[1].name, "x");
}

TEST_F(DatasetTest, says_what_is_there_when_a_name_is_not) {
  Result<Dataset> dataset = Dataset::open({file("images.npy", 5), file("labels.npy", 5)});
  std::string message = complaint(dataset->bind({{"input", TUTTI_F32, {1, 2}}}));
  EXPECT_THAT(message, HasSubstr("has no array 'input'"));
  EXPECT_THAT(message, HasSubstr("it has: images, labels"));
}

TEST_F(DatasetTest, names_file_array_found_and_expected) {
  std::string path = file("x.npy", 5);
  Result<Dataset> dataset = Dataset::open({path});
  std::string expected = "dataset '" + path + "': array 'x' is f32 [5, 2], the program expects ";
  EXPECT_EQ(complaint(dataset->bind({{"x", TUTTI_I64, {1, 2}}})), expected + "i64 [samples, 2]");
  EXPECT_EQ(complaint(dataset->bind({{"x", TUTTI_F32, {1, 3}}})), expected + "f32 [samples, 3]");
  EXPECT_EQ(complaint(dataset->bind({{"x", TUTTI_F32, {1}}})), expected + "f32 [samples]");
}

TEST_F(DatasetTest, refuses_arrays_of_different_lengths) {
  Result<Dataset> dataset = Dataset::open({file("x.npy", 5), file("y.npy", 4)});
  EXPECT_THAT(complaint(dataset->bind({{"x", TUTTI_F32, {1, 2}}, {"y", TUTTI_F32, {1, 2}}})),
              HasSubstr("array 'x' has 5 samples, 'y' has 4"));
}

TEST_F(DatasetTest, names_the_file_that_cannot_be_used) {
  EXPECT_THAT(complaint(Dataset::open({folder.path("absent.npz")})),
              HasSubstr("absent.npz': No such file or directory"));
  EXPECT_THAT(complaint(Dataset::open({folder.write("x.csv", "1,2,3")})),
              HasSubstr("x.csv' is neither .npy nor .npz nor a TensorProto"));
  EXPECT_THAT(complaint(Dataset::open({folder.write("x.pb", "garbage")})),
              HasSubstr("x.pb': it is not a serialised TensorProto"));
  EXPECT_THAT(complaint(Dataset::open({folder.write("e.npz", "")})),
              HasSubstr("e.npz' is neither"));
  EXPECT_THAT(complaint(Dataset::open({folder.write("z.npz", "PK\x03\x04 rest")})),
              HasSubstr("z.npz': it is not a readable zip"));
  EXPECT_THAT(complaint(Dataset::open({"/dev/null"})), HasSubstr("not a regular file"));
}

TEST_F(DatasetTest, refuses_folders_without_data_and_names_that_come_twice) {
  TemporaryFolder empty;
  EXPECT_THAT(complaint(Dataset::open({empty.path("")})), HasSubstr("has no .npy, .npz or .pb"));
  std::string first = file("x.npy", 2);
  std::string second = empty.write("x.npy", npy("<f4", "(1,)", "1234"));
  EXPECT_EQ(complaint(Dataset::open({first, second})),
            "array 'x' is both in '" + first + "' and in '" + second + "'");
}
