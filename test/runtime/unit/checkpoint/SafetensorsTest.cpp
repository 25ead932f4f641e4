// Checkpoints: they come back as they were, and nothing bad is loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/host/data/Array.h"
#include "test/runtime/TemporaryFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::checkpoint;
using testing::HasSubstr;

namespace {

struct Model {
  std::vector<float> w = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> steps = {42};
  std::vector<uint8_t> flags = {1, 0, 1};

  std::vector<Variable> variables() {
    return {{"fc.weight", TUTTI_F32, {2, 3}, w.data()},
            {"flags", TUTTI_BOOL, {3}, flags.data()},
            {"steps", TUTTI_I64, {}, steps.data()},
            {"empty", TUTTI_F32, {0, 4}, nullptr}};
  }
};

std::string with_header(const std::string &header, const std::string &data = "") {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<char *>(&length), 8) + header + data;
}

class Safetensors : public testing::Test {
protected:
  /// The error of loading one f32 [2] variable 'w' from `bytes`.
  std::string complaint(const std::string &bytes) {
    float values[2] = {7, 7};
    std::string path = folder.write("x.safetensors", bytes);
    Error error = load(path, {{"w", TUTTI_F32, {2}, values}}, nullptr);
    EXPECT_TRUE(!error || (values[0] == 7 && values[1] == 7)) << "changed in spite of an error";
    return error ? error.message : "no error";
  }
  TemporaryFolder folder;
};

const char good_entry[] = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

} // namespace

TEST_F(Safetensors, come_back_as_they_were) {
  Model saved, loaded;
  std::string path = folder.path("model.safetensors");
  Error error = save(path, saved.variables(), {{"program", "p"}});
  ASSERT_FALSE(error) << error.message;
  loaded.w.assign(6, 0);
  loaded.steps = {0};
  loaded.flags = {9, 9, 9};
  std::vector<std::string> unused = {"stale"};
  error = load(path, loaded.variables(), &unused);
  ASSERT_FALSE(error) << error.message;
  EXPECT_EQ(loaded.w, saved.w);
  EXPECT_EQ(loaded.steps, saved.steps);
  EXPECT_EQ(loaded.flags, saved.flags);
  EXPECT_TRUE(unused.empty());
}

