// Values that hold the same for each sample, as exporters fold them for one batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SPECIALIZE_EQUALSAMPLES_H
#define TUTTI_PASSES_SPECIALIZE_EQUALSAMPLES_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace tutti::specialize {

/// Whether the operation repeats a dimension of 1 of an operand where others are longer.
bool isBroadcasting(mlir::Operation *op);

/// Remembers what it has found out; the program must not change meanwhile.
class EqualSamples {
public:
  using Place = std::pair<mlir::Value, unsigned>; ///< a value, and one of its dimensions

  /// Whether all entries of `value` along `dimension` are known to be equal.
  bool has(mlir::Value value, unsigned dimension);

private:
  bool areEqual(Place place) const;

  llvm::DenseSet<Place> known, equal;
};

/// `value` with a size of 1 in `dimension`, along which its entries are equal.
mlir::Value takeOneSample(mlir::OpBuilder &builder, mlir::Value value, unsigned dimension);

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_EQUALSAMPLES_H
