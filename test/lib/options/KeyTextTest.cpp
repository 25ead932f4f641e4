// How KEY=VALUE lists are written, and what somebody means who writes another key.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/KeyText.h"

#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tutti::options;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct KeyTextTest : testing::Test {
  llvm::LogicalResult complain(const llvm::Twine &text) {
    said = text.str();
    return llvm::failure();
  }

  /// "name:value", or "name" without a value.
  std::vector<std::string> split(llvm::StringRef text) {
    auto keys = splitKeys(text, [&](const llvm::Twine &problem) { return complain(problem); });
    std::vector<std::string> result;
    if (failed(keys))
      return {"error"};
    for (const GivenKey &key : *keys)
      result.push_back(key.value ? key.name + ":" + *key.value : key.name);
    return result;
  }

  std::string said;
};

TEST_F(KeyTextTest, SplitsAtSpaces) {
  EXPECT_THAT(split("a=1 b=x,y  c"), ElementsAre("a:1", "b:x,y", "c"));
  EXPECT_THAT(split("  \t a=1\n"), ElementsAre("a:1"));
  EXPECT_THAT(split(""), ElementsAre());
}

TEST_F(KeyTextTest, AValueMayBeEmptyOrHoldEquals) {
  EXPECT_THAT(split("a= b=x=y"), ElementsAre("a:", "b:x=y"));
}

TEST_F(KeyTextTest, QuotesAndBracesHoldSpaces) {
  EXPECT_THAT(split("a='my file' b=\"x y\" c={p q}"), ElementsAre("a:my file", "b:x y", "c:p q"));
  EXPECT_THAT(split("a={x{y z} w}"), ElementsAre("a:x{y z} w")) << "only the outer pair goes";
  EXPECT_THAT(split("a=f{x},g{y}"), ElementsAre("a:f{x},g{y}")) << "these do not belong together";
  EXPECT_THAT(split("a='x'y'z'"), ElementsAre("a:'x'y'z'"));
}

TEST_F(KeyTextTest, WhatIsNotClosedIsAnError) {
  for (const char *text : {"a='x", "b={x", "c={x{y}", "d=\"it's"}) {
    EXPECT_THAT(split(text), ElementsAre("error")) << text;
    EXPECT_THAT(said, HasSubstr("not closed"));
  }
}

TEST_F(KeyTextTest, SpacesAroundEqualsAreAnError) {
  EXPECT_THAT(split("a = 1"), ElementsAre("error"));
  EXPECT_THAT(said, HasSubstr("without spaces around ="));
}

TEST_F(KeyTextTest, KnowsAWordOfTheCommandLineAsKeys) {
  EXPECT_TRUE(isKeyList(""));
  EXPECT_TRUE(isKeyList("a=1"));
  EXPECT_TRUE(isKeyList("learning-rate=0.1 x"));
  EXPECT_FALSE(isKeyList("model.onnx"));
  EXPECT_FALSE(isKeyList("--a=1"));
  EXPECT_FALSE(isKeyList("/tmp/a=1"));
  EXPECT_FALSE(isKeyList("=1"));
  EXPECT_FALSE(isKeyList("1=a"));
}

TEST_F(KeyTextTest, AFileIsNoKeys) {
  llvm::SmallString<64> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("keys", folder));
  ASSERT_FALSE(llvm::sys::fs::set_current_path(folder));
  EXPECT_TRUE(isKeyList("run=1"));
  std::error_code error;
  llvm::raw_fd_ostream("run=1", error) << "x";
  EXPECT_FALSE(isKeyList("run=1"));
  (void)llvm::sys::fs::remove_directories(folder);
}

TEST_F(KeyTextTest, FindsTheNearestWord) {
  llvm::SmallVector<llvm::StringRef> words = {"learning-rate", "learning-rate-decay", "loss",
                                              "global-batch"};
  EXPECT_EQ(nearestWord("learnign-rate", words), "learning-rate");
  EXPECT_EQ(nearestWord("learning_rate", words), "learning-rate");
  EXPECT_EQ(nearestWord("Learning-Rate-Decay", words), "learning-rate-decay");
  EXPECT_EQ(nearestWord("batch", words), "global-batch") << "a part of one word";
  EXPECT_EQ(nearestWord("rate", words), "") << "a part of two";
  EXPECT_EQ(nearestWord("banana", words), "");
  EXPECT_EQ(nearestWord("", words), "");
  EXPECT_EQ(nearestWord("3", {"0", "1", "2"}), "") << "nothing of it would be left";
  EXPECT_EQ(didYouMean("los", words), "; did you mean loss?");
  EXPECT_EQ(didYouMean("banana", words), "");
}

TEST_F(KeyTextTest, TheWordItselfBeatsOneThatIsNear) {
  EXPECT_EQ(nearestWord("adam", {"adamw", "adam"}), "adam");
  EXPECT_EQ(nearestWord("adm", {"adamw", "adam"}), "adam");
}

TEST_F(KeyTextTest, ComplainsAboutTheFirstUnknownKey) {
  auto say = [&](const llvm::Twine &problem) { return complain(problem); };
  EXPECT_TRUE(succeeded(checkKnown("--x", {"a", "b"}, {{"b", "1"}, {"a", "2"}}, say)));
  EXPECT_TRUE(failed(checkKnown("--x", {"alpha", "beta"}, {{"alpa", "1"}, {"gamma", "2"}}, say)));
  EXPECT_EQ(said, "--x has no key 'alpa'; did you mean alpha? (keys: alpha, beta)");
  EXPECT_TRUE(failed(checkKnown("--x", {"a"}, {{"a", "1"}, {"a", "1"}}, say)));
  EXPECT_EQ(said, "--x: a is given twice");
  EXPECT_TRUE(failed(checkKnown("--x", {}, {{"a", "1"}}, say)));
  EXPECT_EQ(said, "--x has no keys, but 'a' is given");
}

} // namespace
