// What a file is, told by its first bytes and its structure, whatever they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/InputFormat.h"

#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::HasSubstr;

namespace {

struct InputFormatTest : ImportFixture {
  std::string model =
      parseGraph("g (float[N] x) => (float[N] y) { y = Relu(x) }").SerializeAsString();
};

TEST_F(InputFormatTest, TellsTheThreeFormatsApart) {
  EXPECT_EQ(detectInputFormat(model), InputFormat::Onnx);
  EXPECT_EQ(detectInputFormat("module {}\n"), InputFormat::MlirText);
  EXPECT_EQ(detectInputFormat(llvm::StringRef("ML\xefR\x01", 5)), InputFormat::MlirBytecode);
  EXPECT_EQ(detectInputFormat(""), InputFormat::Unknown);
}

TEST_F(InputFormatTest, TextMayHoldAnyLetters) {
  EXPECT_EQ(detectInputFormat("// \xc3\xa4\xe2\x82\xac\nmodule {}\t\r\n"), InputFormat::MlirText);
  EXPECT_EQ(detectInputFormat("// \xc3"), InputFormat::Unknown) << "half a letter";
  EXPECT_EQ(detectInputFormat(llvm::StringRef("mod\0ule", 7)), InputFormat::Unknown);
}

TEST_F(InputFormatTest, EveryPrefixOfAModelIsADamagedModelOrText) {
  for (size_t size = 1; size < model.size(); ++size) {
    InputFormat format = detectInputFormat(llvm::StringRef(model).take_front(size));
    EXPECT_TRUE(format == InputFormat::Onnx || format == InputFormat::MlirText) << size;
  }
}

TEST_F(InputFormatTest, AModelWithUnknownFieldsIsNone) {
  std::string other = model + std::string("\xf2\x01\x01x", 4); // field 30
  EXPECT_EQ(detectInputFormat(llvm::StringRef(other)), InputFormat::Onnx)
      << "damaged after its start";
  EXPECT_EQ(detectInputFormat(llvm::StringRef("\xf2\x01\x01x", 4)), InputFormat::Unknown);
}

TEST_F(InputFormatTest, AVarintWithoutEndIsNoModel) {
  EXPECT_EQ(detectInputFormat(std::string(20, '\xff')), InputFormat::Unknown);
}

TEST_F(InputFormatTest, AModelWithoutGraphButLettersIsText) {
  // Field 1 of a ModelProto is a line feed for those who read text.
  EXPECT_EQ(detectInputFormat("\n\nmodule {}"), InputFormat::MlirText);
}

TEST_F(InputFormatTest, OtherFilesHaveNames) {
  auto explain = [](llvm::StringRef content) {
    EXPECT_EQ(detectInputFormat(content), InputFormat::Unknown) << content.str();
    return explainUnknownFormat(content);
  };
  using namespace std::string_literals;
  std::pair<std::string, const char *> files[] = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n", "git lfs pull"},
      {"PK\x03\x04..archive/data.pkl"s, "what torch.save writes (.pt, .pth); export the module"},
      {"PK\x03\x04..net/constants.pkl..net/data.pkl"s, "a program of TorchScript; export"},
      {"PK\x03\x04..x.npy"s, "arrays of NumPy (.npz); give the model"},
      {"PK\x03\x04..a.onnx"s, "a zip archive; unpack it"},
      {"\x80\x02}q"s, "a pickle of Python"},
      {"\x02\0\0\0\0\0\0\0{}"s, "a safetensors file: values of tensors, which has no graph"},
      {"\x1c\0\0\0ORTM"s, "ONNX Runtime's own format (.ort); give the .onnx file"},
      {"\x1c\0\0\0ODTC"s, "a checkpoint of ONNX Runtime; give training_model.onnx"},
      {"\x1c\0\0\0TFL3"s, "a model of TensorFlow Lite"},
      {"\x89HDF\r\n\x1a\n"s, "an HDF5 file, as Keras saves models; convert it with tf2onnx"},
      {"\x1f\x8b\x08"s, "compressed with gzip; unpack it first"},
      {std::string(257, '\0') + "ustar", "a tar archive; unpack it"},
      {"<!DOCTYPE html><p>", "a page of HTML"},
      {"{\"a\": 1}", "JSON; give the model itself"},
      {"ir_version: 8\n", "an ONNX model written as text"},
      {"# A model\n\nIt is good.\n", "text, but not MLIR: it begins with '# A model'; give"},
      {"import torch\n", "text, but not MLIR: it begins with 'import torch'"},
  };
  for (const auto &[content, expected] : files)
    EXPECT_THAT(explain(content), HasSubstr(expected));
}

TEST_F(InputFormatTest, WhatMayBeginAProgramIsMlir) {
  for (const char *text :
       {"module {}", "// no more", "\"builtin.module\"() ({}) : () -> ()",
        "#map = affine_map<(d0) -> (d0)>", "!t = tensor<2xf32>", "func.func @f()",
        "%0 = arith.constant 1 : i32", "{-# dialect_resources: {} #-}"})
    EXPECT_EQ(detectInputFormat(text), InputFormat::MlirText) << text;
}

TEST_F(InputFormatTest, SaysWhatWasTried) {
  for (const char *blank : {"", "\r\n", " \t\n"}) {
    EXPECT_EQ(detectInputFormat(blank), InputFormat::Unknown);
    EXPECT_THAT(explainUnknownFormat(blank), HasSubstr("the file is empty"));
  }
  std::string reason = explainUnknownFormat(llvm::StringRef("ab\x01", 3));
  EXPECT_THAT(reason, HasSubstr("neither MLIR bytecode"));
  EXPECT_THAT(reason, HasSubstr("byte 2 is not text"));
  EXPECT_THAT(reason, HasSubstr("nor an ONNX model"));
}

} // namespace
