// Looks at names, values and uses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/training/LikelyBuffers.h"

#include "lib/frontend/model/values/FoldedCopies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <set>

using namespace mlir;
using namespace tutti::frontend;

/// Larger tensors are not looked into.
static constexpr size_t mostElements = size_t(3) << 20;

/// Operators that take floats element by element.
static bool isElementwise(StringRef op) {
  static constexpr StringRef operators[] = {
      "Add", "Sub",   "Mul",   "Div",  "Pow",     "Min",         "Max",
      "Sum", "Where", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"};
  return llvm::is_contained(operators, op);
}

/// Operators that move elements, or convert them: what uses their results uses their inputs.
static bool isMove(StringRef op) {
  static constexpr StringRef operators[] = {"Slice",   "Cast",      "Expand",   "Tile",
                                            "Squeeze", "Unsqueeze", "Reshape",  "Concat",
                                            "Split",   "Transpose", "Identity", "Flatten"};
  return llvm::is_contained(operators, op);
}

bool tutti::frontend::isFoldedPart(StringRef name) {
  return name.consume_front("onnx::") &&
         (isElementwise(name.rsplit('_').first) || isMove(name.rsplit('_').first));
}

/// As the layers of PyTorch, and those who write some, call what they train.
static bool isNameOfParameter(StringRef name) {
  if (isFolded(name))
    return !isFoldedPart(name);
  StringRef last = name.contains('.') ? name.rsplit('.').second : name;
  static constexpr StringRef words[] = {"weight", "bias", "kernel", "embedding"};
  static constexpr StringRef letters[] = {"w",    "b",     "g",    "gamma",
                                          "beta", "alpha", "gain", "lambda"};
  return llvm::is_contained(letters, last) || llvm::any_of(words, [&](StringRef word) {
           return last.starts_with_insensitive(word) || last.ends_with_insensitive(word);
         });
}

namespace {

/// The elements of a tensor, and how they follow each other along its last dimension.
class Values {
public:
  Values(std::vector<double> all, size_t columns) : all(std::move(all)), columns(columns) {}

  /// What they are, if they are as one calculates them and as nobody draws them; else empty.
  std::string describe() const;

private:
  bool areMaskedOut() const {
    return llvm::any_of(all, [](double x) { return std::isinf(x) || x <= -1e4; });
  }
  bool areCircles() const;
  bool areRepeated() const;
  bool areMirrored() const;
  bool areWhole() const;
  bool areSequence(bool isGeometric) const;

  std::vector<double> all;
  size_t columns;
};

} // namespace

/// Whether neighbours in a row, or elements half a row apart, are the sine and cosine of one angle.
bool Values::areCircles() const {
  if (columns < 4 || columns % 2)
    return false;
  auto isCircle = [](double x, double y) { return std::abs(x * x + y * y - 1) < 1e-3; };
  bool beside = true, apart = true;
  for (size_t row = 0; row < all.size() && (beside || apart); row += columns)
    for (size_t i = 0; i < columns / 2; ++i) {
      beside &= isCircle(all[row + 2 * i], all[row + 2 * i + 1]);
      apart &= isCircle(all[row + i], all[row + columns / 2 + i]);
    }
  return beside || apart;
}

/// Whether rows are two equal halves, as those that rotate pairs half a row apart.
bool Values::areRepeated() const {
  if (columns < 8 || columns % 2)
    return false;
  for (size_t row = 0; row < all.size(); row += columns)
    if (!std::equal(all.begin() + row, all.begin() + row + columns / 2,
                    all.begin() + row + columns / 2))
      return false;
  return true;
}

/// Whether all rows read the same backwards, or negated: filters that smooth or take differences.
bool Values::areMirrored() const {
  if (columns < 3)
    return false;
  bool same = true, negated = true;
  for (size_t row = 0; row < all.size() && (same || negated); row += columns)
    for (size_t i = 0; i < columns / 2; ++i) {
      same &= all[row + i] == all[row + columns - 1 - i];
      negated &= all[row + i] == -all[row + columns - 1 - i];
    }
  return same || negated;
}

bool Values::areWhole() const {
  constexpr size_t fewest = 4;
  return all.size() >= fewest && llvm::all_of(all, [](double x) { return std::rint(x) == x; });
}

bool Values::areSequence(bool isGeometric) const {
  constexpr size_t fewest = 4;
  if (columns < fewest || columns != all.size())
    return false;
  auto term = [&](size_t i) { return isGeometric ? std::log(std::abs(all[i])) : all[i]; };
  if (isGeometric && llvm::any_of(all, [&](double x) { return x * all[0] <= 0; }))
    return false;
  double step = (term(columns - 1) - term(0)) / double(columns - 1);
  double largest = std::max(std::abs(term(0)), std::abs(term(columns - 1)));
  for (size_t i = 1; i < columns; ++i)
    if (std::abs(term(i) - term(i - 1) - step) > 1e-5 * largest)
      return false;
  return step != 0;
}

static std::string spell(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

std::string Values::describe() const {
  constexpr size_t fewest = 8; // of fewer elements some may be equal by chance
  if (all.empty())
    return "";
  if (areMaskedOut())
    return "values that mask others out";
  std::set<double> distinct;
  for (size_t i = 0; i < all.size() && distinct.size() <= all.size() / 4 + 1; ++i)
    distinct.insert(all[i]);
  if (distinct.size() == 1)
    return std::abs(all[0]) > 1 ? spell(all[0]) + " in all its elements" : "";
  if (all.size() >= fewest && distinct.size() <= all.size() / 4)
    return std::to_string(distinct.size()) + " values in " + std::to_string(all.size()) +
           " elements";
  if (areCircles())
    return "sines and cosines";
  if (areSequence(/*isGeometric=*/false))
    return "numbers in equal steps";
  if (areSequence(/*isGeometric=*/true))
    return "numbers in equal ratios";
  if (areRepeated())
    return "rows of two equal halves";
  if (areWhole())
    return "whole numbers";
  if (areMirrored())
    return "rows that are the same backwards";
  return "";
}

template <typename Number> static std::vector<double> widen(StringRef bytes) {
  std::vector<double> all(bytes.size() / sizeof(Number));
  for (size_t i = 0; i < all.size(); ++i) {
    Number one;
    std::memcpy(&one, bytes.data() + i * sizeof one, sizeof one);
    all[i] = one;
  }
  return all;
}

static std::string describeValues(const Variable &variable, StoredBytes &stored) {
  RankedTensorType type = variable.type;
  bool isRead = type.getNumElements() > 1 && size_t(type.getNumElements()) <= mostElements;
  std::optional<StringRef> bytes = isRead ? stored.find(*variable.initial) : std::nullopt;
  if (!bytes)
    return "";
  size_t columns = type.getShape().back();
  if (type.getElementType().isF32())
    return Values(widen<float>(*bytes), columns).describe();
  if (type.getElementType().isF64())
    return Values(widen<double>(*bytes), columns).describe();
  return "";
}

namespace {

/// How nodes use each tensor.
class Uses {
public:
  Uses(const NodeList &nodes, const ModelFile &file) {
    for (const proto::ValueInfoProto &input : file.model().graph().input())
      inputs.insert(input.name());
    for (const proto::TensorProto &tensor : file.model().graph().initializer())
      inputs.erase(tensor.name());
    for (const proto::NodeProto *node : nodes)
      addNormalizer(*node);
    for (const proto::NodeProto *node : llvm::reverse(nodes))
      addOthers(*node);
  }

  bool areElementwise(StringRef name) const { return !others.contains(name); }
  bool haveGradient(StringRef name) const {
    return !compared.contains(name) || calculated.contains(name);
  }
  bool areOfNormalizer(StringRef name) const { return normalizers.contains(name); }

private:
  static bool isStandard(const proto::NodeProto &node) {
    return canonicalDomain(node.domain()).empty();
  }

  /// What is normalized by one is normalized by the next.
  void addNormalizer(const proto::NodeProto &node) {
    bool isOne = isStandard(node) && (node.op_type() == "Sub" || node.op_type() == "Div");
    if (!isOne || node.input_size() != 2 || node.output_size() != 1 ||
        !inputs.contains(node.input(0)))
      return;
    normalizers.insert(node.input(1));
    inputs.insert(node.output(0));
  }

  void addOthers(const proto::NodeProto &node) {
    static constexpr StringRef comparisons[] = {"Equal", "Less", "Greater", "LessOrEqual",
                                                "GreaterOrEqual"};
    bool isComparison = isStandard(node) && llvm::is_contained(comparisons, node.op_type());
    for (StringRef name : dependenciesOf(node))
      (isComparison ? compared : calculated).insert(name);
    if (isStandard(node) && isElementwise(node.op_type()))
      return;
    bool isHarmless = isStandard(node) && isMove(node.op_type()) &&
                      llvm::none_of(node.output(), [&](const std::string &output) {
                        return others.contains(output);
                      });
    for (StringRef name : dependenciesOf(node))
      if (!isHarmless)
        others.insert(name);
  }

  llvm::StringSet<> inputs;      ///< of the graph, and what is subtracted from or divides them
  llvm::StringSet<> normalizers; ///< of inputs
  llvm::StringSet<> compared, calculated;
  llvm::StringSet<> others; ///< what is used in other ways than element by element
};

} // namespace

std::vector<LikelyBuffer> tutti::frontend::findLikelyBuffers(ArrayRef<Variable> variables,
                                                             const NodeList &nodes,
                                                             const ModelFile &file) {
  Uses uses(nodes, file);
  StoredBytes stored(file);
  std::vector<LikelyBuffer> found;
  for (const Variable &variable : variables) {
    StringRef name = variable.name();
    if (variable.kind != train::VariableClass::Trainable || isNameOfParameter(name) ||
        !uses.haveGradient(name))
      continue;
    bool isElementwise = uses.areElementwise(name);
    bool isNormalizer = isElementwise && uses.areOfNormalizer(name);
    std::string values = describeValues(variable, stored);
    bool isStriking =
        !values.empty() && (isElementwise || !StringRef(values).ends_with("all its elements"));
    if (isStriking)
      found.push_back({name, std::move(values), true});
    else if (isNormalizer)
      found.push_back({name, "an input is normalized by it", true});
    else if (isElementwise)
      found.push_back({name, "used element by element", false});
  }
  return found;
}
