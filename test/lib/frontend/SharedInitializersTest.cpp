// What an exporter merged or folded is several weights again, or one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/SharedInitializers.h"

#include "test/lib/frontend/ImportFixture.h"

#include <cmath>

using namespace tutti::frontend;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

struct SharedInitializersTest : ImportFixture {
  /// Values that nobody takes for others, unless `seed` is the same.
  static std::vector<float> draw(size_t count, float seed) {
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(std::sin(seed * 37 + float(i) * float(i) + float(i)));
    return values;
  }

  proto::TensorProto &add(const std::string &name, std::vector<int64_t> dims,
                          const std::vector<float> &values) {
    proto::TensorProto &tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(proto::TensorProto::FLOAT);
    for (int64_t size : dims)
      tensor.add_dims(size);
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
    return tensor;
  }

  void use(const std::string &nodes) {
    errors.clear();
    file.reset();
    model = parseGraph("g (float[N,4] x) => (float[N,4] y) {" + nodes + "}");
  }

  /// The initializers of the opened model, or what is wrong.
  std::vector<std::string> initializers() {
    file = open(model);
    if (!file)
      return {firstError()};
    std::vector<std::string> names;
    for (const proto::TensorProto &tensor : file->model().graph().initializer())
      names.push_back(tensor.name());
    return names;
  }

  /// The operators that are left, in order.
  std::vector<std::string> operators() const {
    std::vector<std::string> ops;
    for (const proto::NodeProto &node : file->model().graph().node())
      ops.push_back(node.op_type());
    return ops;
  }

  void name(int node, const std::string &text) {
    model.mutable_graph()->mutable_node(node)->set_name(text);
  }

  proto::ModelProto model;
  std::unique_ptr<ModelFile> file;
};

TEST_F(SharedInitializersTest, AnIdentityOfWhatOthersUseIsAVariable) {
  use("v = Identity(w)  a = Mul(x, w)  y = Mul(a, v)");
  add("w", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre("w", "v"));
  EXPECT_THAT(operators(), ElementsAre("Mul", "Mul"));
  EXPECT_THAT(file->separatedInitializers(), ElementsAre("v"));
  EXPECT_THAT(importText(model), AllOf(HasSubstr("\"w\", trainable"), HasSubstr("\"v\", trainable"),
                                       Not(HasSubstr("onnx.Identity"))));
}

TEST_F(SharedInitializersTest, SoAreSeveralOfOne) {
  use("u = Identity(w)  v = Identity(w)  a = Mul(x, u)  y = Mul(a, v)");
  add("w", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre("w", "u", "v"));
  EXPECT_THAT(importText(model), AllOf(HasSubstr("\"u\", trainable"), HasSubstr("\"v\", trainable"),
                                       Not(HasSubstr("\"w\""))));
}

TEST_F(SharedInitializersTest, AStatisticIsNotTiedToAWeight) {
  use("v = Identity(w)  m = Identity(b)  y = BatchNormalization(x, w, b, m, v)");
  add("w", {4}, {1, 1, 1, 1});
  add("b", {4}, {0, 0, 0, 0});
  EXPECT_THAT(initializers(), ElementsAre("w", "b", "v", "m"));
  EXPECT_THAT(importText(model), AllOf(HasSubstr("\"w\", trainable"), HasSubstr("\"v\", other"),
                                       HasSubstr("\"m\", other")));
}

TEST_F(SharedInitializersTest, WhatIsUsedDirectlyInSeveralPlacesIsOne) {
  use("a = Mul(x, w)  y = Mul(a, w)");
  add("w", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre("w"));
}

TEST_F(SharedInitializersTest, AnIdentityAloneIsNoMerging) {
  use("v = Identity(w)  y = Mul(x, v)");
  add("w", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre("w"));
  EXPECT_THAT(importText(model), HasSubstr("\"w\", trainable"));
}

TEST_F(SharedInitializersTest, IntegersAndOutputsStay) {
  model = parseGraph("g (float[N,4] x) => (float[N,4] y, float[4] v) {"
                     "v = Identity(w)  j = Identity(i)  a = Gather<axis = 1>(x, i)"
                     "  b = Gather<axis = 1>(a, j)  y = Mul(b, w) }");
  add("w", {4}, {1, 1, 1, 1});
  proto::TensorProto &indices = *model.mutable_graph()->add_initializer();
  indices.set_name("i");
  indices.set_data_type(proto::TensorProto::INT64);
  indices.add_dims(4);
  for (int64_t index : {0, 1, 2, 3})
    indices.add_int64_data(index);
  EXPECT_THAT(initializers(), ElementsAre("w", "i"));
}

