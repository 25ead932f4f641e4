// TensorProto files, checked against protobuf's own writer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Readers.h"
#include "test/runtime/NpyBytes.h"

#define ONNX_ML 1
#define ONNX_NAMESPACE onnx
#include <onnx/onnx_pb.h>

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::HasSubstr;

namespace {

onnx::TensorProto proto(int type, std::vector<int64_t> dims, const std::string &name = "x") {
  onnx::TensorProto out;
  out.set_data_type(type);
  for (int64_t dim : dims)
    out.add_dims(dim);
  out.set_name(name);
  out.set_doc_string("not needed");
  return out;
}

Result<Array> read_proto(const std::string &bytes) {
  return read_tensor_proto("stem", bytes, nullptr);
}

std::string complaint_of(const std::string &bytes) {
  Result<Array> array = read_proto(bytes);
  return array ? "no error" : array.error().message;
}

template <typename T> std::vector<T> values(const Array &array, size_t count) {
  std::vector<T> out(count);
  std::memcpy(out.data(), array.data, count * sizeof(T));
  return out;
}

} // namespace

TEST(TensorProto, raw_data_stays_where_it_lies) {
  onnx::TensorProto tensor = proto(onnx::TensorProto::FLOAT, {2, 2});
  tensor.set_raw_data(bytes_of<float>({1, 2, 3, 4}));
  std::string bytes = tensor.SerializeAsString();
  Result<Array> array = read_proto(bytes);
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(array->name, "x");
  EXPECT_EQ(values<float>(*array, 4), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_GE(array->data, bytes.data());
  EXPECT_LT(array->data, bytes.data() + bytes.size());
}

TEST(TensorProto, reads_typed_fields) {
  onnx::TensorProto floats = proto(onnx::TensorProto::FLOAT, {2});
  floats.add_float_data(1.5f);
  floats.add_float_data(-2.5f);
  EXPECT_EQ(values<float>(*read_proto(floats.SerializeAsString()), 2),
            (std::vector<float>{1.5f, -2.5f}));
  onnx::TensorProto longs = proto(onnx::TensorProto::INT64, {2});
  longs.add_int64_data(-7);
  longs.add_int64_data(int64_t(1) << 40);
  EXPECT_EQ(values<int64_t>(*read_proto(longs.SerializeAsString()), 2),
            (std::vector<int64_t>{-7, int64_t(1) << 40}));
  onnx::TensorProto bytes = proto(onnx::TensorProto::INT8, {3});
  for (int value : {-1, 2, -128})
    bytes.add_int32_data(value);
  EXPECT_EQ(values<int8_t>(*read_proto(bytes.SerializeAsString()), 3),
            (std::vector<int8_t>{-1, 2, -128}));
  onnx::TensorProto doubles = proto(onnx::TensorProto::DOUBLE, {});
  doubles.add_double_data(0.1);
  EXPECT_EQ(values<double>(*read_proto(doubles.SerializeAsString()), 1),
            (std::vector<double>{0.1}));
}

TEST(TensorProto, knows_every_type_of_the_door) {
  for (auto [onnx_type, type] : {std::pair{onnx::TensorProto::UINT8, TUTTI_U8},
                                 std::pair{onnx::TensorProto::INT16, TUTTI_I16},
                                 std::pair{onnx::TensorProto::INT32, TUTTI_I32},
                                 std::pair{onnx::TensorProto::BOOL, TUTTI_BOOL},
                                 std::pair{onnx::TensorProto::FLOAT16, TUTTI_F16},
                                 std::pair{onnx::TensorProto::BFLOAT16, TUTTI_BF16}}) {
    onnx::TensorProto tensor = proto(onnx_type, {1});
    tensor.add_int32_data(1);
    Result<Array> array = read_proto(tensor.SerializeAsString());
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(array->type, type);
  }
}

TEST(TensorProto, without_a_name_is_called_like_its_file) {
  onnx::TensorProto tensor = proto(onnx::TensorProto::FLOAT, {1}, "");
  tensor.add_float_data(1);
  EXPECT_EQ(read_proto(tensor.SerializeAsString())->name, "stem");
}

TEST(TensorProto, refuses_what_it_cannot_use) {
  EXPECT_THAT(complaint_of(""), HasSubstr("it has no element type"));
  EXPECT_THAT(complaint_of("garbage that is no message"),
              HasSubstr("not a serialised TensorProto"));
  EXPECT_THAT(complaint_of(proto(onnx::TensorProto::STRING, {1}).SerializeAsString()),
              HasSubstr("ONNX element type 8 is not supported"));
  EXPECT_THAT(complaint_of(proto(onnx::TensorProto::FLOAT, {-4}).SerializeAsString()),
              HasSubstr("a dimension is negative"));
  EXPECT_THAT(complaint_of(proto(onnx::TensorProto::FLOAT, {INT64_MAX, 4}).SerializeAsString()),
              HasSubstr("too large"));
  EXPECT_THAT(complaint_of(proto(onnx::TensorProto::FLOAT, {1 << 30}).SerializeAsString()),
              HasSubstr("needs 4294967296 bytes, 0 are there"));
  onnx::TensorProto external = proto(onnx::TensorProto::FLOAT, {1});
  external.set_data_location(onnx::TensorProto::EXTERNAL);
  EXPECT_THAT(complaint_of(external.SerializeAsString()), HasSubstr("its data is in another file"));
}

TEST(TensorProto, refuses_every_truncation) {
  onnx::TensorProto tensor = proto(onnx::TensorProto::INT32, {4});
  for (int value : {1, 1000, -1, 5})
    tensor.add_int32_data(value);
  tensor.clear_doc_string();
  tensor.clear_name(); // so that the data comes last
  std::string bytes = tensor.SerializeAsString();
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(complaint_of(bytes.substr(0, length)), "no error") << length;
}
