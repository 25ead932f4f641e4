// What each rank computes of its own number alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_RANKS_RANKNUMBERS_H
#define TUTTI_LIB_LAYOUT_RANKS_RANKNUMBERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tutti {

/// The values of a function that follow from the rank, sizes of groups and constants by arithmetic,
/// computed once for each rank. Each value is computed once; what takes longer than a place in a
/// tensor does is left alone.
class RankNumbers {
public:
  /// `worldSize` is nothing where the number of ranks is not known; then nothing is.
  explicit RankNumbers(std::optional<int64_t> worldSize);

  /// The value of each rank, in rank order, or an empty list where it is not known: the value
  /// depends on data, or there are too many ranks to look at each.
  llvm::ArrayRef<mlir::Attribute> get(mlir::Value value);
  /// The same of integers.
  std::optional<llvm::SmallVector<int64_t>> getIntegers(mlir::Value value);

private:
  llvm::SmallVector<mlir::Attribute> compute(mlir::Value value) const;

  int64_t worldSize; ///< 0 where nothing is computed
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Attribute>> known;
};

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_RANKS_RANKNUMBERS_H
