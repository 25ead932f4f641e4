// Arithmetic on sizes, some of which vary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/sizes/ShapeArithmetic.h"

#include "lib/frontend/graph/sizes/FloatSizes.h"
#include "lib/frontend/graph/sizes/SizeMoves.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <functional>

using namespace mlir;
using namespace tutti::frontend;

/// The sizes of all dimensions of the node's operand; none if it has no rank.
static std::optional<Sizes> sizesOfOperand(const proto::NodeProto &node, TensorScope &scope,
                                           Location location) {
  if (scope.isComputedSizes(node.input(0))) {
    Sizes sizes = *scope.lookupTable(node.input(0), location);
    int64_t count = sizes.values.size();
    return sizes.isMatrix() ? Sizes{{count / sizes.columns, sizes.columns}}
           : sizes.isScalar ? Sizes{}
                            : Sizes{{count}};
  }
  Value value = scope.lookup(node.input(0), location);
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type)
    return std::nullopt;
  Sizes sizes;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    sizes.values.push_back(size);
    sizes.origins.push_back({value, static_cast<int64_t>(axis)});
  }
  return sizes;
}

static std::optional<Sizes> shapeOf(const proto::NodeProto &node, TensorScope &scope,
                                    Location location) {
  std::optional<Sizes> all = sizesOfOperand(node, scope, location);
  if (!all)
    return std::nullopt;
  int64_t rank = all->values.size();
  int64_t begin = clampIndex(integerAttribute(node, "start").value_or(0), rank);
  int64_t end = clampIndex(integerAttribute(node, "end").value_or(rank), rank);
  Sizes sizes;
  for (int64_t axis = begin; axis < end; ++axis)
    sizes.append(*all, axis);
  return sizes;
}

static bool isComparison(StringRef op) {
  return op == "Equal" || op == "Less" || op == "LessOrEqual" || op == "Greater" ||
         op == "GreaterOrEqual";
}

/// A size is not negative: that much is known of one that varies.
static std::optional<int64_t> compareVarying(StringRef op, int64_t a, int64_t b) {
  int64_t known = a == varies ? b : a;
  if (known == varies || known >= 0)
    return std::nullopt;
  return op == "Equal" ? 0 : op.starts_with("Less") == (b == varies) ? 1 : 0;
}

/// The result of an integer operation; none if it has none.
static std::optional<int64_t> computeOne(StringRef op, int64_t a, int64_t b) {
  if (a == varies || b == varies)
    return isComparison(op) ? compareVarying(op, a, b) : std::optional(varies);
  int64_t result = 0;
  auto of = [&](int64_t value) { return result = value, false; };
  bool divides = b != 0 && (b != -1 || a != std::numeric_limits<int64_t>::min());
  bool overflows =
      llvm::StringSwitch<std::function<bool()>>(op)
          .Case("Add", [&] { return llvm::AddOverflow(a, b, result); })
          .Case("Sub", [&] { return llvm::SubOverflow(a, b, result); })
          .Case("Mul", [&] { return llvm::MulOverflow(a, b, result); })
          .Case("Div", [&] { return !divides || of(a / b); })
          .Case("Mod", [&] { return !divides || of(((a % b) + b) % b); })
          .Case("Min", [&] { return of(std::min(a, b)); })
          .Case("Max", [&] { return of(std::max(a, b)); })
          .Cases({"Equal", "And"}, [&] { return of(op == "Equal" ? a == b : (a && b)); })
          .Case("Or", [&] { return of(a || b); })
          .Case("Less", [&] { return of(a < b); })
          .Case("LessOrEqual", [&] { return of(a <= b); })
          .Case("Greater", [&] { return of(a > b); })
          .Case("GreaterOrEqual", [&] { return of(a >= b); })
          .Default([] { return true; })();
  return overflows ? std::nullopt : std::optional(result);
}

/// The number of elements of a result whose operands are repeated to fit each other, or none.
static std::optional<size_t> broadcastSize(ArrayRef<Sizes> operands) {
  size_t size = 1;
  for (const Sizes &operand : operands) {
    if (operand.values.empty() ||
        (operand.values.size() != 1 && size != 1 && operand.values.size() != size))
      return std::nullopt;
    size = std::max(size, operand.values.size());
  }
  return size;
}

