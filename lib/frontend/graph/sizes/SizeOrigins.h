// Which sizes that vary are the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_SIZES_SIZEORIGINS_H
#define TUTTI_LIB_FRONTEND_GRAPH_SIZES_SIZEORIGINS_H

#include "lib/frontend/model/TensorScope.h"

#include "llvm/ADT/DenseMap.h"

namespace tutti::frontend {

/// Follows sizes through the operations that keep, add or multiply them to where they come from:
/// two sizes with one term are equal. An operation is asked by inferring its types for operands of
/// other sizes. The functions that are asked about must not change meanwhile, but grow.
class SizeOrigins {
public:
  /// A size as a sum of multiples of its sources, or as a multiple of their product: of arguments,
  /// of operations that make a new size, or of no tensor as `size` is. All inputs of a dataset have
  /// as many samples, those of the first.
  SizeTerm termOf(SizeOrigin size);

  /// Says that `size`, of an argument, is `other`; before anything is asked.
  void declareSame(SizeOrigin size, SizeOrigin other) {
    known[{size.tensor, size.axis}] = SizeTerm{other};
  }

private:
  using Key = std::pair<mlir::Value, int64_t>;

  /// One step, where the sources of the sizes of all operands are known.
  SizeTerm stepBack(SizeOrigin size) const;
  std::optional<SizeTerm> findTerm(mlir::OpResult result, int64_t axis) const;

  llvm::DenseMap<Key, SizeTerm> known;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_SIZES_SIZEORIGINS_H
