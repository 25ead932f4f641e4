// What keys exclude each other, and which need others: each row holds for both of its sides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategies/Strategy.h"

#include "gtest/gtest.h"

using namespace tutti;
using namespace tutti::strategies;

namespace {

using Row = ConflictTable::Row;

std::string keyOf(llvm::StringRef term) { return term.split('=').first.str(); }

std::vector<std::string> namesOfKeys() {
  DistributeOptions options;
  options::KeyTable keys = options.keys();
  std::vector<std::string> names;
  for (const options::Key &key : keys.all())
    names.push_back(key.name);
  return names;
}

/// What is said against `text`; "" if nothing is.
std::string conflictOf(llvm::StringRef text) {
  std::string said;
  auto options = DistributeOptions::parse(text, [&](const llvm::Twine &problem) {
    said = problem.str();
    return llvm::failure();
  });
  return succeeded(options) ? options->findConflict().reason() : said;
}

TEST(ConflictTable, everyTermIsOfAKeyThatThereIs) {
  std::vector<std::string> names = namesOfKeys();
  ConflictTable table = allConflicts();
  ASSERT_FALSE(table.getExclusions().empty());
  ASSERT_FALSE(table.getNeeds().empty());
  for (llvm::ArrayRef<Row> rows : {table.getExclusions(), table.getNeeds()})
    for (const Row &row : rows) {
      EXPECT_TRUE(llvm::is_contained(names, keyOf(row.term))) << row.term.str();
      for (llvm::StringRef other : row.others)
        EXPECT_TRUE(llvm::is_contained(names, keyOf(other))) << other.str();
    }
}

TEST(ConflictTable, noPairIsExcludedTwice) {
  std::set<std::pair<std::string, std::string>> pairs;
  ConflictTable table = allConflicts();
  for (const Row &row : table.getExclusions())
    for (llvm::StringRef other : row.others) {
      std::string a = row.term.str(), b = other.str();
      EXPECT_TRUE(pairs.insert(std::minmax(a, b)).second) << a << " and " << b;
    }
}

TEST(ConflictTable, bothSidesOfARowAreRefusedWhoeverWritesIt) {
  EXPECT_EQ(
      conflictOf("diloco=4 local-sgd=8"),
      "local-sgd=8 conflicts with diloco=4: both say when ranks that train on their own meet");
  EXPECT_EQ(conflictOf("local-sgd=8 diloco=4"), conflictOf("diloco=4 local-sgd=8"));
  EXPECT_NE(conflictOf("serve=* diloco=4").find("serve=* conflicts with diloco=4: "),
            std::string::npos);
}

TEST(ConflictTable, aTermWithAValueIsForThisValue) {
  EXPECT_EQ(conflictOf("noise-scale=true shard-optimizer=1"), "");
  EXPECT_EQ(conflictOf("noise-scale=true shard-optimizer=2"),
            "shard-optimizer=2 conflicts with noise-scale=true: no rank has the whole of a reduced "
            "gradient");
  EXPECT_EQ(conflictOf("error-feedback=true"),
            "compress=none conflicts with error-feedback=true: nothing is lost on the wire");
}

TEST(ConflictTable, aKeyThatNeedsAnotherSaysSo) {
  EXPECT_EQ(conflictOf("outer-rate=0.5"), "outer-rate=0.5 has no meaning without diloco=H");
  EXPECT_EQ(conflictOf("diloco=2 outer-rate=0.5 outer-momentum=0"), "");
  EXPECT_EQ(conflictOf("diloco=2 outer-momentum=1"),
            "outer-momentum=1 must be a number of at least 0 and less than 1");
}

TEST(Strategies, whatAStrategyHoldsByItselfIsCopiedWithTheOptions) {
  using distribution::DilocoPassOptions;
  DistributeOptions options;
  options.of<DilocoPassOptions>().every = 3;
  DistributeOptions copy = options;
  copy.of<DilocoPassOptions>().every = 5;
  EXPECT_EQ(options.of<DilocoPassOptions>().every, 3);
  EXPECT_EQ(std::as_const(copy).of<DilocoPassOptions>().every, 5);
  EXPECT_EQ(copy.decidingKeys().front().name, "diloco");
}

} // namespace