static size_t entryOf(const Sizes &sizes, size_t index) {
  return sizes.values.size() == 1 ? 0 : index;
}

static int64_t elementAt(const Sizes &sizes, size_t index) {
  return sizes.values[entryOf(sizes, index)];
}

static bool areScalars(ArrayRef<Sizes> operands) {
  return llvm::all_of(operands, [](const Sizes &operand) { return operand.isScalar; });
}

/// Sizes that are computed alike compare as their difference and 0 do.
static std::optional<int64_t> compareTerms(StringRef op, const std::optional<SizeTerm> &a,
                                           const std::optional<SizeTerm> &b, TermOf termOf) {
  std::optional<SizeTerm> difference = a && b ? combine("Sub", *a, *b, termOf) : std::nullopt;
  if (difference && difference->isNumber())
    return computeOne(op, difference->plus, 0);
  if (!difference)
    return std::nullopt;
  SizeTerm one = SizeTerm::number(1), less = SizeTerm::number(-1);
  if (isAtMost(one, *difference, termOf))
    return computeOne(op, 1, 0);
  return isAtMost(*difference, less, termOf) ? computeOne(op, -1, 0) : std::nullopt;
}

static std::optional<Sizes> compute(StringRef op, ArrayRef<Sizes> operands, IntegerType type,
                                    TermOf termOf) {
  std::optional<size_t> size = broadcastSize(operands);
  if (operands.size() != 2 || !size)
    return std::nullopt;
  Sizes result{{}, areScalars(operands), type};
  for (size_t index = 0; index < *size; ++index) {
    std::optional<SizeTerm> a = operands[0].term(entryOf(operands[0], index)),
                            b = operands[1].term(entryOf(operands[1], index));
    std::optional<int64_t> value =
        computeOne(op, elementAt(operands[0], index), elementAt(operands[1], index));
    if (!value && isComparison(op))
      value = compareTerms(op, a, b, termOf);
    if (!value)
      return std::nullopt;
    std::optional<SizeTerm> term =
        *value == varies && a && b ? combine(op, *a, *b, termOf) : std::nullopt;
    bool isKnown = term && term->isNumber() && term->plus != varies;
    result.values.push_back(isKnown ? term->plus : *value);
    result.terms.push_back(term);
  }
  return result;
}

static std::optional<Sizes> range(ArrayRef<Sizes> operands) {
  if (operands.size() != 3 || !areScalars(operands) ||
      llvm::any_of(operands, [](const Sizes &operand) { return !operand.areKnown(); }))
    return std::nullopt;
  auto at = [&](size_t index) { return operands[index].values.front(); };
  Sizes result{{}, /*isScalar=*/false, operands[0].type};
  __int128 step = at(2), end = at(1);
  if (step == 0)
    return std::nullopt;
  for (__int128 value = at(0); step > 0 ? value < end : value > end; value += step) {
    if (static_cast<int64_t>(result.values.size()) == mostComputedSizes)
      return std::nullopt;
    result.values.push_back(static_cast<int64_t>(value));
  }
  return result;
}

/// condition, x, y.
static std::optional<Sizes> choose(ArrayRef<Sizes> operands) {
  std::optional<size_t> size = broadcastSize(operands);
  if (operands.size() != 3 || !size || !operands[0].areKnown())
    return std::nullopt;
  Sizes result{{}, areScalars(operands), operands[1].type};
  for (size_t index = 0; index < *size; ++index) {
    const Sizes &chosen = operands[elementAt(operands[0], index) ? 1 : 2];
    result.append(chosen, entryOf(chosen, index));
  }
  return result;
}

static std::optional<Sizes> product(const Sizes &factors, bool toScalar, TermOf termOf) {
  Sizes result{{1}, toScalar, factors.type};
  std::optional<SizeTerm> term = result.term(0);
  for (size_t index = 0; index < factors.values.size(); ++index) {
    std::optional<int64_t> next = computeOne("Mul", result.values.front(), factors.values[index]);
    if (!next)
      return std::nullopt;
    result.values.front() = *next;
    std::optional<SizeTerm> factor = factors.term(index);
    term = term && factor ? combine("Mul", *term, *factor, termOf) : std::nullopt;
  }
  result.terms = {term};
  return result;
}

