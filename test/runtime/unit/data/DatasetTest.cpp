// Datasets of files and folders, binding to inputs, and the errors that users meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Dataset.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <cmath>
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
  EXPECT_EQ(whole->names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(Dataset::open({folder.path("a.npy"), folder.path("b.npy")}));
}

TEST_F(DatasetTest, binds_arrays_by_name_whatever_the_batch) {
  Result<Dataset> dataset = Dataset::open({file("x.npy", 5), file("y.npy", 5)});
  ASSERT_TRUE(dataset);
  Result<std::vector<BoundArray>> bound =
      dataset->bind({{"y", TUTTI_F32, {2, 2}}, {"x", TUTTI_F32, {99, 2}}});
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ((*bound)[0].array.name, "y");
  EXPECT_EQ((*bound)[1].array.name, "x");
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
  EXPECT_THAT(complaint(Dataset::open({folder.write("x.txt", "1,2,3")})),
              HasSubstr("x.txt' is neither .npy nor .npz nor a TensorProto"));
  EXPECT_THAT(
      complaint(Dataset::open({folder.write("x.pb", "garbage")})->bind({{"x", TUTTI_F32, {1}}})),
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
  Result<Dataset> dataset = Dataset::open({first, second, file("y.npy", 2)});
  EXPECT_EQ(complaint(dataset->bind({{"x", TUTTI_F32, {1, 2}}})),
            "array 'x' is both in '" + first + "' and in '" + second + "'");
  EXPECT_TRUE(dataset->bind({{"y", TUTTI_F32, {1, 2}}}));
}

TEST_F(DatasetTest, looks_at_bound_arrays_only) {
  file("x.npy", 5);
  file("longer.npy", 7);
  file("objects.npy", 5, "|O");
  folder.write("short.npy", npy("<f4", "(1000,)", "1234"));
  folder.write("none.pb", "garbage");
  Result<Dataset> dataset = Dataset::open({folder.path("")});
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_TRUE(dataset->bind({{"x", TUTTI_F32, {1, 2}}}));
  EXPECT_THAT(complaint(dataset->bind({{"objects", TUTTI_F32, {1, 2}}})),
              HasSubstr("objects.npy': its element type '|O' is not supported"));
  EXPECT_THAT(complaint(dataset->bind({{"short", TUTTI_F32, {1}}})),
              HasSubstr("short.npy': it is truncated"));
}

TEST_F(DatasetTest, binds_arrays_of_other_names) {
  file("images.npy", 5);
  Result<Dataset> dataset = Dataset::open({folder.path("images.npy")}, {{"x", "images"}});
  Result<std::vector<BoundArray>> bound = dataset->bind({{"x", TUTTI_F32, {1, 2}}});
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->front().array.name, "images");
  Result<Dataset> misspelt = Dataset::open({folder.path("images.npy")}, {{"x", "imagse"}});
  EXPECT_EQ(complaint(misspelt->bind({{"x", TUTTI_F32, {1, 2}}})),
            "dataset '" + folder.path("images.npy") +
                "' has no array 'imagse', which --bind gives "
                "to input 'x'; it has: images; if 'images' is meant: --bind x=images");
}

TEST_F(DatasetTest, suggests_what_may_be_meant) {
  Result<Dataset> dataset = Dataset::open({file("pixels.npy", 5), file("labels.npy", 5)});
  auto complain = [&](const char *name) {
    return complaint(dataset->bind({{name, TUTTI_F32, {1, 2}}}));
  };
  EXPECT_THAT(complain("label"), HasSubstr("if 'labels' is meant: --bind label=labels"));
  EXPECT_THAT(complain("Lables"), HasSubstr("if 'labels' is meant: --bind Lables=labels"));
  EXPECT_THAT(complain("input"), HasSubstr("; choose one by --bind input=ARRAY"));
  // One is taken, so the other is meant.
  EXPECT_THAT(complaint(dataset->bind({{"labels", TUTTI_F32, {1, 2}}, {"in", TUTTI_F32, {1, 2}}})),
              HasSubstr("if 'pixels' is meant: --bind in=pixels"));
}

