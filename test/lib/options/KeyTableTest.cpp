// A struct's keys: values go into its fields, and each mistake is answered with what is expected.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/KeyTable.h"

#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tutti::options;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

enum class Color { Red, Green };

struct Paint {
  Color color = Color::Green;
  bool isDry = true;
  std::optional<bool> isThick;
  int64_t coats = 2;
  std::optional<int64_t> hours;
  double share = 0.5;
  std::string label = "none";
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<double> parts;
  llvm::SmallVector<std::string> names;

  KeyTable keys() {
    KeyTable table("--paint");
    table.addChoice("color", color, {{"red", Color::Red}, {"green", Color::Green}},
                    "What it looks like");
    table.addFlag("dry", isDry, "Whether it is dry");
    table.addFlag("thick", isThick, "Whether it is thick").byDefault("as it comes");
    table.addCount("coats", coats, 1, "How many");
    table.addCount("hours", hours, 0, "How long");
    table.addNumber("share", share, {0, 1, false, true, "a number of at least 0 and less than 1"},
                    "Of the wall");
    table.addText("label", label, "NAME", "What it is called");
    table.addList("sizes", sizes, "Of brushes");
    table.addList("parts", parts, "Of colors");
    table.addList("names", names, "Of painters");
    return table;
  }
};

struct KeyTableTest : testing::Test {
  /// What is complained about; empty if nothing is.
  std::string parse(llvm::StringRef text) {
    std::string said;
    auto complain = [&](const llvm::Twine &problem) {
      return said = problem.str(), llvm::failure();
    };
    (void)paint.keys().parse(text, complain);
    return said;
  }

  Paint paint;
};

TEST_F(KeyTableTest, FillsTheFields) {
  EXPECT_EQ(parse("color=red dry=false thick=true coats=3 hours=0 share=0.25 label=blue sizes=1,-2 "
                  "parts=0.5,1e3 names=a,b"),
            "");
  EXPECT_EQ(paint.color, Color::Red);
  EXPECT_FALSE(paint.isDry);
  EXPECT_EQ(paint.isThick, true);
  EXPECT_EQ(paint.coats, 3);
  EXPECT_EQ(paint.hours, 0);
  EXPECT_EQ(paint.share, 0.25);
  EXPECT_EQ(paint.label, "blue");
  EXPECT_THAT(paint.sizes, ElementsAre(1, -2));
  EXPECT_THAT(paint.parts, ElementsAre(0.5, 1000));
  EXPECT_THAT(paint.names, ElementsAre("a", "b"));
}

TEST_F(KeyTableTest, WhatIsNotGivenStaysAsItIs) {
  EXPECT_EQ(parse(""), "");
  EXPECT_EQ(paint.color, Color::Green);
  EXPECT_EQ(paint.isThick, std::nullopt);
  EXPECT_EQ(paint.hours, std::nullopt);
}

TEST_F(KeyTableTest, AFlagAloneIsTrue) {
  paint.isDry = false;
  EXPECT_EQ(parse("dry"), "");
  EXPECT_TRUE(paint.isDry);
}

TEST_F(KeyTableTest, EveryOtherKeyNeedsAValue) {
  EXPECT_EQ(parse("coats"), "coats needs a value: coats=N");
  EXPECT_EQ(parse("color"), "color needs a value: color=red|green");
}

TEST_F(KeyTableTest, SaysWhatIsExpected) {
  EXPECT_EQ(parse("color=blue"), "color=blue must be red or green");
  EXPECT_EQ(parse("color=gren"), "color=gren must be red or green; did you mean green?");
  EXPECT_EQ(parse("dry=yes"), "dry=yes must be true or false");
  EXPECT_EQ(parse("coats=0"), "coats=0 must be a whole number of at least 1");
  EXPECT_EQ(parse("share=1"), "share=1 must be a number of at least 0 and less than 1");
  EXPECT_EQ(parse("label="), "label= must be not empty");
  EXPECT_EQ(parse("sizes=1,two"), "sizes=1,two must be whole numbers, separated by commas");
  EXPECT_EQ(parse("parts=inf"), "parts=inf must be numbers, separated by commas");
  EXPECT_EQ(parse("names=a,,b"), "names=a,,b must be names, separated by commas");
}

