// Contents of tensors: every way to store them, and every way in which they can be wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/TensorReader.h"

#include "lib/frontend/model/TypedFields.h"
#include "test/lib/frontend/ImportFixture.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace tutti::frontend;
using testing::HasSubstr;

namespace {

struct TensorReaderTest : ImportFixture {
  TensorReaderTest()
      : model(parseGraph("g (float[N] x) => (float[N] y) { y = Relu(x) }")), file(open(model)) {}

  static proto::TensorProto tensor(int type, std::vector<int64_t> dims) {
    proto::TensorProto result;
    result.set_name("w");
    result.set_data_type(type);
    for (int64_t size : dims)
      result.add_dims(size);
    return result;
  }

  ElementsAttr read(const proto::TensorProto &tensor) {
    return TensorReader(*file).read(tensor, file->location(tensor.name()));
  }

  std::string textOf(const proto::TensorProto &tensor) {
    ElementsAttr content = read(tensor);
    if (!content)
      return firstError();
    std::string text;
    llvm::raw_string_ostream(text) << content;
    return text;
  }

  proto::ModelProto model;
  std::unique_ptr<ModelFile> file;
};

TEST_F(TensorReaderTest, ARepeatedValueIsOneValue) {
  proto::TensorProto w = tensor(proto::TensorProto::FLOAT, {3});
  for (int i = 0; i < 3; ++i)
    w.add_float_data(2.5F);
  auto content = dyn_cast_or_null<DenseElementsAttr>(read(w));
  ASSERT_TRUE(content);
  EXPECT_TRUE(content.isSplat());
}

TEST_F(TensorReaderTest, AScalarHasOneElement) {
  proto::TensorProto w = tensor(proto::TensorProto::DOUBLE, {});
  w.add_double_data(0.1);
  EXPECT_EQ(textOf(w), "dense<1.000000e-01> : tensor<f64>");
}

TEST_F(TensorReaderTest, AnEmptyTensorHasNone) {
  EXPECT_EQ(textOf(tensor(proto::TensorProto::FLOAT, {0, 3})), "dense<> : tensor<0x3xf32>");
}

TEST_F(TensorReaderTest, BoolsAreBytesInTheFileAndBitsInTheProgram) {
  proto::TensorProto w = tensor(proto::TensorProto::BOOL, {4});
  w.set_raw_data(std::string("\0\1\xff\0", 4));
  EXPECT_EQ(textOf(w), "dense<[false, true, true, false]> : tensor<4xi1>");
}

TEST_F(TensorReaderTest, HalfFloatsAreBits) {
  proto::TensorProto w = tensor(proto::TensorProto::FLOAT16, {2});
  w.add_int32_data(0x3c00);
  w.add_int32_data(0xc000);
  EXPECT_EQ(textOf(w), "dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf16>");
}

TEST_F(TensorReaderTest, NarrowIntegersMustFit) {
  for (auto [type, good, bad] : {std::tuple(proto::TensorProto::INT8, -128, -129),
                                 std::tuple(proto::TensorProto::UINT8, 255, 256),
                                 std::tuple(proto::TensorProto::INT16, 32767, 32768),
                                 std::tuple(proto::TensorProto::UINT16, 65535, -1)}) {
    proto::TensorProto w = tensor(type, {1});
    w.add_int32_data(good);
    EXPECT_TRUE(succeeded(packTypedFields(w, 1))) << type;
    w.set_int32_data(0, bad);
    EXPECT_TRUE(failed(packTypedFields(w, 1))) << type;
  }
}

TEST_F(TensorReaderTest, AWideUnsignedIntegerHasItsOwnList) {
  proto::TensorProto w = tensor(proto::TensorProto::UINT32, {1});
  w.add_uint64_data(0xffffffffU);
  EXPECT_EQ(textOf(w), "dense<4294967295> : tensor<1xui32>");
  w.set_uint64_data(0, 0x100000000U);
  EXPECT_FALSE(read(w));
}

TEST_F(TensorReaderTest, AComplexNumberIsTwoEntries) {
  proto::TensorProto w = tensor(proto::TensorProto::COMPLEX128, {1});
  w.add_double_data(1);
  EXPECT_THAT(textOf(w), HasSubstr("double_data has 1 entries"));
  w.add_double_data(2);
  EXPECT_EQ(textOf(w), "dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f64>>");
}

TEST_F(TensorReaderTest, TooFewAndTooManyElementsSayHowMany) {
  for (int count : {0, 1, 3}) {
    errors.clear();
    proto::TensorProto w = tensor(proto::TensorProto::INT64, {2});
    for (int i = 0; i < count; ++i)
      w.add_int64_data(i);
    EXPECT_THAT(textOf(w),
                HasSubstr("needs 2 elements, but int64_data has " + std::to_string(count)));
  }
}

TEST_F(TensorReaderTest, HugeDimensionsCostNoMemory) {
  proto::TensorProto w = tensor(proto::TensorProto::FLOAT, {int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_THAT(textOf(w), HasSubstr("more elements than memory can hold"));
  w = tensor(proto::TensorProto::FLOAT, {int64_t(1) << 40});
  w.set_raw_data("abcd");
  errors.clear();
  EXPECT_THAT(textOf(w), HasSubstr("needs 4398046511104 bytes, but there are 4"));
}

TEST_F(TensorReaderTest, AZeroAmongHugeDimensionsIsEmpty) {
  EXPECT_EQ(textOf(tensor(proto::TensorProto::FLOAT, {int64_t(1) << 62, 0, int64_t(1) << 62})),
            "dense<> : tensor<4611686018427387904x0x4611686018427387904xf32>");
}

TEST_F(TensorReaderTest, LargeTensorsAreBlobsUnderTheirName) {
  proto::TensorProto w = tensor(proto::TensorProto::INT32, {5000});
  for (int i = 0; i < 5000; ++i)
    w.add_int32_data(i);
  auto blob = dyn_cast_or_null<DenseResourceElementsAttr>(read(w));
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob.getRawHandle().getKey(), "w");
  EXPECT_EQ(blob.getRawHandle().getBlob()->getData().size(), 20000U);
}

TEST_F(TensorReaderTest, TheLimitBetweenTextAndBlobIsInBytes) {
  int64_t most = TensorReader::largestInlineBytes / 4;
  for (int64_t size : {most, most + 1}) {
    proto::TensorProto w = tensor(proto::TensorProto::INT32, {size});
    for (int64_t i = 0; i < size; ++i)
      w.add_int32_data(static_cast<int32_t>(i));
    EXPECT_EQ(isa<DenseElementsAttr>(read(w)), size == most);
  }
}

TEST_F(TensorReaderTest, TypesThatAreNone) {
  EXPECT_THAT(textOf(tensor(proto::TensorProto::STRING, {1})),
              HasSubstr("type STRING are not supported"));
  errors.clear();
  EXPECT_THAT(textOf(tensor(0, {1})), HasSubstr("UNDEFINED"));
  errors.clear();
  EXPECT_THAT(textOf(tensor(-7, {1})), HasSubstr("data type -7"));
}

TEST_F(TensorReaderTest, SegmentsAreRefused) {
  proto::TensorProto w = tensor(proto::TensorProto::FLOAT, {1});
  w.mutable_segment()->set_begin(0);
  EXPECT_THAT(textOf(w), HasSubstr("stored in segments"));
}

} // namespace