TEST_F(Safetensors, are_the_same_bytes_each_time_and_aligned) {
  Model model;
  save(folder.path("a"), model.variables(), {}).status;
  save(folder.path("b"), model.variables(), {}).status;
  std::string a = TemporaryFolder::read(folder.path("a"));
  EXPECT_EQ(a, TemporaryFolder::read(folder.path("b")));
  uint64_t length;
  std::memcpy(&length, a.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(folder.files(), 2u) << "a temporary file is left";
}

TEST_F(Safetensors, replace_the_old_file_as_a_whole) {
  Model model;
  std::string path = folder.write("a", "old");
  ASSERT_FALSE(save(path, model.variables(), {}));
  EXPECT_FALSE(load(path, model.variables(), nullptr));
}

TEST_F(Safetensors, report_tensors_that_nobody_asked_for) {
  Model model;
  ASSERT_FALSE(save(folder.path("a"), model.variables(), {}));
  std::vector<std::string> unused;
  ASSERT_FALSE(load(folder.path("a"), {model.variables()[0]}, &unused));
  EXPECT_EQ(unused, (std::vector<std::string>{"empty", "flags", "steps"}));
}

TEST_F(Safetensors, give_each_rank_its_part_with_zeros_after_the_end) {
  Model model;
  std::string path = folder.path("a");
  ASSERT_FALSE(save(path, model.variables(), {}));
  // Six elements on four ranks: two each, none of the value on the last one.
  std::vector<std::vector<float>> expected = {{1, 2}, {3, 4}, {5, 6}, {0, 0}};
  for (int64_t rank = 0; rank < 4; ++rank) {
    std::vector<float> part = {9, 9};
    ASSERT_FALSE(load(path, {{"fc.weight", TUTTI_F32, {2, 3}, part.data(), rank * 2, 2}}, nullptr));
    EXPECT_EQ(part, expected[rank]);
  }
  std::vector<float> across(4, 9);
  ASSERT_FALSE(load(path, {{"fc.weight", TUTTI_F32, {2, 3}, across.data(), 4, 4}}, nullptr));
  EXPECT_EQ(across, (std::vector<float>{5, 6, 0, 0}));
}

TEST_F(Safetensors, take_data_when_its_turn_comes) {
  Model model;
  std::vector<Variable> described = model.variables(), whole = model.variables();
  for (Variable &variable : described)
    variable.data = nullptr;
  std::vector<size_t> asked;
  auto source = [&](size_t index, const Sink &sink) {
    asked.push_back(index);
    int64_t bytes = *data::array_bytes(whole[index].type, whole[index].shape);
    for (int64_t at = 0; at < bytes; ++at) // in pieces
      sink(static_cast<const char *>(whole[index].data) + at, 1);
    return Error::success();
  };
  ASSERT_FALSE(save(folder.path("a"), described, {}, source));
  ASSERT_FALSE(save(folder.path("b"), whole, {}));
  EXPECT_EQ(TemporaryFolder::read(folder.path("a")), TemporaryFolder::read(folder.path("b")));
  EXPECT_EQ(asked, (std::vector<size_t>{0, 1, 2, 3}));
  auto broken = [](size_t, const Sink &) {
    return Error::make(TUTTI_PEER_FAILED, "rank 1 is gone");
  };
  EXPECT_EQ(save(folder.path("c"), described, {}, broken).message, "rank 1 is gone");
  EXPECT_EQ(folder.files(), 2u) << "half a checkpoint is left";
}

TEST_F(Safetensors, tell_their_shapes) {
  Model model;
  ASSERT_FALSE(save(folder.path("a"), model.variables(), {}));
  auto shapes = read_shapes(folder.path("a"));
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_EQ(shapes->size(), 4u);
  EXPECT_EQ(shapes->at("fc.weight"), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(shapes->at("steps"), (std::vector<int64_t>{}));
  auto bad = read_shapes(folder.write("x.safetensors", "[]"));
  EXPECT_THAT(bad.error().message, HasSubstr("x.safetensors': it is too short"));
}

TEST_F(Safetensors, are_used_where_they_lie) {
  Model model;
  ASSERT_FALSE(save(folder.path("a"), model.variables(), {}));
  std::string bytes = TemporaryFolder::read(folder.path("a"));
  auto tensors = parse(bytes);
  ASSERT_TRUE(tensors) << tensors.error().message;
  const StoredTensor &weight = tensors->at("fc.weight");
  EXPECT_EQ(weight.type, "F32");
  EXPECT_EQ(weight.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(weight.data.size(), 6 * sizeof(float));
  EXPECT_GE(weight.data.data(), bytes.data());
  EXPECT_LE(weight.data.data() + weight.data.size(), bytes.data() + bytes.size());
  EXPECT_THAT(parse("[]").error().message, HasSubstr("it is too short"));
}

TEST_F(Safetensors, cannot_be_saved_to_nowhere) {
  Model model;
  EXPECT_THAT(save(folder.path("no/such/folder"), model.variables(), {}).message,
              HasSubstr("there is no folder '"));
  float value = 0;
  Variable one = {"w", TUTTI_F32, {1}, &value};
  EXPECT_THAT(save(folder.path("a"), {one, one}, {}).message, HasSubstr("two variables 'w'"));
  Variable bad = {"\xff", TUTTI_F32, {1}, &value};
  EXPECT_THAT(save(folder.path("a"), {bad}, {}).message, HasSubstr("UTF-8"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST_F(Safetensors, name_the_variable_that_does_not_fit) {
  EXPECT_EQ(complaint(with_header(good_entry, "12345678")), "no error");
  std::string missing = complaint(with_header("{}"));
  EXPECT_THAT(missing, HasSubstr("x.safetensors': variable 'w' is not in it"));
  EXPECT_THAT(complaint(with_header(R"({"w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})",
                                    "12345678")),
              HasSubstr("variable 'w' is f32 [2] in the program, in the file F64 [1]"));
  EXPECT_THAT(
      complaint(with_header(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234")),
      HasSubstr("variable 'w' needs 8 bytes, the file gives it 4"));
}

TEST_F(Safetensors, refuse_hostile_headers) {
  EXPECT_THAT(complaint(""), HasSubstr("too short"));
  EXPECT_THAT(complaint("1234567"), HasSubstr("too short"));
  EXPECT_THAT(complaint("\xff\xff\xff\xff\xff\xff\xff\xff"), HasSubstr("its header claims"));
  EXPECT_THAT(complaint(with_header("[1, 2]")), HasSubstr("not a JSON object"));
  EXPECT_THAT(complaint(with_header("{\"w\": ")), HasSubstr("not a JSON object"));
  EXPECT_THAT(complaint(with_header(std::string(100000, '['))), HasSubstr("nests more than 64"));
  EXPECT_THAT(complaint(with_header(R"({"w": 3})")), HasSubstr("tensor 'w' lacks a valid dtype"));
  EXPECT_THAT(complaint(with_header(R"({"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})")),
              HasSubstr("lacks a valid"));
  EXPECT_THAT(complaint(with_header(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0]}})")),
              HasSubstr("lacks a valid"));
}

TEST_F(Safetensors, refuse_offsets_that_lie) {
  EXPECT_THAT(complaint(with_header(good_entry, "1234")),
              HasSubstr("tensor 'w' claims bytes 0 to 8 of 4"));
  EXPECT_THAT(complaint(with_header(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
                                    "12345678")),
              HasSubstr("claims bytes 8 to 0"));
  EXPECT_THAT(complaint(with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
                                    R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                                    "12345678")),
              HasSubstr("tensors 'w' and 'a' overlap"));
  EXPECT_THAT(complaint(with_header(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                    R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                                    "12345678")),
              HasSubstr("tensor 'w' is there twice"));
}

TEST_F(Safetensors, may_have_holes_and_whatever_nobody_asks_for) {
  std::string path =
      folder.write("x.safetensors",
                   with_header(R"({"__metadata__":{"w":"no tensor"},)"
                               R"("strange":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]},)"
                               R"("first":{"dtype":"F32","shape":[0],"data_offsets":[3,3]},)"
                               R"("w":{"dtype":"I8","shape":[2],"data_offsets":[5,7]},)"
                               R"("last":{"dtype":"F32","shape":[0],"data_offsets":[7,7]}})",
                               "abc..de..."));
  char values[2] = {};
  std::vector<std::string> unused;
  Error error = load(path, {{"w", TUTTI_I8, {2}, values}}, &unused);
  ASSERT_FALSE(error) << error.message;
  EXPECT_EQ(std::string(values, 2), "de");
  EXPECT_EQ(unused, (std::vector<std::string>{"first", "last", "strange"}));
}

TEST_F(Safetensors, refuse_tensors_that_share_bytes) {
  auto two = [&](const char *a, const char *w) {
    return complaint(with_header(std::string(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":)") +
                                     a + R"(},"w":{"dtype":"F32","shape":[2],"data_offsets":)" + w +
                                     "}}",
                                 std::string(16, '.')));
  };
  EXPECT_EQ(two("[0,1]", "[1,9]"), "no error");
  EXPECT_EQ(two("[8,9]", "[0,8]"), "no error");
  for (const char *inside : {"[0,1]", "[3,4]", "[7,8]", "[0,8]", "[7,16]"})
    EXPECT_THAT(two(inside, "[0,8]"), HasSubstr("overlap")) << inside;
  EXPECT_THAT(two("[0,16]", "[4,12]"), HasSubstr("tensors 'a' and 'w' overlap"));
}

TEST_F(Safetensors, refuse_numbers_that_are_no_sizes) {
  for (const char *offsets : {"[0,8.0]", "[0,\"8\"]", "[-8,0]", "[0,8,8]", "[]", "8", "null",
                              "[0,9223372036854775808]", "[0,1e3]", "[[0],8]"})
    EXPECT_THAT(complaint(with_header(std::string(R"({"w":{"dtype":"F32","shape":[2],)") +
                                          R"("data_offsets":)" + offsets + "}}",
                                      "12345678")),
                HasSubstr("lacks a valid"))
        << offsets;
  EXPECT_THAT(complaint(with_header(R"({"w":{"dtype":"F32","shape":[9223372036854775807,8],)"
                                    R"("data_offsets":[0,8]}})",
                                    "12345678")),
              HasSubstr("in the file F32 [9223372036854775807,8]"));
}

TEST_F(Safetensors, name_types_as_the_format_does) {
  double value = 0;
  for (auto [type, name] : {std::pair{TUTTI_F16, "F16"},
                            {TUTTI_BF16, "BF16"},
                            {TUTTI_F32, "F32"},
                            {TUTTI_F64, "F64"},
                            {TUTTI_I8, "I8"},
                            {TUTTI_U8, "U8"},
                            {TUTTI_I16, "I16"},
                            {TUTTI_I32, "I32"},
                            {TUTTI_I64, "I64"},
                            {TUTTI_BOOL, "BOOL"}}) {
    ASSERT_FALSE(save(folder.path("a"), {{"v", type, {1}, &value}}, {}));
    EXPECT_THAT(TemporaryFolder::read(folder.path("a")),
                HasSubstr(std::string(R"("dtype":")") + name + '"'));
    EXPECT_FALSE(load(folder.path("a"), {{"v", type, {1}, &value}}, nullptr)) << name;
  }
}

TEST_F(Safetensors, refuse_every_truncation) {
  std::string good = with_header(good_entry, "12345678");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(complaint(good.substr(0, length)), "no error") << length;
}

TEST_F(Safetensors, name_a_file_that_is_not_there) {
  EXPECT_THAT(load(folder.path("absent"), {}, nullptr).message, HasSubstr("No such file"));
}
