// .npz files through libzip: stored and deflated ones, damaged and hostile ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Readers.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::HasSubstr;

namespace {

class Npz : public testing::Test {
protected:
  void add(const std::string &name, const std::string &content, int method) {
    entries.push_back({name, content, method});
  }

  std::string write() {
    std::string path = folder.path("data.npz");
    zip_t *archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const Entry &entry : entries) {
      zip_source_t *source =
          zip_source_buffer(archive, entry.content.data(), entry.content.size(), 0);
      int64_t index = zip_file_add(archive, entry.name.c_str(), source, 0);
      zip_set_file_compression(archive, index, entry.method, 0);
    }
    EXPECT_EQ(zip_close(archive), 0);
    return path;
  }

  /// All arrays, or the first error.
  static Result<std::vector<Array>> read_all(const std::string &path) {
    Result<std::vector<std::string>> names = list_npz(path);
    if (!names)
      return names.error();
    std::vector<Array> arrays;
    for (size_t i = 0; i < names->size(); ++i) {
      Result<Array> array = read_npz(path, int64_t(i));
      if (!array)
        return array.error();
      arrays.push_back(*array);
    }
    return arrays;
  }

  std::string complaint(const std::string &path) {
    auto arrays = read_all(path);
    return arrays ? "no error" : arrays.error().message;
  }

  struct Entry {
    std::string name, content;
    int method;
  };
  std::vector<Entry> entries;
  TemporaryFolder folder;
};

} // namespace

TEST_F(Npz, reads_stored_and_deflated_arrays) {
  std::vector<float> many(100000);
  for (size_t i = 0; i < many.size(); ++i)
    many[i] = float(i % 100);
  add("x.npy", npy("<f4", "(1000, 100)", bytes_of(many)), ZIP_CM_DEFLATE);
  add("y.npy", npy("<i8", "(2,)", bytes_of<int64_t>({5, 6})), ZIP_CM_STORE);
  auto arrays = read_all(write());
  ASSERT_TRUE(arrays) << arrays.error().message;
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_EQ((*arrays)[0].name, "x");
  EXPECT_EQ(std::memcmp((*arrays)[0].data, many.data(), many.size() * 4), 0);
  EXPECT_EQ((*arrays)[1].name, "y");
  EXPECT_EQ((*arrays)[1].type, TUTTI_I64);
}

TEST_F(Npz, reads_one_array_whatever_the_others_are) {
  add("bad.npy", npy("|O", "(2,)", "pickle"), ZIP_CM_STORE);
  add("sub/x.npy", npy("<i8", "(1,)", bytes_of<int64_t>({5})), ZIP_CM_STORE);
  add("readme", "hello", ZIP_CM_STORE);
  std::string path = write();
  auto names = list_npz(path);
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_EQ(*names, (std::vector<std::string>{"bad", "sub/x", "readme"}));
  Result<Array> array = read_npz(path, 1);
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(array->name, "sub/x");
  EXPECT_FALSE(read_npz(path, 0));
  EXPECT_THAT(read_npz(path, 3).error().message, HasSubstr("entry 3 of the zip cannot be read"));
  EXPECT_FALSE(read_npz(path, -1));
}

TEST_F(Npz, refuses_entries_whose_sizes_disagree) {
  add("x.npy", npy("<f4", "(1000000,)", "1234"), ZIP_CM_STORE);
  EXPECT_THAT(complaint(write()), HasSubstr("array 'x.npy': its header asks for 4000"));
}

TEST_F(Npz, refuses_entries_that_are_no_arrays) {
  add("readme.txt", "hello", ZIP_CM_STORE);
  EXPECT_THAT(complaint(write()), HasSubstr("array 'readme.txt': it is not a .npy file"));
}

TEST_F(Npz, refuses_a_size_that_deflate_cannot_reach) {
  add("x.npy", npy("<f4", "(4,)", std::string(16, 0)), ZIP_CM_DEFLATE);
  std::string path = write();
  std::string bytes = TemporaryFolder::read(path);
  // The uncompressed size in the local header (22) and in the central directory (24).
  size_t central = bytes.find("PK\x01\x02");
  uint32_t huge = 0x70000000;
  std::memcpy(&bytes[22], &huge, 4);
  std::memcpy(&bytes[central + 24], &huge, 4);
  EXPECT_THAT(complaint(folder.write("bomb.npz", bytes)), HasSubstr("which deflate cannot do"));
}

TEST_F(Npz, refuses_damaged_data) {
  add("x.npy", npy("<f4", "(4,)", std::string(16, 0)), ZIP_CM_STORE);
  std::string bytes = TemporaryFolder::read(write());
  std::string flipped = bytes;
  flipped[bytes.find("PK\x01\x02") - 3] ^= 1; // in the data: the checksum notices
  EXPECT_THAT(complaint(folder.write("flipped.npz", flipped)), HasSubstr("its data is damaged"));
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(complaint(folder.write("short.npz", bytes.substr(0, length))), "no error") << length;
}

TEST_F(Npz, survives_every_flipped_byte) {
  add("x.npy", npy("<f4", "(40,)", std::string(160, 'x')), ZIP_CM_DEFLATE);
  std::string bytes = TemporaryFolder::read(write());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = char(~flipped[at]);
    auto arrays = read_all(folder.write("flipped.npz", flipped));
    for (const Array &array : arrays ? *arrays : std::vector<Array>()) {
      EXPECT_LE(*array_bytes(array.type, array.shape), 160) << at;
    }
  }
}
