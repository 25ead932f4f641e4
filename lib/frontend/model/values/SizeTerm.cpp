// Sums and multiples of one dimension are kept as such; all else is a tree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/SizeTerm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace tutti::frontend;

/// No model computes a size of more; trees whose parts are shared could be much larger than they
/// are in memory.
static constexpr int mostLeaves = 64;

static std::optional<int64_t> combineNumbers(StringRef op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool divides = b != 0 && (b != -1 || a != std::numeric_limits<int64_t>::min());
  if (op == "Add")
    return llvm::AddOverflow(a, b, result) ? std::nullopt : std::optional(result);
  if (op == "Sub")
    return llvm::SubOverflow(a, b, result) ? std::nullopt : std::optional(result);
  if (op == "Mul")
    return llvm::MulOverflow(a, b, result) ? std::nullopt : std::optional(result);
  if (op == "Div")
    return divides ? std::optional(a / b) : std::nullopt;
  if (op == "Mod")
    return divides ? std::optional(((a % b) + b) % b) : std::nullopt;
  if (op == "Min")
    return std::min(a, b);
  return op == "Max" ? std::optional(std::max(a, b)) : std::nullopt;
}

/// A term that is 0 times a dimension is a number.
static std::optional<SizeTerm> linear(SizeOrigin dimension, std::optional<int64_t> times,
                                      std::optional<int64_t> plus) {
  if (!times || !plus)
    return std::nullopt;
  return *times == 0 ? SizeTerm::number(*plus) : SizeTerm{dimension, *times, *plus};
}

/// A sum, a difference, a multiple or a whole part of sizes of one dimension; none of anything
/// else.
static std::optional<SizeTerm> combineLinear(StringRef op, const SizeTerm &a, const SizeTerm &b) {
  if (a.made || b.made)
    return std::nullopt;
  auto both = [&](int64_t ofFirst, int64_t ofSecond) {
    return combineNumbers(op, ofFirst, ofSecond);
  };
  if (a.isNumber() && b.isNumber())
    return linear({}, 0, both(a.plus, b.plus));
  if (op == "Mul" && (a.isNumber() || b.isNumber())) {
    const SizeTerm &size = a.isNumber() ? b : a;
    int64_t number = a.isNumber() ? a.plus : b.plus;
    return linear(size.dimension, both(size.times, number), both(size.plus, number));
  }
  // Sizes are not negative: what is left of the number alone is left of the sum.
  bool isWhole = b.isNumber() && b.plus > 0 && a.times % b.plus == 0 && a.times > 0 && a.plus >= 0;
  if (op == "Div" && isWhole)
    return SizeTerm{a.dimension, a.times / b.plus, a.plus / b.plus};
  if (op == "Mod" && isWhole)
    return SizeTerm::number(a.plus % b.plus);
  bool isOfOne = a.isNumber() || b.isNumber() || a.dimension == b.dimension;
  if ((op != "Add" && op != "Sub") || !isOfOne)
    return std::nullopt;
  return linear(a.isNumber() ? b.dimension : a.dimension, both(a.times, b.times),
                both(a.plus, b.plus));
}

/// The whole part of sizes of one dimension.
static bool isPart(const SizeTerm &term) {
  return term.made && term.made->op == "Div" && !term.made->first.made &&
         term.made->second.isNumber() && term.made->second.plus > 0;
}

/// Whether `term`, of one dimension, is never negative.
static bool isNeverNegative(const SizeTerm &term) {
  return !term.made && term.times >= 0 && term.times + term.plus >= 0;
}

static int leavesOf(const SizeTerm &term) { return term.made ? term.made->leaves : 1; }

