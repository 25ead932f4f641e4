// In row-major order the samples are `stride` elements apart, wherever dimensions begin and end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/BatchPlace.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <numeric>

using namespace tutti::specialize;

static int64_t productOf(llvm::ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

std::optional<BatchPlace> tutti::specialize::placeOfBatch(llvm::ArrayRef<int64_t> from,
                                                          unsigned dimension, int64_t inner,
                                                          int64_t batch,
                                                          llvm::ArrayRef<int64_t> to) {
  int64_t stride = inner * productOf(from.drop_front(dimension + 1));
  if (productOf(from) == 0 || productOf(from) != productOf(to))
    return std::nullopt;
  std::optional<BatchPlace> best;
  bool isOwn = false;
  for (unsigned i = 0; i < to.size(); ++i) {
    int64_t begin = productOf(to.drop_front(i + 1)), end = begin * to[i];
    if (stride % begin != 0 || end % (stride * batch) != 0)
      continue;
    bool isOwnHere = to[i] == batch;
    if (!best || (isOwnHere && !isOwn) || (!isOwn && end == stride * batch))
      best = {i, stride / begin};
    isOwn |= isOwnHere;
  }
  return best;
}