TEST_F(SharedInitializersTest, UsesOfASubgraphCount) {
  model = parseGraph("g (float[N,4] x, bool c) => (float[N,4] y, float[4] z) {"
                     "  v = Identity(w)  y = Mul(x, v)"
                     "  z = If(c) <then_branch = t () => (float[4] r) { r = Neg(w) },"
                     "             else_branch = e () => (float[4] s) { s = Abs(w) }> }");
  add("w", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre("w", "v"));
}

TEST_F(SharedInitializersTest, BeforeVersion4TheNewOnesAreListed) {
  use("v = Identity(w)  a = Mul(x, w)  y = Mul(a, v)");
  model.set_ir_version(3);
  add("w", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre("w", "v"));
  const auto &inputs = file->model().graph().input();
  ASSERT_EQ(inputs.size(), 2);
  EXPECT_EQ(inputs[1].name(), "v");
  EXPECT_EQ(inputs[1].type().tensor_type().shape().dim(0).dim_value(), 4);
}

TEST_F(SharedInitializersTest, AModelThatTrainsItselfStays) {
  use("v = Identity(w)  a = Mul(x, w)  y = Mul(a, v)");
  add("w", {4}, {1, 1, 1, 1});
  model.add_training_info();
  EXPECT_THAT(initializers(), ElementsAre("w"));
}

TEST_F(SharedInitializersTest, IdentitiesCannotMakeASmallFileLarge) {
  std::string nodes;
  for (int copy = 0; copy < 6000; ++copy)
    nodes += "v" + std::to_string(copy) + " = Identity(w) ";
  use(nodes + "y = Mul(x, w)");
  for (int copy = 0; copy < 6000; ++copy)
    model.mutable_graph()->mutable_node(6000)->add_input("v" + std::to_string(copy));
  proto::TensorProto &w = add("w", {5000}, {});
  w.clear_raw_data();
  for (float value : draw(5000, 1))
    w.add_float_data(value);
  EXPECT_THAT(initializers(), ElementsAre(HasSubstr("more than 256 times as large as the file")));
}

struct FoldedCopiesTest : SharedInitializersTest {
  static std::vector<float> turn(const std::vector<float> &values, size_t rows) {
    std::vector<float> turned;
    for (size_t column = 0; column < values.size() / rows; ++column)
      for (size_t row = 0; row < rows; ++row)
        turned.push_back(values[row * (values.size() / rows) + column]);
    return turned;
  }

  /// The graph of `nodes`, in which `fN` stands for `onnx::MatMul_N`.
  void useFolded(const std::string &nodes) {
    use(nodes);
    for (proto::NodeProto &node : *model.mutable_graph()->mutable_node()) {
      for (std::string &input : *node.mutable_input())
        input = folded(input);
      for (std::string &output : *node.mutable_output())
        output = folded(output);
    }
  }

  static std::string folded(const std::string &name) {
    return name.size() == 2 && name[0] == 'f' ? "onnx::MatMul_" + name.substr(1) : name;
  }
};

TEST_F(FoldedCopiesTest, ATransposedCopyIsTheWeight) {
  useFolded("a = MatMul(x, f7)  b = ReduceSum(w)  y = Mul(a, b)");
  add("w", {3, 4}, draw(12, 1));
  add(folded("f7"), {4, 3}, turn(draw(12, 1), 3));
  EXPECT_THAT(initializers(), ElementsAre("w"));
  EXPECT_THAT(operators(), ElementsAre("Transpose", "MatMul", "ReduceSum", "Mul"));
}

TEST_F(FoldedCopiesTest, OtherValuesAndThoseOfAnyoneAreNot) {
  useFolded("a = MatMul(x, f7)  b = MatMul(a, f8)  y = Add(b, w)");
  add("w", {4, 4}, std::vector<float>(16, 1));
  add(folded("f7"), {4, 4}, draw(16, 2));
  add(folded("f8"), {4, 4}, std::vector<float>(16, 1));
  EXPECT_THAT(initializers(), ElementsAre("w", folded("f7"), folded("f8")));
}

TEST_F(FoldedCopiesTest, EqualOnesAreOneIfTheirBiasIs) {
  useFolded("f8 = Identity(f7)  a = MatMul(x, f7)  b = Add(w, a)  c = MatMul(b, f8)"
            "  y = Add(w, c)");
  add(folded("f7"), {4, 4}, std::vector<float>(16, 0));
  add("w", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre(folded("f7"), "w"));
}

