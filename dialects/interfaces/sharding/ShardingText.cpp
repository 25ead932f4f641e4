// Rules of sharding as text: reading a line, and what it says of tensors of known ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/sharding/ShardingRule.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace mlir;
using namespace tutti;

namespace tutti {

/// Reads a line; every method is false where it cannot go on.
class ShardingTextReader {
public:
  ShardingTextReader(StringRef text, ShardingText &into) : rest(text.trim()), into(into) {}

  bool read() {
    return readTensors(into.operands) && take("->") && readTensors(into.results) && rest.empty();
  }

private:
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  bool isAtEnd() {
    rest = rest.ltrim();
    return rest.empty() || rest.starts_with("->");
  }

  bool readTensors(SmallVector<ShardingText::Tensor> &tensors) {
    if (isAtEnd())
      return true;
    do {
      if (!readTensor(tensors.emplace_back()))
        return false;
    } while (take(","));
    return true;
  }

  bool readTensor(ShardingText::Tensor &tensor) {
    if (take("()"))
      return true;
    while (!isAtEnd() && !rest.starts_with(","))
      if (!readDimension(tensor.emplace_back()))
        return false;
    return !tensor.empty();
  }

  bool readDimension(ShardingText::Dimension &dimension) {
    if (take("1"))
      return true;
    if (!take("("))
      return readFactor(dimension) && readDots(dimension);
    while (!take(")"))
      if (!readFactor(dimension))
        return false;
    return !dimension.factors.empty();
  }

  bool readDots(ShardingText::Dimension &dimension) {
    dimension.isRepeated = rest.consume_front("..");
    return true;
  }

  bool readFactor(ShardingText::Dimension &dimension) {
    rest = rest.ltrim();
    StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty() || !llvm::isAlpha(name.front()))
      return false;
    rest = rest.drop_front(name.size());
    dimension.factors.push_back(name.str());
    return readKind(name);
  }

  bool readKind(StringRef name) {
    static constexpr StringLiteral marks = "+><*^~?/";
    size_t mark = rest.empty() ? StringRef::npos : marks.find(rest.front());
    if (mark == StringRef::npos)
      return true;
    rest = rest.drop_front();
    bool divides = mark + 1 == marks.size();
    Factor factor;
    factor.divides = divides;
    factor.kind = divides ? FactorKind::Sum : static_cast<FactorKind>(mark + 1);
    auto [known, isNew] = into.kinds.try_emplace(name, factor);
    return isNew || (known->second.kind == factor.kind && known->second.divides == divides);
  }

  StringRef rest;
  ShardingText &into;
};

/// What a line says of tensors of given types.
class ShardingTextExpansion {
public:
  ShardingTextExpansion(const ShardingText &text, const ShardingCounts &counts)
      : text(text), counts(counts) {}

  FailureOr<ShardingRule> expand(TypeRange operands, TypeRange results) {
    if (!expand(text.operands, counts.operands, operands, rule.operands) ||
        !expand(text.results, counts.results, results, rule.results))
      return failure();
    dropFactorsOfSizeOne();
    nameRepeatedFactors();
    decideWhatDivides();
    return std::move(rule);
  }

private:
  bool expand(ArrayRef<ShardingText::Tensor> tensors, ArrayRef<unsigned> repeats, TypeRange types,
              SmallVector<TensorFactors> &into) {
    for (auto [index, tensor] : llvm::enumerate(tensors)) {
      for (unsigned i = 0, e = repeats.empty() ? 1 : repeats[index]; i < e; ++i) {
        TensorFactors factors;
        if (into.size() == types.size() || !expand(tensor, types[into.size()], factors))
          return false;
        into.push_back(std::move(factors));
      }
    }
    return into.size() == types.size();
  }

