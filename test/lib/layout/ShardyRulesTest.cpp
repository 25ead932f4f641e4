// Compares rules of sharding of StableHLO with those of Shardy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ShardingRules.h"
#include "test/lib/layout/ShardyFiles.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

using namespace tutti;
using namespace tutti::test;

namespace {

/// A factor as both sides write it: the tensors and dimensions that have it, and where among the
/// factors of that dimension; and whether what lacks it is a reduction over it.
struct PlainFactor {
  std::vector<std::array<unsigned, 3>> places;
  bool isReduced = false;

  bool operator<(const PlainFactor &other) const {
    return std::tie(places, isReduced) < std::tie(other.places, other.isReduced);
  }
  bool operator==(const PlainFactor &other) const {
    return places == other.places && isReduced == other.isReduced;
  }
};

/// The factors of an operation that can be split, without those that no operand shares with a
/// result: nothing follows from these.
using PlainRule = std::multiset<PlainFactor>;

void addFactor(PlainRule &rule, PlainFactor factor, unsigned operands) {
  bool isTaken = factor.places.front()[0] < operands, isMade = factor.places.back()[0] >= operands;
  if (factor.isReduced || (isTaken && isMade))
    rule.insert(std::move(factor));
}

/// One tensor of a rule of Shardy, "[ij, k]": the letters of each dimension.
std::vector<std::string> readTensor(llvm::StringRef text) {
  std::vector<std::string> dimensions;
  if (!text.empty())
    for (llvm::StringRef dimension : llvm::split(text, ", "))
      dimensions.push_back(dimension.str());
  return dimensions;
}

/// The letters after `name={`.
std::string readSet(llvm::StringRef text, llvm::StringRef name) {
  size_t at = text.find((name + "={").str());
  return at == text.npos ? "" : text.drop_front(at + name.size() + 2).split('}').first.str();
}

/// A rule as Shardy prints it: "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}".
PlainRule readShardyRule(llvm::StringRef text) {
  auto [from, rest] = text.split("->");
  unsigned tensor = 0, operands = from.count('[');
  llvm::MapVector<char, PlainFactor> factors;
  std::string ones;
  for (llvm::StringRef size : llvm::split(rest.split('{').second.split('}').first, ", "))
    if (size.ends_with("=1"))
      ones += size.front();
  std::string fixed = readSet(text, "need_replication");
  for (llvm::StringRef part : llvm::drop_begin(llvm::split(text.split(" {").first, '['))) {
    for (auto [at, letters] : llvm::enumerate(readTensor(part.split(']').first))) {
      unsigned place = 0;
      for (char letter : letters)
        if (!llvm::is_contained(ones, letter)) {
          std::array<unsigned, 3> where = {tensor, unsigned(at), place++};
          factors[letter].places.push_back(where);
        }
    }
    ++tensor;
  }
  PlainRule rule;
  for (auto &[letter, factor] : factors) {
    factor.isReduced = llvm::is_contained(readSet(text, "reduction"), letter);
    if (!llvm::is_contained(fixed, letter))
      addFactor(rule, factor, operands);
  }
  return rule;
}

PlainRule flatten(const ShardingRule &rule) {
  std::map<unsigned, PlainFactor> factors;
  llvm::SmallVector<TensorFactors> tensors(rule.operands);
  tensors.append(rule.results.begin(), rule.results.end());
  std::set<unsigned> made;
  for (auto [tensor, dimensions] : llvm::enumerate(tensors))
    for (auto [at, all] : llvm::enumerate(dimensions))
      for (auto [place, factor] : llvm::enumerate(all)) {
        factors[factor].places.push_back({unsigned(tensor), unsigned(at), unsigned(place)});
        if (tensor >= rule.operands.size())
          made.insert(factor);
      }
  auto isSplittable = [](FactorKind kind) {
    return kind != FactorKind::Whole && kind != FactorKind::Near && kind != FactorKind::Masked;
  };
  PlainRule plain;
  for (auto &[index, factor] : factors) {
    FactorKind kind = rule.factors[index].kind;
    factor.isReduced = kind != FactorKind::Pass && !made.count(index);
    if (isSplittable(kind))
      addFactor(plain, factor, rule.operands.size());
  }
  return plain;
}

class ShardyRules : public ShardyFiles {};

/// Each rule is Shardy's, or the file says how it differs and why.
TEST_F(ShardyRules, Same) {
  unsigned same = 0, different = 0;
  forEachTest("rules", [&](mlir::func::FuncOp test) {
    test.walk([&](mlir::Operation *op) {
      std::string expected = getText(op, "shardy.rule");
      if (expected.empty())
        return;
      auto rule = findShardingRule(op);
      PlainRule theirs = expected == "none" ? PlainRule() : readShardyRule(expected);
      PlainRule ours = failed(rule) ? PlainRule() : flatten(*rule);
      std::string text = failed(rule) ? "none" : spellShardingRule(*rule);
      std::string named = getText(op, "tutti.rule"), reason = getText(op, "tutti.because");
      if (named.empty()) {
        ++same;
        EXPECT_TRUE(theirs == ours) << test.getName().str() << ": " << text << "\n  " << expected;
        return;
      }
      ++different;
      EXPECT_EQ(text, named) << test.getName().str();
      EXPECT_FALSE(theirs == ours) << test.getName().str() << " is as Shardy has it";
      EXPECT_FALSE(reason.empty()) << test.getName().str();
    });
  });
  EXPECT_EQ(same, 71u);
  EXPECT_EQ(different, 51u);
}

} // namespace
