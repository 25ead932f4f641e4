// Which initializers training changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/VariableClasses.h"

#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using tutti::train::VariableClass;

namespace {

struct VariableClassesTest : ImportFixture {
  /// The class of the float initializer w in a graph of `nodes`.
  std::optional<VariableClass> classOf(const std::string &nodes,
                                       int type = proto::TensorProto::FLOAT,
                                       std::vector<int64_t> shape = {4}) {
    model = parseGraph("g (float[N,4] x) => (float[N,4] y) {" + nodes + "}");
    NodeList list;
    for (const proto::NodeProto &node : model.graph().node())
      list.push_back(&node);
    proto::TensorProto w;
    w.set_name("w");
    w.set_data_type(type);
    for (int64_t size : shape)
      w.add_dims(size);
    return TensorUses(list, FunctionBodies(*open(model))).classOfParameter(w);
  }

  proto::ModelProto model;
};

TEST_F(VariableClassesTest, WhatIsComputedWithIsTrained) {
  EXPECT_EQ(classOf("y = MatMul(x, w)"), VariableClass::Trainable);
  EXPECT_EQ(classOf("y = Pow(w, x)"), VariableClass::Trainable) << "the base";
}

TEST_F(VariableClassesTest, ScalarsAreTrainedOnlyIfAsked) {
  auto classOfScalar = [&](const std::string &nodes, std::vector<int64_t> shape) {
    return classOf(nodes, proto::TensorProto::FLOAT, shape);
  };
  EXPECT_EQ(classOfScalar("y = Mul(x, w)", {}), VariableClass::Other);
  EXPECT_EQ(classOfScalar("y = Add(w, x)", {1}), VariableClass::Other);
  EXPECT_EQ(classOfScalar("a = Div(x, w)  y = Sub(a, w)", {1, 1}), VariableClass::Other);
  EXPECT_EQ(classOfScalar("y = Mul(x, w)", {1, 2}), VariableClass::Trainable);
}

TEST_F(VariableClassesTest, WeightsOfOneElementAreTrained) {
  auto classOfOne = [&](const std::string &nodes) {
    return classOf(nodes, proto::TensorProto::FLOAT, {1});
  };
  EXPECT_EQ(classOfOne("y = Gemm(x, x, w)"), VariableClass::Trainable);
  EXPECT_EQ(classOfOne("y = BatchNormalization(x, w, x, x, x)"), VariableClass::Trainable);
  EXPECT_EQ(classOfOne("a = MatMul(x, x)  y = Add(a, w)"), VariableClass::Trainable) << "a bias";
  EXPECT_EQ(classOfOne("a = MatMul(x, x)  y = Add(w, a)"), VariableClass::Trainable);
  EXPECT_EQ(classOfOne("a = MatMul(x, x)  y = Mul(a, w)"), VariableClass::Other);
  EXPECT_EQ(classOfOne("y = Mystery(x, w)"), VariableClass::Trainable) << "nobody knows";
}

TEST_F(VariableClassesTest, WhatNobodyUsesIsNot) {
  EXPECT_EQ(classOf("y = Relu(x)"), std::nullopt);
}

TEST_F(VariableClassesTest, SettingsAreConstants) {
  EXPECT_EQ(classOf("y = Pow(x, w)", proto::TensorProto::FLOAT, {}), std::nullopt);
  EXPECT_EQ(classOf("y = Dropout(x, w)"), std::nullopt);
  EXPECT_EQ(classOf("y = Clip(x, w)"), std::nullopt);
  EXPECT_EQ(classOf("y = Clip(x, x, w)"), std::nullopt);
}

TEST_F(VariableClassesTest, ExponentsOfARankAreParameters) {
  EXPECT_EQ(classOf("y = Pow(x, w)"), VariableClass::Trainable);
  EXPECT_EQ(classOf("y = Pow(x, w)", proto::TensorProto::FLOAT, {1}), VariableClass::Other)
      << "which a recipe may train";
}

TEST_F(VariableClassesTest, ASettingHereAndAParameterThereIsTrained) {
  EXPECT_EQ(classOf("a = Pow(x, w)  y = Mul(a, w)"), VariableClass::Trainable);
}

TEST_F(VariableClassesTest, RunningStatisticsAreKeptButNotTrained) {
  EXPECT_EQ(classOf("y = BatchNormalization(x, x, x, w, x)"), VariableClass::Other);
  EXPECT_EQ(classOf("y = BatchNormalization(x, x, x, x, w)"), VariableClass::Other);
  EXPECT_EQ(classOf("y = BatchNormalization(x, w, x, x, x)"), VariableClass::Trainable);
}

TEST_F(VariableClassesTest, WhatClassesCountIsKeptButNotTrained) {
  for (const char *loss : {"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss",
                           "com.microsoft.SoftmaxCrossEntropyLossInternal"}) {
    EXPECT_EQ(classOf(std::string("y = ") + loss + "(x, l, w)"), VariableClass::Other) << loss;
    EXPECT_EQ(classOf(std::string("y = ") + loss + "(w, l, x)"), VariableClass::Trainable) << loss;
  }
}

TEST_F(VariableClassesTest, IntegersAreConstants) {
  EXPECT_EQ(classOf("y = Gather(x, w)", proto::TensorProto::INT64), std::nullopt);
  EXPECT_EQ(classOf("y = Where(w, x, x)", proto::TensorProto::BOOL), std::nullopt);
}

TEST_F(VariableClassesTest, EveryFloatTypeMayBeTrained) {
  for (int type :
       {proto::TensorProto::DOUBLE, proto::TensorProto::FLOAT16, proto::TensorProto::BFLOAT16})
    EXPECT_EQ(classOf("y = Mul(x, w)", type), VariableClass::Trainable);
}

TEST_F(VariableClassesTest, WhatAFunctionDoesWithItCounts) {
  auto classIn = [&](const std::string &body) {
    model = parse(R"(<ir_version: 8, opset_import: ["" : 17, "pkg" : 1]>
g (float[N,4] x) => (float[N,4] y) { y = pkg.outer(x, w) }
<domain: "pkg", opset_import: ["" : 17, "pkg" : 1]> outer (a, b) => (c) { c = pkg.inner(a, b) }
<domain: "pkg", opset_import: ["" : 17, "pkg" : 1]> inner (a, b) => (c) {)" +
                  body + "}");
    proto::TensorProto w;
    w.set_name("w");
    w.set_data_type(proto::TensorProto::FLOAT);
    w.add_dims(4);
    std::unique_ptr<ModelFile> file = open(model);
    return TensorUses({&model.graph().node(0)}, FunctionBodies(*file)).classOfParameter(w);
  };
  EXPECT_EQ(classIn("c = Mul(a, b)"), VariableClass::Trainable);
  EXPECT_EQ(classIn("c = Pow(a, b)"), VariableClass::Trainable) << "an exponent for each column";
  EXPECT_EQ(classIn("c = Clip(a, b)"), std::nullopt) << "a bound";
  EXPECT_EQ(classIn("c = BatchNormalization(a, a, a, a, b)"), VariableClass::Other);
  EXPECT_EQ(classIn("c = Relu(a)"), std::nullopt) << "nobody uses it";
  EXPECT_EQ(classIn("c = pkg.outer(a, b)"), VariableClass::Trainable) << "refused later";
}

TEST_F(VariableClassesTest, OptimizersSayWhatTheirStatesAre) {
  model = parse(R"(<ir_version: 8, opset_import: ["" : 17, "ai.onnx.preview.training" : 1]>
g (float[4] x) => (float[4] y) {
  gw = ai.onnx.preview.training.Gradient<xs = ["w"], y = "y">(w)
  w2, v2 = ai.onnx.preview.training.Momentum<alpha = 0.9, beta = 1.0, norm_coefficient = 0.0, mode = "standard">(r, t, w, gw, v)
  y = Mul(x, w)
})");
  NodeList list;
  for (const proto::NodeProto &node : model.graph().node())
    list.push_back(&node);
  TensorUses uses(list, FunctionBodies(*open(model)));
  EXPECT_EQ(uses.classOfUpdated("w"), VariableClass::Trainable);
  EXPECT_EQ(uses.classOfUpdated("v"), VariableClass::State);
  EXPECT_EQ(uses.classOfUpdated("t"), VariableClass::Other);
  EXPECT_TRUE(uses.isLearningRate("r"));
  EXPECT_FALSE(uses.isLearningRate("w"));
}

TEST_F(VariableClassesTest, NumbersThatTheNewerExporterOfPyTorchStoresAreConstants) {
  auto import = [&](const std::string &name, const std::string &type = "float[1]") {
    model = parseGraph("g (float[N,2] x) => (float[N,2] y) <" + type + " " + name +
                       " = {2, 2}> {y = Mul(x, " + name + ")}");
    model.mutable_graph()->mutable_initializer(0)->mutable_float_data()->Truncate(
        type == "float[1]" ? 1 : 2);
    model.set_producer_name("pytorch");
    return importText(model);
  };
  using testing::HasSubstr;
  EXPECT_THAT(import("val_7"), HasSubstr("onnx.Constant dense<2"));
  EXPECT_THAT(import("val_x"), HasSubstr("#train.variable<\"val_x\", trainable>"));
  EXPECT_THAT(import("logit_scale"), HasSubstr("#train.variable<\"logit_scale\", trainable>"));
  EXPECT_THAT(import("val_7", "float[2]"), HasSubstr("#train.variable<\"val_7\", trainable>"))
      << "perhaps a weight that was folded";
}

} // namespace
