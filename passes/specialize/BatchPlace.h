// Where the batch goes when a tensor is reshaped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SPECIALIZE_BATCHPLACE_H
#define TUTTI_PASSES_SPECIALIZE_BATCHPLACE_H

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace tutti::specialize {

struct BatchPlace {
  unsigned dimension;
  int64_t inner; ///< the dimension is outer * batch * inner
};

/// A tensor of shape `from`, whose dimension `dimension` is outer * batch * `inner`, gets the shape
/// `to` in row-major order: where the batch is then. None where it is cut into several dimensions.
/// With a batch of 1 a dimension of its own is preferred, then the one that it is outermost in.
std::optional<BatchPlace> placeOfBatch(llvm::ArrayRef<int64_t> from, unsigned dimension,
                                       int64_t inner, int64_t batch, llvm::ArrayRef<int64_t> to);

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_BATCHPLACE_H