TEST_F(KeyTableTest, NumbersAreNothingElse) {
  for (const char *text : {"0x10", "1e2", "3.0", "three", "", "9223372036854775808", "+3", " 3"})
    EXPECT_THAT(parse(std::string("coats=") + "'" + text + "'"),
                HasSubstr("must be a whole number"))
        << text;
  for (const char *text : {"nan", "-0.1", "1e400", "half", ""})
    EXPECT_THAT(parse(std::string("share='") + text + "'"), HasSubstr("must be a number")) << text;
}

TEST_F(KeyTableTest, AMistakeLeavesTheFieldAlone) {
  (void)parse("sizes=1,two");
  EXPECT_TRUE(paint.sizes.empty());
  (void)parse("coats=-1");
  EXPECT_EQ(paint.coats, 2);
}

TEST_F(KeyTableTest, UnknownKeysListTheOthers) {
  EXPECT_EQ(parse("colour=red"), "--paint has no key 'colour'; did you mean color? (keys: color, "
                                 "dry, thick, coats, hours, share, label, "
                                 "sizes, parts, names)");
  EXPECT_EQ(parse("coats=1 coats=2"), "--paint: coats is given twice");
}

TEST_F(KeyTableTest, KnowsWhatWasGiven) {
  KeyTable keys = paint.keys();
  auto complain = [](const llvm::Twine &) { return llvm::failure(); };
  ASSERT_TRUE(succeeded(keys.parse("coats=2", complain)));
  EXPECT_TRUE(keys.isGiven("coats")) << "although it is the default";
  EXPECT_FALSE(keys.isGiven("hours"));
}

TEST_F(KeyTableTest, TheHelpHasEveryKeyWithTypeDefaultAndText) {
  std::string help;
  llvm::raw_string_ostream out(help);
  paint.keys().printHelp(out);
  EXPECT_THAT(help, HasSubstr("Keys of --paint=\"KEY=VALUE ...\""));
  EXPECT_THAT(help, HasSubstr("  color=red|green [green]\n      What it looks like\n"));
  EXPECT_THAT(help, HasSubstr("  thick=true|false [as it comes]\n"));
  EXPECT_THAT(help, HasSubstr("  coats=N [2]\n"));
  EXPECT_THAT(help, HasSubstr("  hours=N\n"));
  EXPECT_THAT(help, HasSubstr("  share=NUMBER [0.5]\n"));
  auto table = paint.keys(); // names point into it
  for (llvm::StringRef name : table.names())
    EXPECT_THAT(help, HasSubstr("  " + name.str() + "="));
}

TEST_F(KeyTableTest, LongTextsAreWrapped) {
  KeyTable table("--x");
  bool field = false;
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += (i ? " word" : "word") + std::to_string(i);
  table.addFlag("flag", field, text);
  std::string help;
  llvm::raw_string_ostream out(help);
  table.printHelp(out);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(help).split(lines, '\n');
  for (llvm::StringRef line : lines)
    EXPECT_LE(line.size(), 76U) << line.str();
  EXPECT_THAT(help, HasSubstr("word39"));
}

TEST_F(KeyTableTest, ALineThatIsJustFullEnds) {
  KeyTable table("--x");
  bool field = false;
  std::string full = std::string(34, 'a') + " " + std::string(35, 'b'); // 76 with the margin
  table.addFlag("flag", field, full + " next");
  std::string help;
  llvm::raw_string_ostream out(help);
  table.printHelp(out);
  EXPECT_THAT(help, HasSubstr("      " + full + "\n      next\n"));
}

} // namespace
