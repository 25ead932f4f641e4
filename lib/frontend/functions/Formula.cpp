// A parser by recursive descent; formulas are short, and ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/functions/Formula.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::frontend;
using proto::AttributeProto;

/// The operator set whose forms bodies are written in.
static constexpr int64_t opsetOfBodies = 23;

static const AttributeProto *findAttribute(const std::vector<AttributeProto> &list,
                                           StringRef name) {
  auto found = llvm::find_if(list, [&](const AttributeProto &a) { return a.name() == name; });
  return found == list.end() ? nullptr : &*found;
}

static const AttributeProto *findAttribute(const proto::NodeProto &node, StringRef name) {
  auto found =
      llvm::find_if(node.attribute(), [&](const AttributeProto &a) { return a.name() == name; });
  return found == node.attribute().end() ? nullptr : &*found;
}

static bool haveSameValue(const AttributeProto &a, const AttributeProto &b) {
  return a.type() == b.type() && a.i() == b.i() && a.f() == b.f() && a.s() == b.s();
}

using Names = google::protobuf::RepeatedPtrField<std::string>;

static bool endsWithList(const Names &names) {
  return !names.empty() && StringRef(names.Get(names.size() - 1)).ends_with("...");
}

static bool areAtMost(int count, const Names &names) {
  return count <= names.size() || endsWithList(names);
}

bool Formula::isFor(const proto::NodeProto &node, int64_t opset) const {
  if (opset < oldestOpset || !areAtMost(node.input_size(), body.input()) ||
      !areAtMost(node.output_size(), body.output()))
    return false;
  for (auto [index, isRequired] : llvm::enumerate(requiresInput))
    if (int place = static_cast<int>(index);
        isRequired && (place >= node.input_size() || node.input(place).empty()))
      return false;
  for (const AttributeProto &given : node.attribute())
    if (!handsAllOn && !findAttribute(defaults, given.name()) &&
        !llvm::is_contained(withoutDefault, given.name()))
      return false;
  for (const std::string &name : withoutDefault)
    if (!findAttribute(node, name))
      return false;
  return llvm::all_of(conditions, [&](const AttributeProto &condition) {
    const AttributeProto *value = findAttribute(node, condition.name());
    value = value ? value : findAttribute(defaults, condition.name());
    return value && haveSameValue(*value, condition);
  });
}

/// Each `list` among `names` becomes `count` names with numbers after them.
static void expandList(Names &names, StringRef list, int count) {
  Names expanded;
  for (const std::string &name : names) {
    if (name != list) {
      *expanded.Add() = name;
      continue;
    }
    for (int index = 0; index < count; ++index)
      *expanded.Add() = name + std::to_string(index);
  }
  names.Swap(&expanded);
}

/// In the head and wherever the body has it.
static void expandListOf(proto::FunctionProto &function, const Names &head, int count) {
  if (!endsWithList(head))
    return;
  std::string list = head.Get(head.size() - 1);
  count = std::max(0, count - (head.size() - 1));
  expandList(*function.mutable_input(), list, count);
  expandList(*function.mutable_output(), list, count);
  for (proto::NodeProto &node : *function.mutable_node()) {
    expandList(*node.mutable_input(), list, count);
    expandList(*node.mutable_output(), list, count);
  }
}

proto::FunctionProto Formula::bodyFor(const proto::NodeProto &node) const {
  proto::FunctionProto function = body;
  expandListOf(function, body.input(), node.input_size());
  expandListOf(function, body.output(), node.output_size());
  return function;
}

namespace {

class FormulaReader {
public:
  explicit FormulaReader(StringRef text) : text(text), rest(text) {}

  llvm::Expected<Formula> read() {
    readHead();
    readConditions();
    expect("{");
    while (problem.empty() && !take("}"))
      readStatement();
    if (problem.empty() && !peek().empty())
      fail("the end of the text");
    if (!problem.empty())
      return llvm::createStringError(problem);
    auto *opset = formula.body.add_opset_import();
    opset->set_domain("");
    opset->set_version(opsetOfBodies);
    return std::move(formula);
  }

private:
  // Characters and words.

  StringRef peek() { return rest = rest.ltrim(); }

  bool take(StringRef what) {
    if (!peek().starts_with(what))
      return false;
    rest = rest.drop_front(what.size());
    return true;
  }

  void expect(StringRef what) {
    if (!take(what))
      fail(("'" + what + "'").str());
  }

  void fail(const std::string &expected) {
    if (problem.empty())
      problem = "expected " + expected + " at character " +
                std::to_string(text.size() - rest.size()) + " of: " + text.str();
    rest = "";
  }

  std::string readName() {
    StringRef name =
        peek().take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    if (name.empty() || llvm::isDigit(name.front()))
      return fail("a name"), "";
    rest = rest.drop_front(name.size());
    return name.str();
  }

  bool isAtNumber() {
    peek();
    return !rest.empty() && (llvm::isDigit(rest.front()) ||
                             (rest.front() == '-' && rest.size() > 1 && llvm::isDigit(rest[1])));
  }

