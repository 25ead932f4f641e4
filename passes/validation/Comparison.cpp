// Finds factors and places in which values differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Comparison.h"

using namespace tutti::interpreter;
using namespace tutti::validation;
using field::Number;

bool tutti::validation::areEqual(const Tensor &a, const Tensor &b) {
  return a.shape == b.shape && a.elements == b.elements;
}

/// The factor that makes every element of `found - base` one of `expected - base`; nothing if there
/// is none, or if nothing is left to divide by.
static std::optional<Number> findFactor(const Tensor &found, const Tensor &expected,
                                        const Tensor *base) {
  std::optional<Number> factor;
  for (int64_t i = 0; i < found.size(); ++i) {
    Number from = base ? base->elements[i] : 0;
    Number a = field::sub(found.elements[i], from), b = field::sub(expected.elements[i], from);
    if (a == field::kNone || b == field::kNone || (b == 0) != (a == 0))
      return std::nullopt;
    if (b == 0)
      continue;
    if (!factor)
      factor = field::divide(a, b);
    else if (field::mul(*factor, b) != a)
      return std::nullopt;
  }
  return factor;
}

/// What a factor is known to come from.
static std::string explain(Number factor, KnownFactors factors) {
  for (const auto &[size, name] : factors) {
    if (size < 2)
      continue;
    if (factor == Number(size))
      return ": counted by every " + name;
    if (factor == field::divide(1, size))
      return ": divided by the number of " + name + "s once too often";
    if (factor == Number(size * size))
      return ": counted by every " + name + " twice";
  }
  return "";
}

static std::string spellPlace(int64_t place, llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t i = int64_t(shape.size()) - 1; i >= 0; --i) {
    text = std::to_string(place % shape[i]) + (text.empty() ? "" : ", " + text);
    place /= shape[i];
  }
  return "[" + text + "]";
}

static std::string describePlaces(const Tensor &found, const Tensor &expected) {
  int64_t first = -1, count = 0;
  for (int64_t i = 0; i < found.size(); ++i)
    if (found.elements[i] != expected.elements[i] && ++count == 1)
      first = i;
  std::string text = found.shape.empty() ? "it is another number"
                                         : "element " + spellPlace(first, found.shape) +
                                               " is another number, as " + std::to_string(count) +
                                               " of " + std::to_string(found.size()) + " are";
  if (found.elements[first] == field::kNone)
    text += ", and no finite one";
  else if (expected.elements[first] == field::kNone)
    text += ", and a finite one";
  return text;
}

std::string tutti::validation::describeDifference(const Tensor &found, const Tensor &expected,
                                                  const Tensor *before, KnownFactors factors) {
  if (found.shape != expected.shape)
    return "it has another shape";
  if (before && before->shape == found.shape)
    if (auto factor = findFactor(found, expected, before))
      if (auto text = field::spellFraction(*factor))
        return "it changes x " + *text + explain(*factor, factors);
  if (auto factor = findFactor(found, expected, nullptr))
    if (auto text = field::spellFraction(*factor))
      return "it is x " + *text + explain(*factor, factors);
  return describePlaces(found, expected);
}