static std::optional<SizeTerm> combineAny(StringRef op, const SizeTerm &a, const SizeTerm &b) {
  static constexpr StringLiteral ops[] = {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max"};
  int leaves = leavesOf(a) + leavesOf(b);
  bool isZero = b.isNumber() && b.plus == 0 && (op == "Div" || op == "Mod");
  if (!llvm::is_contained(ops, op) || leaves > mostLeaves || isZero ||
      (a.isNumber() && b.isNumber()))
    return std::nullopt;
  return SizeTerm{{}, 0, 0, std::make_shared<SizeOperation>(SizeOperation{op.str(), a, b, leaves})};
}

/// A sum or a difference of a whole part and of another size of its dimension is a whole part:
/// n - (n + 1) / 2 is n / 2.
static std::optional<SizeTerm> combineWithPart(StringRef op, const SizeTerm &a, const SizeTerm &b) {
  bool isSum = op == "Add";
  if ((!isSum && op != "Sub") || isPart(a) == isPart(b) || (a.made && b.made))
    return std::nullopt;
  const SizeOperation &part = *(isPart(a) ? a : b).made;
  const SizeTerm &other = isPart(a) ? b : a;
  if (!isNeverNegative(part.first))
    return std::nullopt;
  std::optional<SizeTerm> scaled = combineLinear("Mul", other, part.second);
  std::optional<SizeTerm> sum;
  if (scaled)
    sum =
        isPart(a) ? combineLinear(op, part.first, *scaled) : combineLinear(op, *scaled, part.first);
  if (sum && !isSum && !isPart(a)) // what is taken away is rounded down
    sum = combineLinear("Add", *sum, SizeTerm::number(part.second.plus - 1));
  if (!sum || !isNeverNegative(*sum))
    return std::nullopt;
  std::optional<SizeTerm> whole = combineLinear("Div", *sum, part.second);
  return whole ? whole : combineAny("Div", *sum, part.second);
}

namespace {

/// A number, and multiples of dimensions and of what is computed otherwise than by sums.
struct SizeSum {
  int64_t plus = 0;
  SmallVector<std::pair<SizeTerm, int64_t>> parts;
  bool isKnown = true; ///< whether nothing overflowed

  void add(const SizeTerm &term, int64_t times);

private:
  void addPart(const SizeTerm &part, int64_t times);
};

} // namespace

void SizeSum::addPart(const SizeTerm &part, int64_t times) {
  auto *same = llvm::find_if(parts, [&](const auto &other) { return other.first == part; });
  if (same == parts.end()) {
    parts.push_back({part, times});
    return;
  }
  isKnown &= !llvm::AddOverflow(same->second, times, same->second);
  if (same->second == 0)
    parts.erase(same);
}

void SizeSum::add(const SizeTerm &term, int64_t times) {
  int64_t scaled = 0;
  if (!term.made) {
    isKnown &= !llvm::MulOverflow(term.plus, times, scaled);
    isKnown &= !llvm::AddOverflow(plus, scaled, plus);
    isKnown &= !llvm::MulOverflow(term.times, times, scaled);
    if (term.dimension.tensor)
      addPart(SizeTerm{term.dimension}, scaled);
    return;
  }
  const SizeOperation &made = *term.made;
  bool isMultiple = made.op == "Mul" && made.second.isNumber();
  if (made.op == "Add" || made.op == "Sub") {
    add(made.first, times);
    add(made.second, made.op == "Add" ? times : -times);
  } else if (isMultiple && !llvm::MulOverflow(made.second.plus, times, scaled)) {
    add(made.first, scaled);
  } else {
    addPart(term, times);
  }
}

/// A sum or a difference of which at most one part is left: 2 * (n / 3) - n / 3 is n / 3.
static std::optional<SizeTerm> combineSums(StringRef op, const SizeTerm &a, const SizeTerm &b) {
  if ((op != "Add" && op != "Sub") || (!a.made && !b.made))
    return std::nullopt;
  SizeSum sum;
  sum.add(a, 1);
  sum.add(b, op == "Add" ? 1 : -1);
  if (!sum.isKnown || sum.parts.size() > 1)
    return std::nullopt;
  if (sum.parts.empty())
    return SizeTerm::number(sum.plus);
  auto [part, times] = sum.parts.front();
  if (!part.made)
    return linear(part.dimension, times, sum.plus);
  if (sum.plus != 0 || times < 1)
    return std::nullopt;
  return times == 1 ? part : combineAny("Mul", part, SizeTerm::number(times));
}

bool SizeTerm::operator==(const SizeTerm &other) const {
  if (!made || !other.made)
    return !made && !other.made && dimension == other.dimension && times == other.times &&
           plus == other.plus;
  if (made == other.made)
    return true;
  if (made->op != other.made->op)
    return false;
  if (made->op == "Mul") {
    SizeProduct product, otherProduct;
    product.multiply(*this);
    otherProduct.multiply(other);
    return product == otherProduct;
  }
  bool isEitherWay =
      made->op == "Add" && made->first == other.made->second && made->second == other.made->first;
  return isEitherWay || (made->first == other.made->first && made->second == other.made->second);
}

std::optional<int64_t>
tutti::frontend::evaluateTerm(const SizeTerm &term,
                              llvm::function_ref<int64_t(SizeOrigin)> numberOf) {
  if (term.made) {
    std::optional<int64_t> first = evaluateTerm(term.made->first, numberOf);
    std::optional<int64_t> second = evaluateTerm(term.made->second, numberOf);
    return first && second ? combineNumbers(term.made->op, *first, *second) : std::nullopt;
  }
  if (term.isNumber())
    return term.plus;
  std::optional<int64_t> scaled = combineNumbers("Mul", numberOf(term.dimension), term.times);
  return scaled ? combineNumbers("Add", *scaled, term.plus) : std::nullopt;
}

/// The sum or the product of a size and a number.
static std::optional<SizeTerm> combineNumber(StringRef op, const SizeTerm &size, int64_t number) {
  if (number == (op == "Mul" ? 1 : 0))
    return size;
  SizeTerm other = SizeTerm::number(number);
  return size.made ? combineAny(op, size, other) : combineLinear(op, size, other);
}

SizeTerm tutti::frontend::canonical(const SizeTerm &term, TermOf termOf) {
  if (term.made) {
    const SizeOperation &made = *term.made;
    SizeTerm first = canonical(made.first, termOf), second = canonical(made.second, termOf);
    if (std::optional<SizeTerm> better = combineLinear(made.op, first, second))
      return *better;
    return first == made.first && second == made.second
               ? term
               : combineAny(made.op, first, second).value_or(term);
  }
  if (!term.dimension.tensor)
    return term;
  SizeTerm source = termOf(term.dimension);
  std::optional<SizeTerm> scaled = combineNumber("Mul", source, term.times);
  std::optional<SizeTerm> sum = scaled ? combineNumber("Add", *scaled, term.plus) : std::nullopt;
  return sum.value_or(term);
}

std::optional<SizeTerm> tutti::frontend::combine(StringRef op, const SizeTerm &first,
                                                 const SizeTerm &second, TermOf termOf) {
  if (std::optional<SizeTerm> result = combineLinear(op, first, second))
    return result;
  SizeTerm a = canonical(first, termOf), b = canonical(second, termOf);
  if (std::optional<SizeTerm> result = combineLinear(op, a, b))
    return result;
  if (a == b && (op == "Sub" || op == "Mod"))
    return SizeTerm::number(0);
  if (op == "Min" || op == "Max") {
    bool isFirst = isAtMost(a, b, termOf), isSecond = isAtMost(b, a, termOf);
    if (isFirst || isSecond)
      return isFirst == (op == "Min") ? first : second;
  }
  if ((b == SizeTerm::number(1) && (op == "Mul" || op == "Div")) ||
      (b == SizeTerm::number(0) && (op == "Add" || op == "Sub")))
    return a;
  if (op == "Div" && a.made && a.made->op == "Mul") { // of sizes that are not 0
    SizeProduct product, divisor;
    product.multiply(a);
    divisor.multiply(b);
    if (std::optional<SizeTerm> quotient = product.divide(divisor))
      return quotient;
  }
  if (std::optional<SizeTerm> result = combineWithPart(op, a, b))
    return result;
  if (std::optional<SizeTerm> result = combineSums(op, a, b))
    return result;
  return combineAny(op, first, second);
}

namespace {

/// (times * a dimension + plus) / over, which a size is not below, or not above.
struct Bound {
  SizeOrigin dimension;
  int64_t times = 0, plus = 0, over = 1;
};
/// A size is never below `least`, and never above `most`; none where that is not known.
struct Bounds {
  std::optional<Bound> least, most;
};

} // namespace

/// Numbers of models are small; none of what would overflow.
static std::optional<Bound> makeBound(SizeOrigin dimension, __int128 times, __int128 plus,
                                      __int128 over) {
  constexpr int64_t most = int64_t(1) << 40;
  for (__int128 number : {times, plus, over})
    if (number > most || number < -most)
      return std::nullopt;
  return Bound{times == 0 ? SizeOrigin() : dimension, int64_t(times), int64_t(plus), int64_t(over)};
}

/// a + factor * b.
static std::optional<Bound> addScaled(const std::optional<Bound> &a, int64_t factor,
                                      const std::optional<Bound> &b) {
  if (!a || !b || (a->dimension.tensor && b->dimension.tensor && a->dimension != b->dimension))
    return std::nullopt;
  __int128 other = __int128(factor) * a->over;
  return makeBound(a->dimension.tensor ? a->dimension : b->dimension,
                   __int128(a->times) * b->over + other * b->times,
                   __int128(a->plus) * b->over + other * b->plus, __int128(a->over) * b->over);
}

static bool isNeverNegative(const std::optional<Bound> &bound) {
  return bound && bound->times >= 0 && bound->times + bound->plus >= 0;
}

static Bounds boundsOf(const SizeTerm &term);

static Bounds boundsOfPart(const SizeOperation &made) {
  Bounds whole = boundsOf(made.first);
  int64_t by = made.second.plus;
  if (!isNeverNegative(whole.least))
    return {};
  Bounds bounds;
  if (const auto &least = whole.least)
    bounds.least =
        makeBound(least->dimension, least->times, least->plus - __int128(by - 1) * least->over,
                  __int128(least->over) * by);
  if (const auto &most = whole.most)
    bounds.most = makeBound(most->dimension, most->times, most->plus, __int128(most->over) * by);
  return bounds;
}

static Bounds boundsOf(const SizeTerm &term) {
  if (!term.made) {
    Bound exact{term.dimension, term.dimension.tensor ? term.times : 0, term.plus};
    return {exact, exact};
  }
  const SizeOperation &made = *term.made;
  if (made.op == "Div" && made.second.isNumber() && made.second.plus > 0)
    return boundsOfPart(made);
  bool isMultiple = made.op == "Mul" && made.second.isNumber() && made.second.plus >= 0;
  if (!isMultiple && made.op != "Add" && made.op != "Sub")
    return {};
  Bounds first = boundsOf(made.first);
  if (isMultiple)
    return {addScaled(Bound{}, made.second.plus, first.least),
            addScaled(Bound{}, made.second.plus, first.most)};
  Bounds second = boundsOf(made.second);
  if (made.op == "Add")
    return {addScaled(first.least, 1, second.least), addScaled(first.most, 1, second.most)};
  return {addScaled(first.least, -1, second.most), addScaled(first.most, -1, second.least)};
}

/// Whether it is made of what is not negative, and nothing is taken away.
static bool isNatural(const SizeTerm &term) {
  if (!term.made)
    return isNeverNegative(term);
  const SizeOperation &made = *term.made;
  return made.op != "Sub" && isNatural(made.first) && isNatural(made.second);
}

bool tutti::frontend::isAtMost(const SizeTerm &first, const SizeTerm &second, TermOf termOf) {
  SizeTerm a = canonical(first, termOf), b = canonical(second, termOf);
  if (a.isNumber() && a.plus <= 0 && isNatural(b))
    return true;
  std::optional<SizeTerm> rest = combineSums("Sub", b, a);
  return a == b || (rest && isNatural(*rest)) ||
         isNeverNegative(addScaled(boundsOf(b).least, -1, boundsOf(a).most));
}

void SizeProduct::multiply(const SizeTerm &term) {
  if (term.made && term.made->op == "Mul") {
    multiply(term.made->first);
    return multiply(term.made->second);
  }
  bool isMultiple = !term.made && term.plus == 0 && term.dimension.tensor;
  int64_t factor = term.isNumber() ? term.plus : isMultiple ? term.times : 1;
  isKnown &= !llvm::MulOverflow(number, factor, number);
  if (!term.isNumber())
    factors.push_back(isMultiple ? SizeTerm{term.dimension} : term);
}

std::optional<SmallVector<SizeTerm>> SizeProduct::without(ArrayRef<SizeTerm> others) const {
  SmallVector<SizeTerm> rest(factors);
  for (const SizeTerm &factor : others) {
    auto *found = llvm::find(rest, factor);
    if (found == rest.end())
      return std::nullopt;
    rest.erase(found);
  }
  return rest;
}

bool SizeProduct::operator==(const SizeProduct &other) const {
  std::optional<SmallVector<SizeTerm>> rest = without(other.factors);
  return isKnown && other.isKnown && number == other.number && rest && rest->empty();
}

std::optional<SizeTerm> SizeProduct::divide(const SizeProduct &other) const {
  if (!isKnown || !other.isKnown || other.number == 0 || number % other.number != 0)
    return std::nullopt;
  std::optional<SmallVector<SizeTerm>> rest = without(other.factors);
  if (!rest)
    return std::nullopt;
  SizeTerm quotient = SizeTerm::number(number / other.number);
  auto same = [](SizeOrigin origin) { return SizeTerm{origin}; };
  for (const SizeTerm &factor : *rest) {
    std::optional<SizeTerm> next = combine("Mul", quotient, factor, same);
    if (!next)
      return std::nullopt;
    quotient = *next;
  }
  return quotient;
}
