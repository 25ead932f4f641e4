// The factors of a tensor that is read in another shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/sharding/ShapeFactors.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace tutti;

DimensionSize tutti::operator*(const DimensionSize &a, const DimensionSize &b) {
  DimensionSize product{a.number * b.number, a.unknown};
  product.unknown.append(b.unknown.begin(), b.unknown.end());
  llvm::sort(product.unknown);
  return product;
}

DimensionSize tutti::commonDivisor(const DimensionSize &a, const DimensionSize &b) {
  DimensionSize common{std::gcd(a.number, b.number), {}};
  std::set_intersection(a.unknown.begin(), a.unknown.end(), b.unknown.begin(), b.unknown.end(),
                        std::back_inserter(common.unknown));
  return common;
}

std::optional<DimensionSize> tutti::quotient(const DimensionSize &a, const DimensionSize &b) {
  if (b.number == 0 || a.number % b.number != 0 ||
      !std::includes(a.unknown.begin(), a.unknown.end(), b.unknown.begin(), b.unknown.end()))
    return std::nullopt;
  DimensionSize rest{a.number / b.number, {}};
  std::set_difference(a.unknown.begin(), a.unknown.end(), b.unknown.begin(), b.unknown.end(),
                      std::back_inserter(rest.unknown));
  return rest;
}

SmallVector<DimensionSize> tutti::sizesOf(ArrayRef<int64_t> shape, unsigned firstUnknown) {
  SmallVector<DimensionSize> sizes;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      sizes.push_back({1, {firstUnknown++}});
    else
      sizes.push_back({size, {}});
  }
  return sizes;
}

namespace {

/// Walks through the dimensions of both shapes, outermost first, and divides both by what they have
/// in common.
class Matching {
public:
  Matching(ArrayRef<DimensionSize> from, ArrayRef<DimensionSize> to)
      : from{from, TensorFactors(from.size())}, to{to, TensorFactors(to.size())} {}

  ShardingRule match() {
    this->from.start();
    this->to.start();
    while (!from.isAtEnd() || !to.isAtEnd())
      if (!matchFactor())
        skipToCommonPlace();
    rule.operands.push_back(std::move(from.factors));
    rule.results.push_back(std::move(to.factors));
    return std::move(rule);
  }

private:
  /// One shape, and how far the walk is.
  struct Side {
    ArrayRef<DimensionSize> sizes;
    TensorFactors factors;
    size_t dimension = 0;
    DimensionSize rest = {}; ///< what is left of that dimension

    bool isAtEnd() const { return dimension == sizes.size(); }
    void start() {
      while (!isAtEnd() && (rest = sizes[dimension]).isOne())
        ++dimension;
    }
    void finish() {
      ++dimension;
      start();
    }
    /// The next factor of this dimension has this size, which divides what is left.
    void take(unsigned factor, const DimensionSize &size) {
      factors[dimension].push_back(factor);
      rest = *quotient(rest, size);
      if (rest.isOne())
        finish();
    }
  };

  bool matchFactor() {
    if (from.isAtEnd() || to.isAtEnd() || from.rest.number == 0 || to.rest.number == 0)
      return false;
    DimensionSize common = commonDivisor(from.rest, to.rest);
    if (common.isOne())
      return false;
    unsigned factor = add(FactorKind::Pass, common);
    from.take(factor, common);
    to.take(factor, common);
    return true;
  }

  unsigned add(FactorKind kind, const DimensionSize &size) {
    std::string name = "f" + std::to_string(rule.factors.size());
    bool isKnown = size.unknown.empty();
    return rule.add(kind, name, isKnown ? size.number : ShapedType::kDynamic);
  }

  /// The ends of dimensions in front of which there are as many elements in both shapes, or behind
  /// which there are: all in all they have as many.
  void skipToCommonPlace() {
    SmallVector<DimensionSize> ends = elementsToEnds(from), others = elementsToEnds(to);
    if (skipToEqual(ends, others) || skipToEqual(elementsBehindEnds(from), elementsBehindEnds(to)))
      return;
    skip(from, ends.size());
    skip(to, others.size());
  }

  bool skipToEqual(ArrayRef<DimensionSize> ends, ArrayRef<DimensionSize> others) {
    for (auto [index, elements] : llvm::enumerate(ends)) {
      auto *other = llvm::find(others, elements);
      if (other == others.end())
        continue;
      skip(from, index + 1);
      skip(to, other - others.begin() + 1);
      return true;
    }
    return false;
  }

  static SmallVector<DimensionSize> elementsBehindEnds(const Side &side) {
    SmallVector<DimensionSize> behind;
    for (size_t end = side.sizes.size(); end > side.dimension; --end) {
      DimensionSize elements =
          end == side.sizes.size() ? DimensionSize{1, {}} : behind.back() * side.sizes[end];
      if (elements.number == 0) // of nothing there is as much anywhere
        return {};
      behind.push_back(elements);
    }
    std::reverse(behind.begin(), behind.end());
    return behind;
  }

  static SmallVector<DimensionSize> elementsToEnds(const Side &side) {
    SmallVector<DimensionSize> ends;
    if (side.isAtEnd())
      return ends;
    ends.push_back(side.rest);
    for (const DimensionSize &size : side.sizes.drop_front(side.dimension + 1))
      ends.push_back(ends.back() * size);
    return ends;
  }

  /// What is left of this many dimensions cannot be split.
  void skip(Side &side, size_t dimensions) {
    size_t end = side.dimension + dimensions;
    while (side.dimension < end) {
      if (!side.rest.isOne())
        side.factors[side.dimension].push_back(add(FactorKind::Whole, side.rest));
      ++side.dimension;
      if (!side.isAtEnd())
        side.rest = side.sizes[side.dimension];
    }
    side.start();
  }

  ShardingRule rule;
  Side from, to;
};

} // namespace

ShardingRule tutti::reshapeRule(ArrayRef<DimensionSize> from, ArrayRef<DimensionSize> to) {
  return Matching(from, to).match();
}
