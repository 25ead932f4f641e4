// The keys of a recipe that say which loss is added, and how it counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_RECIPE_LOSSKEYS_H
#define TUTTI_PASSES_GRADIENT_RECIPE_LOSSKEYS_H

#include "passes/gradient/recipe/Recipe.h"

#include <limits>

namespace tutti::gradient {

inline constexpr double largestNumber = std::numeric_limits<float>::max();
inline constexpr options::NumberRange notNegative{0, largestNumber, false, false,
                                                  "a number of at least 0, and of f32"};
inline constexpr options::NumberRange positive{std::numeric_limits<float>::min(), largestNumber,
                                               false, false, "a number above 0, and of f32"};

void addLossKey(options::KeyTable &keys, Recipe &recipe);

/// The keys that only some losses have.
void addKeysOfLosses(options::KeyTable &keys, Recipe &recipe);

/// Complains about keys that the loss does not have, and that others exclude.
llvm::LogicalResult checkLossKeys(const Recipe &recipe, const options::KeyTable &keys,
                                  options::Complain complain);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_RECIPE_LOSSKEYS_H