  /// A number as it is written, or empty.
  StringRef readNumber() {
    if (!isAtNumber())
      return fail("a number"), "";
    size_t end = 1;
    while (end < rest.size() && (llvm::isAlnum(rest[end]) || rest[end] == '.' ||
                                 (rest[end] == '-' && rest[end - 1] == 'e')))
      ++end;
    StringRef number = rest.take_front(end);
    rest = rest.drop_front(end);
    return number;
  }

  static bool isFloat(StringRef number) { return number.find_first_of(".e") != StringRef::npos; }

  double toDouble(StringRef number) {
    double value = 0;
    if (number.getAsDouble(value))
      fail("a number");
    return value;
  }

  int64_t toInteger(StringRef number) {
    int64_t value = 0;
    if (number.getAsInteger(10, value))
      fail("an integer");
    return value;
  }

  std::vector<int64_t> readIntegers() {
    std::vector<int64_t> values;
    while (problem.empty() && !take("]")) {
      values.push_back(toInteger(readNumber()));
      take(",");
    }
    return values;
  }

  // The head.

  void readHead() {
    std::string name = readName();
    auto [domain, op] = StringRef(name).rsplit('.');
    formula.domain = op.empty() ? "" : domain.str();
    formula.op = op.empty() ? name : op.str();
    formula.body.set_name(formula.op);
    formula.body.set_domain(formula.domain);
    if (take("<"))
      readDefaults();
    expect("(");
    for (bool isFirst = true; problem.empty() && !take(")"); isFirst = false) {
      if (!isFirst)
        expect(",");
      *formula.body.add_input() = readName();
      formula.requiresInput.push_back(!take("?"));
    }
    expect("->");
    expect("(");
    for (bool isFirst = true; problem.empty() && !take(")"); isFirst = false) {
      if (!isFirst)
        expect(",");
      *formula.body.add_output() = readName();
    }
  }

  void readDefaults() {
    while (problem.empty() && !take(">")) {
      if (take("*")) {
        formula.handsAllOn = true;
        continue;
      }
      std::string name = readName();
      *formula.body.add_attribute() = name;
      if (take("="))
        formula.defaults.push_back(readValue(name));
      else
        formula.withoutDefault.push_back(name);
      take(",");
    }
  }

  /// A number, a string or a list of numbers as the value of attribute `name`.
  AttributeProto readValue(StringRef name) {
    AttributeProto attribute;
    attribute.set_name(name.str());
    if (take("\"")) {
      attribute.set_type(AttributeProto::STRING);
      StringRef string = rest.take_until([](char c) { return c == '"'; });
      attribute.set_s(string.str());
      rest = rest.drop_front(string.size());
      expect("\"");
      return attribute;
    }
    if (take("[")) {
      StringRef list = rest;
      if (!rest.ltrim().starts_with("]") && isFloat(readNumber())) {
        rest = list;
        attribute.set_type(AttributeProto::FLOATS);
        do
          attribute.add_floats(static_cast<float>(toDouble(readNumber())));
        while (take(","));
        expect("]");
        return attribute;
      }
      rest = list;
      attribute.set_type(AttributeProto::INTS);
      for (int64_t value : readIntegers())
        attribute.add_ints(value);
      return attribute;
    }
    StringRef number = readNumber();
    attribute.set_type(isFloat(number) ? AttributeProto::FLOAT : AttributeProto::INT);
    if (isFloat(number))
      attribute.set_f(static_cast<float>(toDouble(number)));
    else
      attribute.set_i(toInteger(number));
    return attribute;
  }

  void readConditions() {
    if (!take("when"))
      return;
    do {
      std::string name = readName();
      if (name == "opset") {
        expect(">=");
        formula.oldestOpset = toInteger(readNumber());
        continue;
      }
      expect("=");
      formula.conditions.push_back(readValue(name));
    } while (take(","));
  }

  // The body: every formula becomes nodes, and the name of the tensor that the last one makes.

  proto::NodeProto &addNode(StringRef op, ArrayRef<std::string> inputs) {
    proto::NodeProto &node = *formula.body.add_node();
    auto [domain, name] = op.rsplit('.');
    node.set_op_type(name.empty() ? op.str() : name.str());
    node.set_domain(name.empty() ? "" : domain.str());
    for (const std::string &input : inputs)
      node.add_input(input);
    return node;
  }

  std::string nameOutput(proto::NodeProto &node) {
    std::string name = "_" + std::to_string(++temporaries);
    node.add_output(name);
    return name;
  }

  /// A statement gives its names to the outputs of the node that it ends with.
  void readStatement() {
    std::vector<std::string> names = {readName()};
    while (take(","))
      names.push_back(readName());
    expect("=");
    std::string value = readSum();
    if (!problem.empty())
      return;
    proto::NodeProto *last = formula.body.node_size() == 0
                                 ? nullptr
                                 : formula.body.mutable_node(formula.body.node_size() - 1);
    bool isTemporary = StringRef(value).starts_with("_");
    if (!last || !isTemporary || last->output(0) != value)
      last = &addNode("Identity", {value});
    last->clear_output();
    for (const std::string &name : names)
      last->add_output(name);
  }

