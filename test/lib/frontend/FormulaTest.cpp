// The text form of formulas, and the table of those that are known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/functions/FunctionTable.h"

#include "test/lib/frontend/ImportFixture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tutti::frontend;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Formula read(llvm::StringRef text) { return llvm::cantFail(readFormula(text)); }

/// "Mul(X, _1) -> _2" for each node of the body.
std::vector<std::string> bodyOf(llvm::StringRef text) {
  std::vector<std::string> nodes;
  Formula formula = read(text);
  for (const proto::NodeProto &node : formula.body.node()) {
    std::vector<std::string> inputs(node.input().begin(), node.input().end());
    std::vector<std::string> outputs(node.output().begin(), node.output().end());
    nodes.push_back(node.op_type() + "(" + llvm::join(inputs, ", ") + ") -> " +
                    llvm::join(outputs, ", "));
  }
  return nodes;
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<Formula> formula = readFormula(text);
  return formula ? "none" : llvm::toString(formula.takeError());
}

TEST(FormulaTest, OperatorsBindAsUsual) {
  EXPECT_THAT(
      bodyOf("F(X, Z) -> (Y) { Y = X - Z * -X / Z }"),
      ElementsAre("Neg(X) -> _1", "Mul(Z, _1) -> _2", "Div(_2, Z) -> _3", "Sub(X, _3) -> Y"));
  EXPECT_THAT(bodyOf("F(X) -> (Y) { Y = (X + X) * X }"),
              ElementsAre("Add(X, X) -> _1", "Mul(_1, X) -> Y"));
}

TEST(FormulaTest, ConstantsHaveTheTypeOfTheFirstInput) {
  EXPECT_THAT(bodyOf("F(X) -> (Y) { Y = X * 0.5 }"),
              ElementsAre("Constant() -> _1", "CastLike(_1, X) -> _2", "Mul(X, _2) -> Y"));
  EXPECT_THAT(bodyOf("F(X) -> (Y) { Y = CastLike(1e-5, X) }"),
              ElementsAre("Constant() -> _1", "CastLike(_1, X) -> Y"));
  EXPECT_THAT(bodyOf("F(X) -> (Y) { Y = Unsqueeze(X, [1, -1]) }"),
              ElementsAre("Constant() -> _1", "Unsqueeze(X, _1) -> Y"));
}

TEST(FormulaTest, StatementsNameTensors) {
  EXPECT_THAT(bodyOf("F(X) -> (Y, Z) { A, Z = Dropout(X)  Y = A  }"),
              ElementsAre("Dropout(X) -> A, Z", "Identity(A) -> Y"));
  EXPECT_THAT(bodyOf("F(X, b?) -> (Y) { Y = Clip(X, none, b) }"), ElementsAre("Clip(X, , b) -> Y"));
}

TEST(FormulaTest, ListsAreAsLongAsTheCallHasThem) {
  Formula formula = read("F(axis, X...) -> (Y...) { S = Sum(X...)  Y... = Split(S, axis) }");
  proto::NodeProto node;
  node.add_input("a");
  EXPECT_FALSE(formula.isFor(node, 17)) << "a list has one at least";
  node.add_input("x");
  node.add_input("z");
  node.add_output("y");
  ASSERT_TRUE(formula.isFor(node, 17));
  proto::FunctionProto body = formula.bodyFor(node);
  EXPECT_THAT(body.input(), ElementsAre("axis", "X...0", "X...1"));
  EXPECT_THAT(body.node(0).input(), ElementsAre("X...0", "X...1"));
  EXPECT_THAT(body.node(1).output(), ElementsAre("Y...0"));
}

TEST(FormulaTest, TheHeadSaysWhatItIsFor) {
  Formula formula =
      read("com.x.F<a = 2, b, s = \"u\">(X, Z?) -> (Y) when opset >= 21, s = \"u\" { Y = X }");
  EXPECT_EQ(formula.domain, "com.x");
  EXPECT_EQ(formula.op, "F");
  proto::NodeProto node;
  node.add_input("x");
  node.add_output("y");
  EXPECT_FALSE(formula.isFor(node, 21)) << "b is missing";
  proto::AttributeProto &b = *node.add_attribute();
  b.set_name("b");
  EXPECT_TRUE(formula.isFor(node, 21));
  EXPECT_FALSE(formula.isFor(node, 20));
  node.add_input("z");
  EXPECT_TRUE(formula.isFor(node, 21));
  node.set_input(0, "");
  EXPECT_FALSE(formula.isFor(node, 21)) << "X is missing";
  node.set_input(0, "x");
  proto::AttributeProto &s = *node.add_attribute();
  s.set_name("s");
  s.set_type(proto::AttributeProto::STRING);
  s.set_s("v");
  EXPECT_FALSE(formula.isFor(node, 21));
  s.set_s("u");
  EXPECT_TRUE(formula.isFor(node, 21));
  node.add_attribute()->set_name("other");
  EXPECT_FALSE(formula.isFor(node, 21)) << "an attribute that it does not have";
}

TEST(FormulaTest, ErrorsSayWhere) {
  EXPECT_THAT(errorOf("F(X -> (Y) { Y = X }"), HasSubstr("expected ',' at character 4"));
  EXPECT_THAT(errorOf("F(X) -> (Y) { Y = X * }"), HasSubstr("expected a name"));
  EXPECT_THAT(errorOf("F(X) -> (Y) { Y = X"), HasSubstr("expected a name"));
  EXPECT_THAT(errorOf("F(X) -> (Y) { Y = X } more"), HasSubstr("expected the end of the text"));
  EXPECT_THAT(errorOf("F<a = >(X) -> (Y) { Y = X }"), HasSubstr("expected a number"));
}

/// Names in a body are an input, or made before they are used; every output is made.
TEST(FunctionTableTest, EveryRowIsWhole) {
  for (llvm::StringRef text : textsOfFormulas()) {
    SCOPED_TRACE(text.str());
    ASSERT_EQ(errorOf(text), "none");
    Formula formula = read(text);
    llvm::StringSet<> known;
    known.insert(formula.body.input().begin(), formula.body.input().end());
    for (const proto::NodeProto &node : formula.body.node()) {
      for (const std::string &input : node.input())
        EXPECT_TRUE(input.empty() || known.contains(input)) << input;
      known.insert(node.output().begin(), node.output().end());
      for (const auto &attribute : node.attribute())
        EXPECT_TRUE(attribute.ref_attr_name().empty() || attribute.ref_attr_name() == "*" ||
                    llvm::is_contained(formula.body.attribute(), attribute.ref_attr_name()))
            << attribute.ref_attr_name();
    }
    for (const std::string &output : formula.body.output())
      EXPECT_TRUE(known.contains(output)) << output;
  }
}

} // namespace
