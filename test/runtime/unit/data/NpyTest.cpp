// .npy files: what is read, and that everything else is an error that says what is wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Readers.h"
#include "test/runtime/NpyBytes.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::HasSubstr;

namespace {

Result<Array> read(const std::string &bytes) { return read_npy("a", bytes, nullptr); }

std::string complaint(const std::string &bytes) {
  Result<Array> array = read(bytes);
  return array ? "no error" : array.error().message;
}

} // namespace

TEST(Npy, reads_a_matrix_where_it_lies) {
  std::string bytes = npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6}));
  Result<Array> array = read(bytes);
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(array->name, "a");
  EXPECT_EQ(array->type, TUTTI_F32);
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array->data, bytes.data() + bytes.size() - 24);
  EXPECT_EQ(array->rows(), 2);
}

TEST(Npy, reads_every_type) {
  for (auto [descr, type, size] :
       {std::tuple{"<f2", TUTTI_F16, 2}, std::tuple{"<f8", TUTTI_F64, 8},
        std::tuple{"|i1", TUTTI_I8, 1}, std::tuple{"|u1", TUTTI_U8, 1},
        std::tuple{"<i2", TUTTI_I16, 2}, std::tuple{"<i4", TUTTI_I32, 4},
        std::tuple{"<i8", TUTTI_I64, 8}, std::tuple{"|b1", TUTTI_BOOL, 1}}) {
    Result<Array> array = read(npy(descr, "(1,)", std::string(size, 0)));
    ASSERT_TRUE(array) << descr << array.error().message;
    EXPECT_EQ(array->type, type);
  }
}

TEST(Npy, reads_scalars_empty_arrays_and_later_versions) {
  EXPECT_EQ(read(npy("<f4", "()", "1234"))->shape.size(), 0u);
  EXPECT_EQ(read(npy("<f4", "(0, 5)", ""))->rows(), 0);
  std::string two = npy("<f4", "(1,)", "1234");
  two[6] = 2;
  two.insert(10, 2, '\0');
  EXPECT_TRUE(read(two));
}

TEST(Npy, a_vector_has_no_order) {
  EXPECT_TRUE(
      read(npy_with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", "1234")));
}

TEST(Npy, puts_fortran_order_into_c_order) {
  auto fortran = [](const std::string &shape, const std::vector<int16_t> &values) {
    Result<Array> array = read(npy_with_header(
        "{'descr': '<i2', 'fortran_order': True, 'shape': " + shape + "}", bytes_of(values)));
    EXPECT_TRUE(array) << array.error().message;
    std::vector<int16_t> out(values.size());
    if (array && !out.empty())
      std::memcpy(out.data(), array->data, out.size() * 2);
    return out;
  };
  EXPECT_EQ(fortran("(2, 3)", {0, 10, 1, 11, 2, 12}), (std::vector<int16_t>{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(fortran("(2, 1, 2)", {0, 10, 1, 11}), (std::vector<int16_t>{0, 1, 10, 11}));
  EXPECT_EQ(fortran("(2, 2, 2)", {0, 100, 10, 110, 1, 101, 11, 111}),
            (std::vector<int16_t>{0, 1, 10, 11, 100, 101, 110, 111}));
  EXPECT_EQ(fortran("(0, 3)", {}), std::vector<int16_t>());
}

TEST(Npy, fortran_order_is_checked_as_any) {
  EXPECT_THAT(complaint(npy_with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}",
                                        std::string(15, 0))),
              HasSubstr("it is truncated: f32 [2, 2] needs 16 bytes, 15 are there"));
}

TEST(Npy, refuses_other_types) {
  EXPECT_THAT(complaint(npy(">f4", "(1,)", "1234")), HasSubstr("big-endian ('>f4')"));
  EXPECT_THAT(complaint(npy("<c8", "(1,)", "12345678")), HasSubstr("'<c8' is not supported"));
  EXPECT_THAT(complaint(npy_with_header(
                  "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
              HasSubstr("structured arrays are not supported"));
}

TEST(Npy, refuses_damaged_files) {
  EXPECT_THAT(complaint(""), HasSubstr("not a .npy file"));
  EXPECT_THAT(complaint("PK\x03\x04 and more text"), HasSubstr("not a .npy file"));
  std::string good = npy("<f4", "(2,)", "12345678");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(complaint(good.substr(0, length)), "no error") << length;
  EXPECT_THAT(complaint(good.substr(0, good.size() - 1)),
              HasSubstr("it is truncated: f32 [2] needs 8 bytes, 7 are there"));
  std::string version = good;
  version[6] = 9;
  EXPECT_THAT(complaint(version), HasSubstr("version 9 is unknown"));
  std::string length = good;
  length[9] = '\x7f';
  EXPECT_THAT(complaint(length), HasSubstr("ends inside its header"));
}

TEST(Npy, refuses_hostile_shapes) {
  EXPECT_THAT(complaint(npy("<f4", "(-1, 2)", "")), HasSubstr("a dimension is negative"));
  EXPECT_THAT(complaint(npy("<f8", "(4611686018427387904, 4)", "")), HasSubstr("too large"));
  EXPECT_THAT(complaint(npy("<f8", "(99999999999999999999,)", "")), HasSubstr("its header is not"));
  EXPECT_THAT(complaint(npy("<f4", "(1099511627776,)", "1234")), HasSubstr("truncated"));
  EXPECT_THAT(complaint(npy("<f4", "(1, 2", "")), HasSubstr("its header is not"));
  EXPECT_THAT(complaint(npy_with_header("{'descr': '<f4'}", "")), HasSubstr("its header is not"));
  EXPECT_THAT(complaint(npy_with_header("{'x': 3}", "")), HasSubstr("its header is not"));
}

TEST(Npy, tells_how_long_a_file_must_be) {
  std::string bytes = npy("<i2", "(3, 4)", std::string(24, 0));
  EXPECT_EQ(*npy_file_bytes(bytes), int64_t(bytes.size()));
  EXPECT_FALSE(npy_file_bytes("nonsense"));
  EXPECT_FALSE(npy_file_bytes(npy("<i2", "(-3,)", "")));
}