  std::string readSum() {
    std::string left = readProduct();
    while (problem.empty()) {
      StringRef op = take("+") ? "Add" : take("-") ? "Sub" : "";
      if (op.empty())
        break;
      std::string right = readProduct();
      left = nameOutput(addNode(op, {left, right}));
    }
    return left;
  }

  std::string readProduct() {
    std::string left = readFactor();
    while (problem.empty()) {
      StringRef op = take("*") ? "Mul" : take("/") ? "Div" : "";
      if (op.empty())
        break;
      std::string right = readFactor();
      left = nameOutput(addNode(op, {left, right}));
    }
    return left;
  }

  std::string readFactor() {
    if (isAtNumber())
      return makeNumber(readNumber());
    if (take("-"))
      return nameOutput(addNode("Neg", {readFactor()}));
    if (take("(")) {
      std::string value = readSum();
      expect(")");
      return value;
    }
    if (take("["))
      return makeVector(readIntegers());
    if (take("@"))
      return makeAttribute(readName());
    return readCallOrName();
  }

  std::string readCallOrName() {
    std::string name = readName();
    bool isCall = peek().starts_with("(") || peek().starts_with("<");
    return isCall ? readCall(name) : name == "none" ? "" : name;
  }

  std::string readCall(StringRef op) {
    std::vector<AttributeProto> attributes;
    if (take("<"))
      while (problem.empty() && !take(">")) {
        attributes.push_back(readAttribute());
        take(",");
      }
    expect("(");
    std::vector<std::string> inputs;
    bool before = std::exchange(areConstantsPlain, op == "CastLike");
    while (problem.empty() && !take(")")) {
      inputs.push_back(readSum());
      take(",");
    }
    areConstantsPlain = before;
    proto::NodeProto &node = addNode(op, inputs);
    for (AttributeProto &attribute : attributes)
      *node.add_attribute() = std::move(attribute);
    return nameOutput(node);
  }

  AttributeProto readAttribute() {
    if (take("*"))
      return makeReference(allAttributes, allAttributes);
    std::string name = readName();
    expect("=");
    if (!take("@"))
      return readValue(name);
    return makeReference(name, readName());
  }

  AttributeProto makeReference(StringRef name, StringRef of) {
    AttributeProto reference;
    reference.set_name(name.str());
    reference.set_ref_attr_name(of.str());
    const AttributeProto *declared = findAttribute(formula.defaults, of);
    reference.set_type(declared ? declared->type() : AttributeProto::INT);
    return reference;
  }

  std::string makeTensor(const proto::TensorProto &tensor) {
    proto::NodeProto &node = addNode("Constant", {});
    AttributeProto &value = *node.add_attribute();
    value.set_name("value");
    value.set_type(AttributeProto::TENSOR);
    *value.mutable_t() = tensor;
    return nameOutput(node);
  }

  /// `scalar` in the element type of the first input, if the formula does not say which.
  std::string makeLikeInput(const std::string &scalar) {
    if (areConstantsPlain)
      return scalar;
    return nameOutput(addNode("CastLike", {scalar, formula.body.input(0)}));
  }

  std::string makeNumber(StringRef number) {
    proto::TensorProto tensor;
    tensor.set_data_type(isFloat(number) ? proto::TensorProto::DOUBLE : proto::TensorProto::INT64);
    if (!isFloat(number)) {
      tensor.add_int64_data(toInteger(number));
      return makeTensor(tensor);
    }
    tensor.add_double_data(toDouble(number));
    return makeLikeInput(makeTensor(tensor));
  }

  std::string makeVector(const std::vector<int64_t> &values) {
    proto::TensorProto tensor;
    tensor.set_data_type(proto::TensorProto::INT64);
    tensor.add_dims(static_cast<int64_t>(values.size()));
    for (int64_t value : values)
      tensor.add_int64_data(value);
    return makeTensor(tensor);
  }

  std::string makeAttribute(const std::string &name) {
    AttributeProto reference = makeReference("", name);
    bool areFloats = reference.type() == AttributeProto::FLOATS;
    bool isFloat = areFloats || reference.type() == AttributeProto::FLOAT;
    bool isList = areFloats || reference.type() == AttributeProto::INTS;
    std::string kind = isFloat ? "value_float" : "value_int";
    reference.set_name(isList ? kind + "s" : kind);
    proto::NodeProto &node = addNode("Constant", {});
    *node.add_attribute() = reference;
    std::string value = nameOutput(node);
    return isFloat ? makeLikeInput(value) : value;
  }

  StringRef text, rest;
  std::string problem;
  Formula formula;
  int temporaries = 0;
  bool areConstantsPlain = false; ///< they get their type from the formula
};

} // namespace

llvm::Expected<Formula> tutti::frontend::readFormula(StringRef text) {
  return FormulaReader(text).read();
}
