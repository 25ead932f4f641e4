// The factors of a tensor that is read in another shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_SHARDING_SHAPEFACTORS_H
#define TUTTI_DIALECTS_INTERFACES_SHARDING_SHAPEFACTORS_H

#include "dialects/interfaces/sharding/ShardingRule.h"

#include <optional>

namespace tutti {

/// The size of a dimension: a number times sizes that are not known.
struct DimensionSize {
  int64_t number = 1;
  llvm::SmallVector<unsigned, 2> unknown; ///< ascending; each stands for one unknown size

  bool isOne() const { return number == 1 && unknown.empty(); }
  bool operator==(const DimensionSize &other) const {
    return number == other.number && unknown == other.unknown;
  }
};

DimensionSize operator*(const DimensionSize &a, const DimensionSize &b);
/// The largest size that divides both, as far as it is known.
DimensionSize commonDivisor(const DimensionSize &a, const DimensionSize &b);
/// None if b does not divide a.
std::optional<DimensionSize> quotient(const DimensionSize &a, const DimensionSize &b);

/// The sizes of a shape, in which each dynamic one is unknown by itself: `firstUnknown` and those
/// after it.
llvm::SmallVector<DimensionSize> sizesOf(llvm::ArrayRef<int64_t> shape, unsigned firstUnknown = 0);

/// The rule of an operation that reads the elements of its operand, whose sizes are `from`, in the
/// shape `to`. Factors are common divisors, outermost first; where the sizes have none, dimensions
/// up to the next place at which both shapes divide the elements alike are Whole.
ShardingRule reshapeRule(llvm::ArrayRef<DimensionSize> from, llvm::ArrayRef<DimensionSize> to);

} // namespace tutti

#endif // TUTTI_DIALECTS_INTERFACES_SHARDING_SHAPEFACTORS_H