TEST_F(FoldedCopiesTest, AndSeveralIfBiasesAre) {
  useFolded("f8 = Identity(f7)  f9 = Identity(f7)  v = Identity(w)  a = MatMul(x, f7)"
            "  b = Add(w, a)  c = MatMul(b, f8)  d = Add(v, c)  e = MatMul(d, f9)  y = Add(v, e)");
  add(folded("f7"), {4, 4}, draw(16, 1));
  add("w", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre(folded("f7"), "w", folded("f8"), "v"));
  EXPECT_EQ(file->model().graph().node(0).op_type(), "Identity");
  EXPECT_EQ(file->model().graph().node(0).input(0), folded("f8"));
  EXPECT_EQ(file->model().graph().node(0).output(0), folded("f9"));
}

TEST_F(FoldedCopiesTest, OneWeightMayHaveTwoBiases) {
  useFolded("f8 = Identity(f7)  a = MatMul(x, f7)  b = Add(w, a)  c = MatMul(b, f8)"
            "  y = Add(v, c)");
  add(folded("f7"), {4, 4}, draw(16, 1));
  add("w", {4}, draw(4, 2));
  add("v", {4}, draw(4, 3));
  EXPECT_THAT(initializers(), ElementsAre(folded("f7"), "w", "v"));
}

TEST_F(FoldedCopiesTest, WithoutABiasModulesTell) {
  useFolded("f8 = Identity(f7)  f9 = Identity(f7)  a = MatMul(x, f7)  b = MatMul(a, f8)"
            "  y = MatMul(b, f9)");
  name(2, "/layers.0/fc/MatMul"), name(3, "/layers.0/fc_1/MatMul"), name(4, "/layers.1/fc/MatMul");
  add(folded("f7"), {4, 4}, draw(16, 1));
  EXPECT_THAT(initializers(), ElementsAre(folded("f7"), folded("f9")));
}

TEST_F(FoldedCopiesTest, TwoWeightsOfZerosInOneCallAreTwo) {
  useFolded("f8 = Identity(f7)  a = Add(x, f7)  y = Add(a, f8)");
  name(1, "/attention/Add"), name(2, "/attention/Add_1");
  add(folded("f7"), {4}, std::vector<float>(4, 0));
  EXPECT_THAT(initializers(), ElementsAre(folded("f7"), folded("f8")));
}

TEST_F(FoldedCopiesTest, WhatWasNotMergedIsJoinedToo) {
  useFolded("a = MatMul(x, f7)  b = Add(w, a)  c = MatMul(b, f8)  d = Add(w, c)"
            "  e = MatMul(d, f9)  y = Add(v, e)");
  for (const char *copy : {"f7", "f8", "f9"})
    add(folded(copy), {4, 4}, draw(16, 1));
  add("w", {4}, {1, 1, 1, 1});
  add("v", {4}, {1, 1, 1, 1});
  EXPECT_THAT(initializers(), ElementsAre(folded("f7"), folded("f9"), "w", "v"));
  EXPECT_EQ(operators().front(), "Identity");
}

TEST_F(FoldedCopiesTest, WhereNothingTellsThatIsSaid) {
  const char *nodes = "f8 = Identity(f7)  a = MatMul(x, f7)  y = MatMul(a, f8)";
  useFolded(nodes);
  add(folded("f7"), {4, 4}, draw(16, 1));
  EXPECT_THAT(initializers(),
              ElementsAre("'onnx::MatMul_7' and 'onnx::MatMul_8' begin alike, and nothing says "
                          "whether they are one weight or two; export the model with "
                          "do_constant_folding=False, which keeps their names"));
  useFolded(nodes);
  name(1, "/fc/MatMul"), name(2, "/fc_1/MatMul");
  add(folded("f7"), {4, 4}, std::vector<float>(16, 1));
  EXPECT_THAT(initializers(), ElementsAre(HasSubstr("'onnx::MatMul_7' and"))) << "any two may be 1";
  useFolded(nodes);
  name(1, "/encoder/MatMul"), name(2, "/decoder/MatMul");
  add(folded("f7"), {4, 4}, draw(16, 1));
  EXPECT_THAT(initializers(), ElementsAre(HasSubstr("'onnx::MatMul_7' and")));
}

} // namespace
