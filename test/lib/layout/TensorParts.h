// Tensors of tests, and their parts along a factor of a rule of sharding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_LAYOUT_TENSORPARTS_H
#define TUTTI_TEST_LIB_LAYOUT_TENSORPARTS_H

#include "dialects/interfaces/sharding/ShardingRule.h"

#include <vector>

namespace tutti::test {

/// The elements of a tensor, of any type, as numbers.
using Numbers = std::vector<double>;

/// Where one factor stands in a tensor of static shape: in which dimension, and in front of which
/// sizes of other factors of that dimension.
class FactorPlace {
public:
  FactorPlace(mlir::RankedTensorType type, const TensorFactors &factors, const ShardingRule &rule,
              unsigned factor);

  /// Whether the tensor has the factor.
  bool isThere() const { return size > 0; }
  /// Whether `parts` equal parts of it can be made.
  bool divides(int64_t parts) const { return size % parts == 0; }
  /// The type of one of `parts`, and of `more` entries of that dimension beside it.
  mlir::RankedTensorType partType(int64_t parts, int64_t more = 0) const;
  /// The part of the values that belongs to `part`.
  Numbers cut(const Numbers &whole, int64_t part, int64_t parts) const;
  /// Puts a part back to where it came from.
  void put(const Numbers &values, Numbers &whole, int64_t part, int64_t parts) const;
  /// A part with one more entry, of zeros, at the end of its dimension; no other factor is in it.
  Numbers cutWithZeros(const Numbers &whole, int64_t part, int64_t parts) const;

private:
  /// Calls `visit` with the flat index of each element of the part, in order.
  template <typename Visit> void visitPart(int64_t part, int64_t parts, Visit visit) const;

  mlir::RankedTensorType type;
  unsigned dimension = 0;
  int64_t size = 0;  ///< of the factor; 0: it is not there
  int64_t inner = 1; ///< elements of the dimension for each entry of the factor
};

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_LAYOUT_TENSORPARTS_H