/// The number of elements of a tensor.
static std::optional<Sizes> sizeOf(const proto::NodeProto &node, TensorScope &scope, TermOf termOf,
                                   Location location) {
  std::optional<Sizes> sizes = sizesOfOperand(node, scope, location);
  return sizes ? product(*sizes, /*toScalar=*/true, termOf) : std::nullopt;
}

/// The product of all, which is what reducing a vector gives whether its axis is told or not.
static std::optional<Sizes> reduceProduct(const proto::NodeProto &node, ArrayRef<Sizes> operands,
                                          TermOf termOf) {
  if (operands[0].isScalar || integerAttribute(node, "noop_with_empty_axes").value_or(0) != 0)
    return std::nullopt;
  return product(operands[0], integerAttribute(node, "keepdims").value_or(1) == 0, termOf);
}

std::optional<int64_t> tutti::frontend::repeatedValue(const proto::NodeProto &node) {
  for (const auto &attribute : node.attribute()) {
    const proto::TensorProto &value = attribute.t();
    if (attribute.name() != "value" || value.data_type() != proto::TensorProto::INT64)
      continue;
    if (value.int64_data_size() == 1)
      return value.int64_data(0);
    if (value.raw_data().size() == sizeof(int64_t))
      return llvm::support::endian::read64le(value.raw_data().data());
  }
  return std::nullopt;
}

/// A short vector of one integer, repeated.
static std::optional<Sizes> repeat(const proto::NodeProto &node, ArrayRef<Sizes> operands) {
  std::optional<int64_t> value = repeatedValue(node);
  if (!value || *value == varies || operands[0].values.size() != 1 || operands[0].isScalar ||
      operands[0].values[0] < 0 || operands[0].values[0] > mostComputedSizes)
    return std::nullopt;
  Sizes result;
  result.values.assign(operands[0].values[0], *value);
  return result;
}

