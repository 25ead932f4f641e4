// Formulas of elementwise operations as expressions in C++: `max(X, 0) + log1p(exp(-abs(X)))`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_EXPRESSION_H
#define TUTTI_DIALECTS_INTERFACES_EXPRESSION_H

#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <cmath>

namespace tutti {

/// The number of factors after which a product of factors of at most `base` no longer changes the
/// difference from 1 in f64: the product is less than 2^-54.
inline int64_t momentaThatCount(double base) {
  return base > 0 && base < 1 ? std::ceil(-54 * llvm::numbers::ln2 / std::log(base)) : 1;
}

/// A value, or a number that takes the type of the values it meets. `Arithmetic` writes the
/// operations: of the scalars of a loop where an operation is lowered, of tensors where its
/// gradient is built, of nodes where it is exported. Its `Value` converts to false where there is
/// none. It has a member function of the same name for each function below, and `add`, `sub`,
/// `mul`, `div`, `neg`, `less`, `atMost`, `equal`, `both`, `either`, `differ`, `invert` and
/// `constant(number, like)`. Functions without one are made of the others. An arithmetic lacks
/// those of which its formulas make no use.
template <typename Arithmetic> class Expression {
public:
  using Value = typename Arithmetic::Value;

  Expression(Arithmetic &arithmetic, Value value)
      : arithmetic(&arithmetic), known(value), like(value) {}
  /*implicit*/ Expression(double number) : number(number) {}

  /// The value; there is one unless the expression is a number alone.
  Value value() const {
    assert(known && "a number alone has no type");
    return known;
  }

  friend Expression operator+(Expression a, Expression b) { return join(a, b, &Arithmetic::add); }
  friend Expression operator-(Expression a, Expression b) { return join(a, b, &Arithmetic::sub); }
  friend Expression operator*(Expression a, Expression b) { return join(a, b, &Arithmetic::mul); }
  friend Expression operator/(Expression a, Expression b) { return join(a, b, &Arithmetic::div); }
  friend Expression operator-(Expression a) { return apply(a, &Arithmetic::neg); }

  /// False if either is no number.
  friend Expression operator<(Expression a, Expression b) { return ask(a, b, &Arithmetic::less); }
  friend Expression operator<=(Expression a, Expression b) {
    return ask(a, b, &Arithmetic::atMost);
  }
  friend Expression operator==(Expression a, Expression b) { return ask(a, b, &Arithmetic::equal); }
  friend Expression operator&(Expression a, Expression b) { return ask(a, b, &Arithmetic::both); }
  friend Expression operator|(Expression a, Expression b) { return ask(a, b, &Arithmetic::either); }
  friend Expression operator^(Expression a, Expression b) { return ask(a, b, &Arithmetic::differ); }
  friend Expression operator!(Expression a) { return apply(a, &Arithmetic::invert); }

  /// `condition ? a : b`; both are computed.
  friend Expression select(Expression condition, Expression a, Expression b) {
    Value like = a.known ? a.known : b.known ? b.known : condition.like;
    Arithmetic &arithmetic = *condition.arithmetic;
    return {arithmetic, arithmetic.select(condition.known, a.typed(arithmetic, like),
                                          b.typed(arithmetic, like))};
  }

  /// Not a number if either is none.
  friend Expression max(Expression a, Expression b) { return join(a, b, &Arithmetic::max); }
  friend Expression min(Expression a, Expression b) { return join(a, b, &Arithmetic::min); }
  /// With the sign of a.
  friend Expression remainder(Expression a, Expression b) {
    return join(a, b, &Arithmetic::remainder);
  }
  friend Expression abs(Expression x) { return apply(x, &Arithmetic::abs); }
  friend Expression sign(Expression x) { return apply(x, &Arithmetic::sign); }
  friend Expression floor(Expression x) { return apply(x, &Arithmetic::floor); }
  friend Expression ceil(Expression x) { return apply(x, &Arithmetic::ceil); }
  friend Expression round(Expression x) { return apply(x, &Arithmetic::round); }
  friend Expression sqrt(Expression x) { return apply(x, &Arithmetic::sqrt); }
  friend Expression exp(Expression x) { return apply(x, &Arithmetic::exp); }
  friend Expression log(Expression x) { return apply(x, &Arithmetic::log); }
  friend Expression erf(Expression x) { return apply(x, &Arithmetic::erf); }
  friend Expression sin(Expression x) { return apply(x, &Arithmetic::sin); }
  friend Expression cos(Expression x) { return apply(x, &Arithmetic::cos); }
  friend Expression tan(Expression x) { return apply(x, &Arithmetic::tan); }
  friend Expression atan(Expression x) { return apply(x, &Arithmetic::atan); }
  friend Expression asin(Expression x) { return apply(x, &Arithmetic::asin); }
  friend Expression acos(Expression x) { return apply(x, &Arithmetic::acos); }
  friend Expression sinh(Expression x) { return apply(x, &Arithmetic::sinh); }
  friend Expression cosh(Expression x) { return apply(x, &Arithmetic::cosh); }
  friend Expression asinh(Expression x) { return apply(x, &Arithmetic::asinh); }
  friend Expression acosh(Expression x) { return apply(x, &Arithmetic::acosh); }
  friend Expression atanh(Expression x) { return apply(x, &Arithmetic::atanh); }
  friend Expression tanh(Expression x) { return apply(x, &Arithmetic::tanh); }
  friend Expression sigmoid(Expression x) { return apply(x, &Arithmetic::sigmoid); }

  // For optimizers.

  /// An integer in the type of the formula.
  friend Expression real(Expression x) { return apply(x, &Arithmetic::real); }
  /// The integer after it.
  friend Expression next(Expression x) { return apply(x, &Arithmetic::next); }
  /// `x + factor * y`, and x alone where the factor is 0.
  friend Expression decayed(Expression x, double factor, Expression y) {
    return factor == 0 ? x : x + factor * y;
  }
  /// 1 - base^step, and 1 where the step is not positive.
  friend Expression correction(double base, Expression step) {
    return {*step.arithmetic, step.arithmetic->correction(base, step.value())};
  }
  /// The momentum of NAdam in the step, base * (1 - 0.96^(step * decay) / 2).
  friend Expression momentumOf(double base, double decay, Expression step) {
    return {*step.arithmetic, step.arithmetic->momentumOf(base, decay, step.value())};
  }
  /// The product of all those momenta up to the step.
  friend Expression momentaUpTo(double base, double decay, Expression step) {
    return {*step.arithmetic, step.arithmetic->momentaUpTo(base, decay, step.value())};
  }

  /// With the sign of b.
  friend Expression modulo(Expression a, Expression b) {
    Expression rest = remainder(a, b);
    Expression differs = (rest < 0) ^ (b < 0);
    return select((rest == 0) | !differs, rest, rest + b);
  }

  /// ln(1 + x), to the last digits for any finite x: what rounding 1 + x takes from x is made up
  /// for by the quotient (Kahan).
  friend Expression log1p(Expression x) {
    Expression sum = 1 + x;
    return select(sum == 1, x, log(sum) * (x / (sum - 1)));
  }

  /// e^x - 1, to the last digits for any x up to 1, likewise.
  friend Expression expm1(Expression x) {
    Expression power = exp(x), less = power - 1;
    return select(power == 1, x, select(less == -1, -1, less * (x / log(power))));
  }

  /// sqrt(1 + x * x), where x * x may be more than there is.
  friend Expression rootOfOneAndSquare(Expression x) {
    Expression size = abs(x), isSmall = size < 1, scale = select(isSmall, 1, size);
    Expression part = select(isSmall, size, 1 / scale);
    return scale * sqrt(1 + part * part);
  }

  friend Expression geluByErf(Expression x) {
    return 0.5 * x * (1 + erf(x * llvm::numbers::sqrt2 / 2));
  }
  friend Expression slopeOfGeluByErf(Expression x) {
    Expression below = 0.5 * (1 + erf(x * (llvm::numbers::sqrt2 / 2)));
    return below + x * exp(-0.5 * x * x) * (llvm::numbers::inv_sqrtpi / llvm::numbers::sqrt2);
  }
  friend Expression geluByTanh(Expression x) { return 0.5 * x * (1 + tanhOfGelu(x)); }
  friend Expression slopeOfGeluByTanh(Expression x) {
    Expression t = tanhOfGelu(x);
    Expression inner = kRootOfTwoByPi * (1 + 3 * 0.044715 * x * x);
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
  }

private:
  using Unary = Value (Arithmetic::*)(Value);
  using Binary = Value (Arithmetic::*)(Value, Value);

  static constexpr double kRootOfTwoByPi = 0.79788456080286535588;

  static Expression tanhOfGelu(Expression x) {
    return tanh(kRootOfTwoByPi * (x + 0.044715 * x * x * x));
  }

  Value typed(Arithmetic &with, Value other) const {
    return known ? known : with.constant(number, other);
  }

  static Expression apply(Expression x, Unary operation) {
    return {*x.arithmetic, (x.arithmetic->*operation)(x.value())};
  }

  static Expression join(Expression a, Expression b, Binary operation) {
    Arithmetic &with = a.arithmetic ? *a.arithmetic : *b.arithmetic;
    Value left = a.typed(with, b.known);
    return {with, (with.*operation)(left, b.typed(with, a.known))};
  }

  /// A truth about a and b. Numbers that it chooses between have their type.
  static Expression ask(Expression a, Expression b, Binary operation) {
    Expression truth = join(a, b, operation);
    truth.like = a.arithmetic ? a.like : b.like;
    return truth;
  }

  Arithmetic *arithmetic = nullptr;
  Value known = {}; ///< none: `number`
  Value like = {};  ///< whose type the numbers have that are chosen by this truth
  double number = 0;
};

} // namespace tutti

#endif // TUTTI_DIALECTS_INTERFACES_EXPRESSION_H
