// Sizes that a model leaves open and that are known beside it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_VALUES_GIVENSIZES_H
#define TUTTI_LIB_FRONTEND_MODEL_VALUES_GIVENSIZES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tutti::frontend {

struct GivenSizes {
  /// By the name of the dimension in the model, as `time` of `[batch, time]`.
  std::map<std::string, int64_t> byName = {};
  /// The shape of the data for an input, samples first; none if there is no such data. Asked only
  /// for inputs that have open sizes beside the batch.
  std::function<std::optional<llvm::SmallVector<int64_t>>(llvm::StringRef input)> shapeOfData = {};

  /// Adds NAME=SIZE of the command line; what is wrong with it, or empty.
  std::string add(llvm::StringRef pair);
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_VALUES_GIVENSIZES_H