  bool expand(const ShardingText::Tensor &tensor, Type type, TensorFactors &into) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped)
      return true; // a scalar has no dimensions
    if (!shaped.hasRank())
      return false;
    std::optional<SmallVector<unsigned>> repeats = countDimensions(tensor, shaped.getRank());
    if (!repeats)
      return false;
    for (auto [dimension, repeat] : llvm::zip_equal(tensor, *repeats))
      for (unsigned i = 0; i < repeat; ++i)
        into.push_back(expand(dimension, repeat - i, shaped.getDimSize(into.size())));
    return true;
  }

  /// How many dimensions each dimension of the text stands for; at most one follows from the rank.
  std::optional<SmallVector<unsigned>> countDimensions(const ShardingText::Tensor &tensor,
                                                       unsigned rank) {
    SmallVector<unsigned> repeats(tensor.size(), 1);
    std::optional<unsigned> open;
    unsigned sum = 0;
    for (auto [index, dimension] : llvm::enumerate(tensor)) {
      if (dimension.isRepeated) {
        std::optional<unsigned> given = givenCount(dimension.factors.front());
        if (!given && open)
          return std::nullopt;
        if (!given)
          open = index;
        repeats[index] = given.value_or(0);
      }
      sum += repeats[index];
    }
    if (sum > rank || (!open && sum != rank))
      return std::nullopt;
    if (open)
      repeats[*open] = rank - sum;
    return repeats;
  }

  std::optional<unsigned> givenCount(StringRef name) {
    for (auto [given, count] : counts.dimensions)
      if (given == name)
        return count;
    return std::nullopt;
  }

  /// `fromLast`: 1 for the last of repeated dimensions.
  SmallVector<unsigned, 1> expand(const ShardingText::Dimension &dimension, unsigned fromLast,
                                  int64_t size) {
    SmallVector<unsigned, 1> factors;
    for (StringRef name : dimension.factors)
      factors.push_back(factorOf(name, dimension.isRepeated ? fromLast : 0));
    if (factors.size() == 1 && size == 1)
      return {}; // elsewhere it may be larger
    if (factors.size() == 1)
      giveSize(factors.front(), size);
    return size == 1 ? SmallVector<unsigned, 1>() : factors;
  }

  void giveSize(unsigned factor, int64_t size) {
    int64_t &known = rule.factors[factor].size;
    if (ShapedType::isDynamic(known))
      known = size;
  }

  unsigned factorOf(StringRef name, unsigned fromLast) {
    auto [known, isNew] = indices.try_emplace((name + "." + Twine(fromLast)).str());
    if (!isNew)
      return known->second;
    unsigned &longest = repeated[name];
    longest = std::max(longest, fromLast);
    Factor kind = text.kinds.lookup(name);
    known->second = rule.add(kind.kind, name, ShapedType::kDynamic);
    rule.factors.back().divides = kind.divides;
    places.push_back(fromLast);
    return known->second;
  }

  /// Factors that stand alone in dimensions of size 1 only.
  void dropFactorsOfSizeOne() {
    SmallVector<bool> isUsed(rule.factors.size());
    visitDimensions([&](auto &dimension) {
      for (unsigned factor : dimension)
        isUsed[factor] = true;
    });
    SmallVector<unsigned> renumbered(rule.factors.size());
    unsigned kept = 0;
    for (unsigned i = 0; i < isUsed.size(); ++i) {
      if (!isUsed[i])
        continue;
      renumbered[i] = kept;
      places[kept] = places[i];
      rule.factors[kept++] = rule.factors[i];
    }
    rule.factors.truncate(kept);
    visitDimensions([&](auto &dimension) {
      for (unsigned &factor : dimension)
        factor = renumbered[factor];
    });
  }

  /// `a..` over two dimensions has the factors a0 and a1.
  void nameRepeatedFactors() {
    for (auto [factor, fromLast] : llvm::zip(rule.factors, places))
      if (fromLast > 0)
        factor.name += std::to_string(repeated.lookup(factor.name) - fromLast);
  }

  /// A mean divides where its factor is gone, the gradient of one where it is new: in all results.
  void decideWhatDivides() {
    SmallVector<unsigned> occurrences(rule.factors.size());
    for (const TensorFactors &tensor : rule.results)
      for (const auto &dimension : tensor)
        for (unsigned factor : dimension)
          ++occurrences[factor];
    for (auto [factor, occurs] : llvm::zip(rule.factors, occurrences))
      if (factor.divides && occurs == rule.results.size())
        factor.kind = FactorKind::Pass;
  }

  template <typename Visit> void visitDimensions(Visit visit) {
    for (auto tensors : {&rule.operands, &rule.results})
      for (TensorFactors &tensor : *tensors)
        for (auto &dimension : tensor)
          visit(dimension);
  }

  const ShardingText &text;
  const ShardingCounts &counts;
  ShardingRule rule;
  llvm::StringMap<unsigned> indices;  ///< by name and place
  llvm::StringMap<unsigned> repeated; ///< by name, the most dimensions that it stands for
  SmallVector<unsigned> places;       ///< by factor, its place among repeated ones, from the last
};

} // namespace tutti

ShardingText::ShardingText(StringRef text) { isRead = ShardingTextReader(text, *this).read(); }

FailureOr<ShardingRule> ShardingText::expand(TypeRange operandTypes, TypeRange resultTypes,
                                             const ShardingCounts &counts) const {
  if (!isRead)
    return failure();
  return ShardingTextExpansion(*this, counts).expand(operandTypes, resultTypes);
}

FailureOr<ShardingRule> tutti::parseShardingRule(StringRef text, TypeRange operands,
                                                 TypeRange results, const ShardingCounts &counts) {
  return ShardingText(text).expand(operands, results, counts);
}
