// Follows sizes through arithmetic on floats, as fractions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/sizes/FloatSizes.h"

#include "lib/frontend/graph/sizes/SizeMoves.h"

#include <cmath>

using namespace mlir;
using namespace tutti::frontend;

/// Factors and divisors beyond it do not occur, and would not be exact in f32.
static constexpr int64_t largestFactor = 1 << 12;

/// A float as numerator and denominator, both small; none of others.
static std::optional<std::pair<int64_t, int64_t>> fractionOf(double number) {
  for (int64_t divisor = 1; divisor <= 256; divisor *= 2) {
    double scaled = number * double(divisor);
    if (std::abs(scaled) <= double(largestFactor) && scaled == std::trunc(scaled))
      return std::pair(int64_t(scaled), divisor);
  }
  return std::nullopt;
}

/// `op` of each entry and of `number`, which stands first if `reversed`.
static std::optional<Sizes> combineEach(StringRef op, const Sizes &sizes, int64_t number,
                                        TermOf termOf, bool reversed = false) {
  Sizes result{{}, sizes.isScalar};
  for (size_t index = 0; index < sizes.values.size(); ++index) {
    std::optional<SizeTerm> term = sizes.term(index);
    SizeTerm other = SizeTerm::number(number);
    if (term)
      term = reversed ? combine(op, other, *term, termOf) : combine(op, *term, other, termOf);
    if (!term)
      return std::nullopt;
    result.values.push_back(term->isNumber() ? term->plus : ShapedType::kDynamic);
    result.terms.push_back(term);
  }
  return result;
}

static std::optional<FloatSizes> withDivisor(std::optional<Sizes> sizes, int64_t divisor) {
  if (!sizes || divisor > largestFactor)
    return std::nullopt;
  return FloatSizes{std::move(*sizes), divisor};
}

/// A size, and a constant.
static std::optional<FloatSizes> calculate(StringRef op, const FloatSizes &sizes, double constant,
                                           bool constantIsFirst, TermOf termOf) {
  std::optional<std::pair<int64_t, int64_t>> fraction = fractionOf(constant);
  if (!fraction)
    return std::nullopt;
  auto [number, divisor] = *fraction;
  if (op == "Mul" && number > 0)
    return withDivisor(combineEach("Mul", sizes.numerators, number, termOf),
                       sizes.divisor * divisor);
  if (op == "Div" && number > 0 && !constantIsFirst)
    return withDivisor(combineEach("Mul", sizes.numerators, divisor, termOf),
                       sizes.divisor * number);
  if ((op == "Add" || op == "Sub") && divisor == 1)
    return withDivisor(
        combineEach(op, sizes.numerators, number * sizes.divisor, termOf, constantIsFirst),
        sizes.divisor);
  return std::nullopt;
}

static std::optional<FloatSizes> round(const FloatSizes &sizes, bool up, TermOf termOf) {
  std::optional<Sizes> numerators = sizes.numerators;
  if (up)
    numerators = combineEach("Add", *numerators, sizes.divisor - 1, termOf);
  if (!numerators)
    return std::nullopt;
  std::optional<Sizes> whole = wholeSizes({*numerators, sizes.divisor}, termOf);
  return whole ? std::optional(FloatSizes{*whole}) : std::nullopt;
}

std::optional<Sizes> tutti::frontend::wholeSizes(const FloatSizes &sizes, TermOf termOf) {
  if (sizes.divisor == 1)
    return sizes.numerators;
  for (size_t index = 0; index < sizes.numerators.values.size(); ++index) {
    std::optional<SizeTerm> term = sizes.numerators.term(index);
    if (!term || !isAtMost(SizeTerm::number(0), *term, termOf)) // which rounds the other way
      return std::nullopt;
  }
  return combineEach("Div", sizes.numerators, sizes.divisor, termOf);
}

/// Two operands, of which one is a constant.
static std::optional<FloatSizes> calculate(const proto::NodeProto &node, TensorScope &scope,
                                           TermOf termOf, Location location) {
  for (int index : {0, 1}) {
    std::optional<FloatSizes> sizes = scope.lookupFloatSizes(node.input(index));
    if (!sizes)
      continue;
    auto constant = scope.lookupFloats(node.input(1 - index), location);
    if (!constant || constant->size() != 1)
      return std::nullopt;
    return calculate(node.op_type(), *sizes, constant->front(), index == 1, termOf);
  }
  return std::nullopt;
}

std::optional<FloatSizes> tutti::frontend::evaluateFloatSizes(const proto::NodeProto &node,
                                                              TensorScope &scope, TermOf termOf,
                                                              Location location) {
  if (!canonicalDomain(node.domain()).empty() || node.input_size() == 0 || node.input_size() > 2)
    return std::nullopt;
  StringRef op = node.op_type();
  if (op == "Cast") {
    int64_t to = integerAttribute(node, "to").value_or(0);
    bool isFloat = to == proto::TensorProto::FLOAT || to == proto::TensorProto::DOUBLE;
    std::optional<FloatSizes> already =
        isFloat ? scope.lookupFloatSizes(node.input(0)) : std::nullopt;
    std::optional<Sizes> sizes = isFloat && !already && scope.isComputedSizes(node.input(0))
                                     ? scope.lookupSizes(node.input(0), location)
                                     : std::nullopt;
    return sizes && !sizes->areKnown() ? std::optional(FloatSizes{*sizes}) : already;
  }
  if (node.input_size() == 2 && (op == "Mul" || op == "Div" || op == "Add" || op == "Sub"))
    return calculate(node, scope, termOf, location);
  bool isMove = op == "Unsqueeze" || op == "Squeeze" || op == "Identity";
  if (op != "Floor" && op != "Ceil" && !isMove)
    return std::nullopt;
  std::optional<FloatSizes> sizes = scope.lookupFloatSizes(node.input(0));
  if (!sizes || !isMove)
    return sizes ? round(*sizes, op == "Ceil", termOf) : std::nullopt;
  if (sizes->numerators.values.size() != 1)
    return std::nullopt;
  sizes->numerators.isScalar = op == "Squeeze" || (op == "Identity" && sizes->numerators.isScalar);
  return sizes;
}
