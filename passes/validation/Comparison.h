// What two values say of each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_COMPARISON_H
#define TUTTI_PASSES_VALIDATION_COMPARISON_H

#include "lib/interpreter/Tensor.h"

#include <string>

namespace tutti::validation {

/// Numbers whose products factors are made of, and what a factor of them means: (4, "rank").
using KnownFactors = llvm::ArrayRef<std::pair<int64_t, std::string>>;

bool areEqual(const interpreter::Tensor &a, const interpreter::Tensor &b);

/// Says in words how `found` differs from `expected`: by a factor, or where. `before` is the value
/// before the step, if there was one: a factor of the change tells that of a gradient.
std::string describeDifference(const interpreter::Tensor &found,
                               const interpreter::Tensor &expected,
                               const interpreter::Tensor *before, KnownFactors factors);

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_COMPARISON_H