/// The operand, its values in another type.
static std::optional<Sizes> cast(const proto::NodeProto &node, const Sizes &operand,
                                 MLIRContext *context) {
  Sizes result = operand;
  switch (integerAttribute(node, "to").value_or(0)) {
  case proto::TensorProto::INT64:
    result.type = IntegerType::get(context, 64);
    return result;
  case proto::TensorProto::INT32:
    result.type = IntegerType::get(context, 32);
    return result;
  case proto::TensorProto::BOOL:
    result.type = IntegerType::get(context, 1);
    for (int64_t &value : result.values)
      value = value != 0;
    return operand.areKnown() ? std::optional(result) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// One of several operands, each of which may be absent.
static std::optional<Sizes> fold(StringRef op, ArrayRef<Sizes> operands, TermOf termOf) {
  Sizes result = operands.front();
  for (const Sizes &operand : operands.drop_front()) {
    std::optional<Sizes> next = compute(op, {result, operand}, result.type, termOf);
    if (!next)
      return std::nullopt;
    result = std::move(*next);
  }
  return result;
}

/// A size that was scaled as a float, and rounded: floor(1.5 * n).
static std::optional<Sizes> castFloats(const proto::NodeProto &node, TensorScope &scope,
                                       TermOf termOf, Location location) {
  bool isSize = node.op_type() == "Cast" &&
                integerAttribute(node, "to").value_or(0) == proto::TensorProto::INT64;
  if (!isSize)
    return std::nullopt;
  if (std::optional<FloatSizes> sizes = scope.lookupFloatSizes(node.input(0)))
    return wholeSizes(*sizes, termOf);
  std::optional<SmallVector<double>> floats = scope.lookupFloats(node.input(0), location);
  if (!floats)
    return std::nullopt;
  constexpr double most = 1LL << 53;
  auto type = cast<RankedTensorType>(scope.lookup(node.input(0), location).getType());
  Sizes result{{}, type.getRank() == 0};
  for (double number : *floats) {
    if (!(std::abs(number) <= most)) // which other casts may see otherwise
      return std::nullopt;
    result.values.push_back(static_cast<int64_t>(number));
  }
  return result;
}

bool tutti::frontend::canEvaluateSizes(StringRef op) {
  static constexpr StringLiteral ops[] = {"Shape",
                                          "Size",
                                          "Cast",
                                          "Add",
                                          "Sub",
                                          "Mul",
                                          "Div",
                                          "Mod",
                                          "Min",
                                          "Max",
                                          "Neg",
                                          "Range",
                                          "ReduceProd",
                                          "Equal",
                                          "Less",
                                          "LessOrEqual",
                                          "GreaterOrEqual",
                                          "Where",
                                          "Greater",
                                          "And",
                                          "Or",
                                          "Not",
                                          "ConstantOfShape"};
  return isSizeMove(op) || op == "Split" || llvm::is_contained(ops, op);
}

static std::optional<Sizes> evaluate(const proto::NodeProto &node, ArrayRef<Sizes> operands,
                                     TermOf termOf, MLIRContext *context) {
  StringRef op = node.op_type();
  auto boolean = IntegerType::get(context, 1);
  if (isSizeMove(op))
    return moveSizes(node, operands);
  if (llvm::any_of(operands, [](const Sizes &sizes) { return sizes.isMatrix(); }) && op != "Cast")
    return std::nullopt;
  if (op == "Cast")
    return cast(node, operands.front(), context);
  if (op == "Range")
    return range(operands);
  if (op == "Where")
    return choose(operands);
  if (op == "ConstantOfShape")
    return repeat(node, operands);
  if (op == "ReduceProd")
    return reduceProduct(node, operands, termOf);
  if (op == "Neg")
    return compute("Sub", {Sizes{{0}, true, operands[0].type}, operands[0]}, operands[0].type,
                   termOf);
  if (op == "Not")
    return compute("Equal", {Sizes{{0}, true, boolean}, operands[0]}, boolean, termOf);
  if (op == "Min" || op == "Max")
    return fold(op, operands, termOf);
  if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div" ||
      (op == "Mod" && integerAttribute(node, "fmod").value_or(0) == 0))
    return compute(op, operands, operands[0].type, termOf);
  if (isComparison(op) || op == "And" || op == "Or")
    return compute(op, operands, boolean, termOf);
  return std::nullopt;
}

/// Whether every value fits the type; only then the result is what the operator would give.
static bool fits(const Sizes &sizes) {
  unsigned width = sizes.type ? sizes.type.getWidth() : 64;
  return llvm::all_of(sizes.values, [&](int64_t value) {
    return value == varies || width == 64 ||
           (width == 1 ? value == 0 || value == 1 : llvm::isIntN(width, value));
  });
}

/// The operands of a node, if all of them are known.
static std::optional<SmallVector<Sizes>> knownOperands(const proto::NodeProto &node,
                                                       TensorScope &scope, Location location) {
  SmallVector<Sizes> operands;
  for (const std::string &input : node.input()) {
    std::optional<Sizes> known = input.empty() ? std::nullopt : scope.lookupTable(input, location);
    if (!known)
      return std::nullopt;
    operands.push_back(std::move(*known));
  }
  return operands;
}

std::optional<SmallVector<Sizes>> tutti::frontend::evaluateParts(const proto::NodeProto &node,
                                                                 TensorScope &scope,
                                                                 Location location) {
  if (!canonicalDomain(node.domain()).empty() || node.op_type() != "Split" ||
      node.input_size() == 0 || node.output_size() == 0)
    return std::nullopt;
  auto operands = knownOperands(node, scope, location);
  return operands ? splitSizes(node, *operands) : std::nullopt;
}

std::optional<Sizes> tutti::frontend::evaluateSizes(const proto::NodeProto &node,
                                                    TensorScope &scope, TermOf termOf,
                                                    Location location) {
  if (!canonicalDomain(node.domain()).empty() || node.output_size() != 1 ||
      node.input_size() == 0 || !canEvaluateSizes(node.op_type()))
    return std::nullopt;
  if (node.op_type() == "Shape")
    return shapeOf(node, scope, location);
  if (node.op_type() == "Size")
    return sizeOf(node, scope, termOf, location);
  auto operands = knownOperands(node, scope, location);
  if (!operands)
    return castFloats(node, scope, termOf, location);
  std::optional<Sizes> result = evaluate(node, *operands, termOf, location.getContext());
  return result && fits(*result) ? result : std::nullopt;
}
