// Flatbuffers that are whole, and such whose offsets lead elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/FlatReader.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tutti::frontend;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A content that is written number by number.
struct Content {
  std::string bytes;

  template <typename Number> Content &add(Number number) {
    bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
    return *this;
  }
  template <typename Number> Content &change(size_t at, Number number) {
    bytes.replace(at, sizeof(number), reinterpret_cast<const char *>(&number), sizeof(number));
    return *this;
  }
  llvm::ArrayRef<char> get() const { return {bytes.data(), bytes.size()}; }
};

// Where things are in `sample`.
constexpr size_t kLayout = 8, kTable = 20, kNumbers = 32, kText = 52, kSize = 60;

/// A table with the fields 0: a number, 2: two numbers of 64 bits, 3: a text; none has number 1.
Content sample() {
  Content content;
  content.add<uint32_t>(kTable).bytes += "SAMP";
  content.add<uint16_t>(12).add<uint16_t>(12); // bytes of the layout and of the table
  content.add<uint16_t>(4).add<uint16_t>(0).add<uint16_t>(8).add<uint16_t>(12);
  content.add<int32_t>(kTable - kLayout).add<int32_t>(-5).add<uint32_t>(kNumbers - (kTable + 8));
  content.bytes.resize(kNumbers);
  content.add<uint32_t>(2).add<int64_t>(7).add<int64_t>(-8);
  // The last field comes after the table's own, where the numbers begin.
  content.bytes.resize(kText);
  content.add<uint32_t>(2).bytes += "hi";
  content.bytes.resize(kSize);
  return content;
}

TEST(FlatReader, ReadsWhatIsThereAndDefaultsForTheRest) {
  Content content = sample();
  FlatReader reader(content.get());
  FlatTable table = reader.root("SAMP");
  ASSERT_TRUE(table);
  EXPECT_EQ(table.number<int32_t>(0), -5);
  EXPECT_EQ(table.number<int32_t>(1, 3), 3) << "left out by the layout";
  EXPECT_EQ(table.number<int32_t>(9, 4), 4) << "after the layout";
  EXPECT_THAT(table.numbers(2, 5), ElementsAre(7, -8));
  EXPECT_THAT(table.numbers(2, 1), ElementsAre(7, -8)) << "one more tells that there are more";
  EXPECT_THAT(table.numbers(2, 0), ElementsAre(7));
  EXPECT_FALSE(table.table(1));
  EXPECT_TRUE(table.tables(1).empty());
  EXPECT_TRUE(table.text(1).empty());
  EXPECT_EQ(reader.problem(), "");
}

TEST(FlatReader, ReadsNothingFromANullTable) {
  FlatTable none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.number<int64_t>(0, 2), 2);
  EXPECT_TRUE(none.bytes(0).empty());
  EXPECT_FALSE(none.table(0));
}

TEST(FlatReader, AnotherIdentifierIsAProblem) {
  Content content = sample();
  FlatReader reader(content.get());
  EXPECT_FALSE(reader.root("ODTC"));
  EXPECT_THAT(reader.problem(), HasSubstr("identifier 'ODTC'"));
}

TEST(FlatReader, NoBeginningOfAContentIsRead) {
  Content content = sample();
  for (size_t size = 0; size < kNumbers + 20; ++size) {
    FlatReader reader(content.get().take_front(size));
    FlatTable table = reader.root("SAMP");
    (void)table.numbers(2, 5);
    EXPECT_NE(reader.problem(), "") << size;
  }
}

/// What is wrong with `content`, as far as its fields tell.
std::string problemOf(const Content &content) {
  FlatReader reader(content.get());
  FlatTable table = reader.root("SAMP");
  (void)table.number<int32_t>(0);
  (void)table.numbers(2, 5);
  return reader.problem();
}

TEST(FlatReader, OffsetsThatLeadOutAreProblems) {
  EXPECT_EQ(problemOf(sample()), "");
  EXPECT_THAT(problemOf(sample().change<uint32_t>(0, 0xfffffff0)), HasSubstr("cut off or damaged"));
  EXPECT_THAT(problemOf(sample().change<int32_t>(kTable, 21)), HasSubstr("before its beginning"));
  EXPECT_THAT(problemOf(sample().change<int32_t>(kTable, -1000)), HasSubstr("from offset 1020"));
  EXPECT_THAT(problemOf(sample().change<uint16_t>(kLayout, 60000)), HasSubstr("60000 bytes"));
  EXPECT_THAT(problemOf(sample().change<uint16_t>(kLayout + 4, 60000)), HasSubstr("cut off"));
  EXPECT_THAT(problemOf(sample().change<uint32_t>(kTable + 8, 5000)), HasSubstr("cut off"));
  EXPECT_THAT(problemOf(sample().change<uint32_t>(kNumbers, 0xffffffff)), HasSubstr("34359738360"));
}

TEST(FlatReader, TheFirstProblemStays) {
  Content content = sample();
  content.change<uint32_t>(kNumbers, 100);
  FlatReader reader(content.get());
  FlatTable table = reader.root("SAMP");
  EXPECT_TRUE(table.numbers(2, 5).empty());
  std::string first = reader.problem();
  EXPECT_EQ(table.number<int32_t>(0), 0) << "nothing is read after it";
  EXPECT_EQ(reader.problem(), first);
}

/// A table whose field 0 is a vector of `offsets`, which begins at 28, with an empty table at
/// `kEnd`.
constexpr uint32_t kFirst = 28, kEnd = 40;

Content tables(std::initializer_list<uint32_t> offsets) {
  Content content;
  content.add<uint32_t>(16).bytes += "SAMP";
  content.add<uint16_t>(6).add<uint16_t>(8).add<uint16_t>(4).add<uint16_t>(0);
  content.add<int32_t>(8).add<uint32_t>(4).add<uint32_t>(uint32_t(offsets.size()));
  for (uint32_t offset : offsets)
    content.add(offset);
  content.bytes.resize(kEnd);
  content.add<int32_t>(kEnd - 8); // it has the layout of the other
  return content;
}

TEST(FlatReader, OffsetsPointForwardOnly) {
  Content content = tables({kEnd - kFirst, 16 - (kFirst + 4)});
  FlatReader reader(content.get());
  EXPECT_EQ(reader.root("SAMP").tables(0).size(), 1u);
  EXPECT_THAT(reader.problem(), HasSubstr("cut off"));
}

TEST(FlatReader, OneTableInManyPlacesEnds) {
  Content content = tables({kEnd - kFirst, kEnd - kFirst - 4, kEnd - kFirst - 8});
  FlatReader reader(content.get());
  FlatTable table = reader.root("SAMP");
  EXPECT_EQ(table.tables(0).size(), 3u);
  EXPECT_EQ(reader.problem(), "");
  for (int time = 0; time < 4; ++time)
    (void)table.tables(0);
  EXPECT_THAT(reader.problem(), HasSubstr("more tables than it has room for"));
}

} // namespace