TEST_F(DatasetTest, bindings_name_inputs_of_the_program) {
  EXPECT_FALSE(check_bindings({{"x", "a"}}, {"x", "y"}));
  EXPECT_EQ(check_bindings({{"lable", "a"}}, {"image", "label"}).message,
            "--bind lable=a: the program has no input 'lable'; did you mean 'label'? its inputs "
            "are: image, label");
}

TEST_F(DatasetTest, casts_where_every_value_stays) {
  std::string bytes = npy("|u1", "(2, 2)", std::string("\x00\x01\x7f\xff", 4));
  Result<Dataset> dataset = Dataset::open({folder.write("x.npy", bytes)});
  for (int32_t type : {TUTTI_F32, TUTTI_F16, TUTTI_I64, TUTTI_U8}) {
    Result<std::vector<BoundArray>> bound = dataset->bind({{"x", type, {1, 2}}});
    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_EQ(bound->front().input.type, type);
    EXPECT_EQ(bound->front().array.type, TUTTI_U8) << "what is stored stays as it is";
  }
  EXPECT_EQ(
      complaint(dataset->bind({{"x", TUTTI_I8, {1, 2}}})),
      "dataset '" + folder.path("x.npy") +
          "': array 'x' is u8: sample 1, element 1 is 255, "
          "which input 'x' of type i8 does not hold; if another value will do, save the array as "
          "array.astype(numpy.int8)");
}

TEST_F(DatasetTest, refuses_casts_that_round) {
  std::string good = npy("<f8", "(3,)", bytes_of<double>({1, 0.5, -3}));
  std::string bad = npy("<f8", "(3,)", bytes_of<double>({1, 0.5, 0.1}));
  Result<Dataset> dataset =
      Dataset::open({folder.write("a.npy", good), folder.write("b.npy", bad)});
  EXPECT_TRUE(dataset->bind({{"a", TUTTI_F32, {1}}}));
  EXPECT_THAT(complaint(dataset->bind({{"b", TUTTI_F32, {1}}})),
              HasSubstr("array 'b' is f64: sample 2 is 0.1, which input 'b' of type f32 does not "
                        "hold; if another value will do, save the array as "
                        "array.astype(numpy.float32)"));
  EXPECT_THAT(complaint(dataset->bind({{"a", TUTTI_I64, {1}}})), HasSubstr("sample 1 is 0.5"));
}

TEST_F(DatasetTest, refuses_labels_that_are_none) {
  auto said = [&](std::vector<float> values) {
    std::string shape = text("(", values.size(), ", 1)");
    Result<Dataset> dataset =
        Dataset::open({folder.write("y.npy", npy("<f4", shape, bytes_of(values)))});
    InputSpec labels{"y", TUTTI_F32, {1, 1}};
    EXPECT_TRUE(dataset->bind({labels})) << "values of an input that holds no labels may be any";
    labels.holds_labels = true;
    return complaint(dataset->bind({labels}));
  };
  EXPECT_EQ(said({0, 1, 0.25, 1}), "no error");
  EXPECT_THAT(said({0, 1, 1, 3}),
              HasSubstr("array 'y' (input 'y'): sample 3 is 3, but a label is 0 or 1, or a "
                        "probability between them; the array has values from 0 to 3"));
  EXPECT_THAT(said({1, -1, 1}), HasSubstr("sample 1 is -1, but a label is 0 or 1"));
  EXPECT_THAT(said({1, -1, 1}), HasSubstr("they seem to be -1 and 1: save (label + 1) / 2"));
  EXPECT_THAT(said({1, 2, 1}), HasSubstr("they seem to count from 1: subtract 1 from each"));
  EXPECT_THAT(said({1, 0, NAN}), HasSubstr("sample 2 is nan, but a label is 0 or 1"));
}
