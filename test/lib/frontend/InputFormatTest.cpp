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
      << "damaged behind its start";
  EXPECT_EQ(detectInputFormat(llvm::StringRef("\xf2\x01\x01x", 4)), InputFormat::Unknown);
}

TEST_F(InputFormatTest, AVarintWithoutEndIsNoModel) {
  EXPECT_EQ(detectInputFormat(std::string(20, '\xff')), InputFormat::Unknown);
}

TEST_F(InputFormatTest, AModelWithoutGraphButLettersIsText) {
  // Field 1 of a ModelProto is a line feed for those who read text.
  EXPECT_EQ(detectInputFormat("\n\n"), InputFormat::MlirText);
}

TEST_F(InputFormatTest, SaysWhatWasTried) {
  EXPECT_THAT(explainUnknownFormat(""), HasSubstr("the file is empty"));
  std::string reason = explainUnknownFormat(llvm::StringRef("ab\x01", 3));
  EXPECT_THAT(reason, HasSubstr("neither MLIR bytecode"));
  EXPECT_THAT(reason, HasSubstr("byte 2 is not text"));
  EXPECT_THAT(reason, HasSubstr("nor an ONNX model"));
}

} // namespace
