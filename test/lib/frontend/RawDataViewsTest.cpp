// What of a model is parsed, and what stays where it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/RawDataViews.h"

#include "lib/frontend/model/TensorReader.h"
#include "lib/frontend/model/WireFormat.h"
#include "test/lib/frontend/ImportFixture.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <numeric>

using namespace mlir;
using namespace tutti::frontend;
using testing::HasSubstr;

namespace {

constexpr uint64_t kLargest = TensorReader::largestInlineBytes;

/// A large tensor of f32 whose elements count up.
proto::TensorProto counting(const std::string &name, int64_t size = 8192) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0F);
  proto::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(proto::TensorProto::FLOAT);
  tensor.add_dims(size);
  tensor.set_raw_data(std::string(reinterpret_cast<const char *>(values.data()), 4 * size));
  return tensor;
}

struct RawDataViewsTest : ImportFixture {
  RawDataViewsTest()
      : model(parseGraph("g (float[8192] x) => (float[8192] y) { y = Add(x, w) }")) {}

  /// The model as it is parsed, from `bytes`.
  proto::ModelProto parsed() {
    std::optional<std::string> taken = takeOutRawData(bytes, kLargest);
    proto::ModelProto result;
    EXPECT_TRUE(taken && result.ParseFromString(*taken));
    return result;
  }

  void expectTaken(const proto::TensorProto &tensor) {
    std::optional<llvm::StringRef> found = findTakenOut(tensor, bytes);
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, counting("").raw_data());
    EXPECT_TRUE(found->begin() >= bytes.data() && found->end() <= bytes.data() + bytes.size());
    EXPECT_FALSE(tensor.has_raw_data());
  }

  proto::ModelProto model;
  std::string bytes;
};

TEST_F(RawDataViewsTest, LargeInitializersStayWhereTheyAre) {
  *model.mutable_graph()->add_initializer() = counting("w");
  *model.mutable_graph()->add_initializer() = counting("v", kLargest / 4);
  bytes = model.SerializeAsString();
  proto::ModelProto graph = parsed();
  EXPECT_LT(graph.ByteSizeLong(), kLargest + 1000);
  expectTaken(graph.graph().initializer(0));
  EXPECT_EQ(graph.graph().initializer(0).name(), "w");
  EXPECT_EQ(graph.graph().initializer(1).raw_data(), model.graph().initializer(1).raw_data());
  EXPECT_EQ(graph.graph().node(0).DebugString(), model.graph().node(0).DebugString());
}

TEST_F(RawDataViewsTest, TensorsStandInAttributesSubgraphsFunctionsAndTraining) {
  auto addTo = [](proto::NodeProto &node) { return node.add_attribute(); };
  *addTo(*model.mutable_graph()->mutable_node(0))->mutable_t() = counting("t");
  *addTo(*model.mutable_graph()->mutable_node(0))->add_tensors() = counting("list");
  auto *inner = addTo(*model.mutable_graph()->mutable_node(0))->mutable_g()->add_node();
  *addTo(*inner)->mutable_t() = counting("inner");
  *addTo(*model.add_functions()->add_node())->mutable_t() = counting("of a function");
  *model.add_training_info()->mutable_algorithm()->add_initializer() = counting("algorithm");
  bytes = model.SerializeAsString();
  proto::ModelProto graph = parsed();
  EXPECT_LT(graph.ByteSizeLong(), 2000U);
  const auto &attributes = graph.graph().node(0).attribute();
  expectTaken(attributes[0].t());
  expectTaken(attributes[1].tensors(0));
  expectTaken(attributes[2].g().node(0).attribute(0).t());
  expectTaken(graph.functions(0).node(0).attribute(0).t());
  expectTaken(graph.training_info(0).algorithm().initializer(0));
}

TEST_F(RawDataViewsTest, TheLastRawDataCounts) {
  proto::TensorProto first = counting("w");
  first.mutable_raw_data()->assign(4 * 8192, 'x');
  std::string graph, twice = first.SerializeAsString() + counting("w").SerializeAsString();
  appendWireField(graph, proto::GraphProto::kInitializerFieldNumber, twice);
  appendWireField(bytes, proto::ModelProto::kGraphFieldNumber, graph);
  expectTaken(parsed().graph().initializer(0));
}

