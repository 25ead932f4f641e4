// An import that goes on after what it cannot import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "test/lib/frontend/ImportFixture.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tutti::frontend;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct SurveyTest : ImportFixture {
  int count(ModuleOp module, StringRef op) {
    int number = 0;
    module.walk([&](Operation *each) { number += each->getName().getStringRef() == op; });
    return number;
  }

  Survey survey;
};

const char *const twoBroken = R"(g (float[N,4] x) => (float[N,4] y) {
  a = Relu<slope = 2>(x)
  b = Neg(a)
  c = Sigmoid<hard = 1>(b)
  y = Neg(c)
})";

TEST_F(SurveyTest, WithoutASurveyTheFirstErrorIsTheOnlyOne) {
  EXPECT_FALSE(import(parseGraph(twoBroken)));
  EXPECT_THAT(places, ElementsAre("a"));
}

TEST_F(SurveyTest, ASurveySaysThemAll) {
  OwningOpRef<ModuleOp> module = import(parseGraph(twoBroken), &survey);
  ASSERT_TRUE(module);
  EXPECT_THAT(places, ElementsAre("a", "c"));
  EXPECT_EQ(survey.skippedNodes, 0) << "libonnx infers the types after them";
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(count(*module, "onnx.Neg"), 2) << "the nodes between are imported";
  EXPECT_EQ(count(*module, "onnx.custom"), 2);
  module->walk([](tutti::onnx::CustomOp op) { EXPECT_TRUE(op->hasAttr(kStandIn)); });
}

TEST_F(SurveyTest, AGoodModelIsWhatItIsWithoutOne) {
  proto::ModelProto model =
      parseGraph("g (float[N,4] x) => (float[N,4] y) { a = Relu(x) y = Neg(a) }");
  std::string plain = importText(model);
  OwningOpRef<ModuleOp> surveyed = import(model, &survey);
  std::string text;
  llvm::raw_string_ostream stream(text);
  surveyed->lookupSymbol<func::FuncOp>("forward").print(stream);
  EXPECT_EQ(text, plain);
}

TEST_F(SurveyTest, WhatHasNoTypeIsSkippedWithAllThatNeedsIt) {
  proto::ModelProto model = parse(R"(<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
g (float[N,4] x) => (float[N,4] y) {
  a = com.acme.Swirl(x)
  b = Relu(a)
  c = Neg(b)
  y = Neg(x)
})");
  // Nothing says the type of `a`; the others hang on it, but no output does.
  model.mutable_graph()->add_output()->set_name("c");
  OwningOpRef<ModuleOp> module = import(model, &survey);
  ASSERT_TRUE(module);
  EXPECT_THAT(firstError(), HasSubstr("operator 'Swirl' of domain 'com.acme' is not supported"));
  EXPECT_EQ(survey.skippedNodes, 2);
  EXPECT_EQ(errors.size(), 1U) << "nodes that are skipped are no errors";
}

const char *const swirl = R"(<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
g (float[N,4] x) => (float[N,4] y) {
  a = com.acme.Swirl(x)
  y = Neg(x)
})";

TEST_F(SurveyTest, AnUnknownOperatorIsTheObstacleAndNotItsShape) {
  proto::ModelProto model = parse(swirl);
  proto::ValueInfoProto &a = *model.mutable_graph()->add_output();
  a.set_name("a");
  a.mutable_type()->mutable_tensor_type()->set_elem_type(proto::TensorProto::FLOAT);
  import(model, &survey);
  EXPECT_THAT(firstError(), HasSubstr("operator 'Swirl' of domain 'com.acme' is not supported"));
}

TEST_F(SurveyTest, AnUnknownOperatorCannotLeaveAnOutputOut) {
  proto::ModelProto model = parse(swirl);
  proto::NodeProto &node = *model.mutable_graph()->mutable_node(0);
  *node.add_output() = node.output(0);
  node.set_output(0, "");
  model.mutable_graph()->add_output()->set_name("a");
  EXPECT_FALSE(import(model));
  EXPECT_THAT(firstError(), HasSubstr("operator 'Swirl' of domain 'com.acme' is not supported"));
  errors.clear();
  import(model, &survey);
  EXPECT_THAT(firstError(), HasSubstr("operator 'Swirl' of domain 'com.acme' is not supported"));
}

TEST_F(SurveyTest, MissingWeightsAreZeros) {
  proto::ModelProto model = parseGraph("g (float[N,4] x) => (float[N,2] y) { y = MatMul(x, w) }");
  proto::TensorProto &w = *model.mutable_graph()->add_initializer();
  w.set_name("w");
  w.set_data_type(proto::TensorProto::FLOAT);
  w.add_dims(4);
  w.add_dims(2);
  w.set_data_location(proto::TensorProto::EXTERNAL);
  auto &entry = *w.add_external_data();
  entry.set_key("location");
  entry.set_value("ghost.bin");
  OwningOpRef<ModuleOp> module = import(model, &survey);
  ASSERT_TRUE(module);
  EXPECT_THAT(places, ElementsAre("w"));
  EXPECT_THAT(firstError(), HasSubstr("external data of tensor 'w'"));
  EXPECT_EQ(count(*module, "onnx.MatMul"), 1);
}

TEST_F(SurveyTest, AnInputWithoutATypeIsNoEnd) {
  proto::ModelProto model =
      parseGraph("g (float[N,4] x, string[N] s) => (float[N,4] y) { y = Relu(x) t = Identity(s) }");
  EXPECT_TRUE(import(model, &survey));
  EXPECT_THAT(firstError(), HasSubstr("input 's' has elements of unsupported type STRING"));
}

TEST_F(SurveyTest, WhatIsNoGraphIsStillNoProgram) {
  proto::ModelProto model = parseGraph("g (float[N] x) => (float[N] y) { y = Add(x, ghost) }");
  EXPECT_FALSE(import(model, &survey));
  EXPECT_EQ(errors.size(), 1U);
}

} // namespace
