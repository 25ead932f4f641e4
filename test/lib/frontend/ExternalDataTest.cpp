// Files beside a model: what is mapped, and who is kept out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/ExternalData.h"

#include "test/lib/frontend/ImportFixture.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tutti::frontend;
using testing::HasSubstr;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

struct ExternalDataTest : ImportFixture {
  ExternalDataTest() {
    EXPECT_FALSE(fs::createUniqueDirectory("external-data", root));
    folder = pathOf("model");
    EXPECT_FALSE(fs::create_directory(folder));
    write("model/w.bin", "0123456789abcdef");
    write("secret.bin", "0123456789abcdef");
  }
  ~ExternalDataTest() override { (void)fs::remove_directories(root); }

  std::string pathOf(llvm::StringRef name) const {
    llvm::SmallString<128> full(root);
    path::append(full, name);
    return full.str().str();
  }

  void write(llvm::StringRef name, llvm::StringRef content) const {
    std::error_code error;
    llvm::raw_fd_ostream(pathOf(name), error) << content;
    EXPECT_FALSE(error) << error.message();
  }

  /// The bytes that a tensor of `size` bytes finds; the error's text if it finds none.
  std::string find(uint64_t size, std::vector<std::pair<std::string, std::string>> entries) {
    proto::TensorProto tensor;
    tensor.set_name("w");
    for (const auto &[key, value] : entries) {
      auto &entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    errors.clear();
    auto location = mlir::UnknownLoc::get(&context);
    llvm::FailureOr<MappedBytes> found = data().find(tensor, size, location);
    return failed(found) ? firstError() : std::string(found->bytes.begin(), found->bytes.end());
  }

  ExternalData &data() {
    if (!external)
      external = std::make_unique<ExternalData>(folder);
    return *external;
  }

  llvm::SmallString<128> root;
  std::string folder;
  std::unique_ptr<ExternalData> external;
};

TEST_F(ExternalDataTest, FindsAPartOfAFile) {
  EXPECT_EQ(find(4, {{"location", "w.bin"}}), "0123");
  EXPECT_EQ(find(4, {{"location", "w.bin"}, {"offset", "10"}, {"length", "4"}}), "abcd");
  EXPECT_EQ(find(0, {{"location", "w.bin"}, {"offset", "16"}}), "");
  EXPECT_EQ(find(4, {{"location", "./w.bin"}, {"checksum", "whatever"}}), "0123");
}

TEST_F(ExternalDataTest, APartMustLieInTheFile) {
  EXPECT_THAT(find(4, {{"location", "w.bin"}, {"offset", "13"}}),
              HasSubstr("'w.bin' has 16 bytes, but the tensor wants 4 from offset 13"));
  EXPECT_THAT(find(4, {{"location", "w.bin"}, {"offset", "18446744073709551615"}}),
              HasSubstr("has 16 bytes"));
  EXPECT_THAT(find(17, {{"location", "w.bin"}}), HasSubstr("wants 17 from offset 0"));
}

TEST_F(ExternalDataTest, ALengthMustBeThatOfTheType) {
  EXPECT_THAT(find(4, {{"location", "w.bin"}, {"length", "8"}}),
              HasSubstr("its length is 8 bytes, but its type needs 4"));
}

TEST_F(ExternalDataTest, NumbersMustBeNumbers) {
  for (const char *text : {"", "-1", "0x10", "1e3", " 4", "99999999999999999999"})
    EXPECT_THAT(find(4, {{"location", "w.bin"}, {"offset", text}}),
                HasSubstr("is not a number of bytes"))
        << text;
}

TEST_F(ExternalDataTest, AnEntryWithoutLocation) {
  EXPECT_THAT(find(4, {{"offset", "0"}}), HasSubstr("its entry has no 'location'"));
}

TEST_F(ExternalDataTest, NothingOutsideTheFolderIsRead) {
  EXPECT_THAT(find(4, {{"location", pathOf("secret.bin")}}), HasSubstr("is absolute"));
  EXPECT_THAT(find(4, {{"location", "../secret.bin"}}), HasSubstr("leaves the model's folder"));
  EXPECT_THAT(find(4, {{"location", "deep/../../secret.bin"}}),
              HasSubstr("leaves the model's folder"));
  EXPECT_THAT(find(4, {{"location", std::string("w.bin\0x", 7)}}), HasSubstr("NUL"));
}

TEST_F(ExternalDataTest, ALinkMayNotLeadOut) {
  ASSERT_FALSE(fs::create_link(pathOf("secret.bin"), pathOf("model/link.bin")));
  EXPECT_THAT(find(4, {{"location", "link.bin"}}), Not(HasSubstr("0123")));
  ASSERT_FALSE(
      fs::create_link("w.bin", pathOf("model/inside.bin"))); // from there, not from the root
  EXPECT_EQ(find(4, {{"location", "inside.bin"}}), "0123");
}

TEST_F(ExternalDataTest, AFolderOfAlmostTheSameNameIsAnother) {
  ASSERT_FALSE(fs::create_directory(pathOf("model2")));
  write("model2/w.bin", "0123");
  ASSERT_FALSE(fs::create_link(pathOf("model2/w.bin"), pathOf("model/near.bin")));
  EXPECT_THAT(find(4, {{"location", "near.bin"}}), Not(HasSubstr("0123")));
}

TEST_F(ExternalDataTest, WhatIsNoFileIsRefused) {
  EXPECT_THAT(find(0, {{"location", "."}}), Not(testing::IsEmpty()));
  ASSERT_FALSE(fs::create_directory(pathOf("model/sub")));
  EXPECT_THAT(find(0, {{"location", "sub"}}), Not(testing::IsEmpty()));
  EXPECT_THAT(find(4, {{"location", "ghost.bin"}}), HasSubstr("ghost.bin"));
}

TEST_F(ExternalDataTest, AFileIsMappedOnce) {
  EXPECT_EQ(find(4, {{"location", "w.bin"}}), "0123");
  ASSERT_FALSE(fs::remove(pathOf("model/w.bin")));
  EXPECT_EQ(find(4, {{"location", "w.bin"}, {"offset", "4"}}), "4567") << "still mapped";
}

} // namespace