TEST_F(RawDataViewsTest, WhatSaysWhereItsDataIsStaysAsItIs) {
  proto::TensorProto w = counting("w");
  w.set_data_location(proto::TensorProto::EXTERNAL);
  *model.mutable_graph()->add_initializer() = w;
  bytes = model.SerializeAsString();
  EXPECT_EQ(parsed().SerializeAsString(), bytes);
}

TEST_F(RawDataViewsTest, NotesThatNobodyWroteHereAreNone) {
  *model.mutable_graph()->add_initializer() = counting("w");
  bytes = model.SerializeAsString();
  proto::TensorProto note = parsed().graph().initializer(0);
  EXPECT_TRUE(findTakenOut(note, bytes));
  std::string &place = *note.mutable_external_data(0)->mutable_value();
  for (const char *wrong : {"", "1", "1:", "-1:4", "18446744073709551615:2", "0:99999999", "a:b"}) {
    place = wrong;
    EXPECT_FALSE(findTakenOut(note, bytes)) << wrong;
  }
  EXPECT_FALSE(findTakenOut(proto::TensorProto(), bytes));
}

TEST_F(RawDataViewsTest, ModelsThatAreCutOffAreRefusedAsBefore) {
  *model.mutable_graph()->add_initializer() = counting("w");
  bytes = model.SerializeAsString();
  for (size_t size : {bytes.size() - 1, bytes.size() / 2, bytes.size() - 4 * 8192}) {
    errors.clear();
    EXPECT_FALSE(importOnnx("m.onnx", llvm::StringRef(bytes).take_front(size), &context));
    EXPECT_THAT(firstError(), HasSubstr("are not a whole ModelProto"));
  }
}

TEST_F(RawDataViewsTest, GraphsThatNestTooDeepAreLeftToTheParser) {
  std::string graph;
  appendWireField(graph, proto::GraphProto::kInitializerFieldNumber,
                  counting("w").SerializeAsString());
  for (int depth = 0; depth < 200; ++depth) {
    std::string attribute, node, outer;
    appendWireField(attribute, proto::AttributeProto::kGFieldNumber, graph);
    appendWireField(node, proto::NodeProto::kAttributeFieldNumber, attribute);
    appendWireField(outer, proto::GraphProto::kNodeFieldNumber, node);
    graph = std::move(outer);
  }
  appendWireField(bytes, proto::ModelProto::kGraphFieldNumber, graph);
  EXPECT_FALSE(takeOutRawData(bytes, kLargest));
  EXPECT_FALSE(importOnnx("m.onnx", bytes, &context));
  EXPECT_THAT(firstError(), HasSubstr("are not a whole ModelProto"));
}

TEST_F(RawDataViewsTest, ImportedBlobsPointIntoTheFile) {
  *model.mutable_graph()->add_initializer() = counting("w");
  model.set_producer_name("an odd length");
  std::shared_ptr<llvm::MemoryBuffer> file =
      llvm::MemoryBuffer::getMemBufferCopy(model.SerializeAsString());
  auto opened = ModelFile::parse("m.onnx", file, &context);
  ASSERT_TRUE(opened);
  TensorReader reader(*opened);
  auto content = dyn_cast_or_null<DenseResourceElementsAttr>(
      reader.read(opened->model().graph().initializer(0), opened->location()));
  ASSERT_TRUE(content);
  ArrayRef<char> data = content.getRawHandle().getBlob()->getData();
  EXPECT_EQ(llvm::StringRef(data.data(), data.size()), counting("w").raw_data());
  EXPECT_TRUE(data.begin() >= file->getBufferStart() && data.end() <= file->getBufferEnd());
  EXPECT_GT(file.use_count(), 2) << "the context must hold the file";
}

TEST_F(RawDataViewsTest, TheSizeIsChecked) {
  proto::TensorProto w = counting("w");
  w.set_dims(0, 8191);
  *model.mutable_graph()->add_initializer() = w;
  EXPECT_FALSE(import(model));
  EXPECT_THAT(firstError(), HasSubstr("needs 32764 bytes, but there are 32768"));
}

} // namespace
