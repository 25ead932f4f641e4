// Tells what a protocol buffer is that is no model for training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/ModelKinds.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace tutti::frontend;

/// As data beside models of ONNX are stored: one tensor, with all the elements that it should have.
static bool isTensor(StringRef content) {
  proto::TensorProto tensor;
  if (content.size() > size_t(std::numeric_limits<int>::max()) ||
      !tensor.ParseFromArray(content.data(), static_cast<int>(content.size())))
    return false;
  bool hasContent = tensor.has_raw_data() || tensor.float_data_size() > 0 ||
                    tensor.int64_data_size() > 0 || tensor.int32_data_size() > 0;
  return tensor.has_data_type() && hasContent && tensor.unknown_fields().empty();
}

std::string tutti::frontend::nameForeignMessage(StringRef content) {
  google::protobuf::LogSilencer silencer;
  StringRef begin = content.take_front(size_t(64) << 10), end = content.take_back(4096);
  if (content.starts_with("\x08\x01\x12") &&
      (begin.contains("tensorflow") || begin.contains("serving_default") ||
       end.contains("serving_default")))
    return "a SavedModel of TensorFlow; convert its folder with tf2onnx (python -m "
           "tf2onnx.convert)";
  if (isTensor(content))
    return "one tensor (TensorProto), as data beside a model; give the model";
  return "";
}

/// Whether the operator calculates with integers of few bits.
static bool isQuantized(const proto::NodeProto &node) {
  StringRef op = node.op_type(), domain = canonicalDomain(node.domain());
  if (domain.empty())
    return llvm::is_contained({"QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger"}, op);
  bool isOfQuantizer = op.starts_with("QLinear") || op.starts_with("QOrdered") ||
                       op.contains("Integer") || op.ends_with("NBits") || op == "QGemm" ||
                       op == "QAttention" || op == "QEmbedLayerNormalization" ||
                       op == "DynamicQuantizeMatMul" || op == "DynamicQuantizeLSTM";
  return domain == "com.microsoft" && isOfQuantizer;
}

/// Whether the operator has a form, or a row in the table of functions.
static bool isSupported(const proto::NodeProto &node) {
  static constexpr StringRef ofRuntime[] = {"QLinearAdd", "QLinearAveragePool", "QLinearLeakyRelu",
                                            "QLinearMul", "QLinearSigmoid",     "QLinearSoftmax"};
  return canonicalDomain(node.domain()).empty() || llvm::is_contained(ofRuntime, node.op_type());
}

/// How many nodes calculate so, and the first of them; empty if none does.
static std::string describeQuantized(const proto::ModelProto &model) {
  const proto::NodeProto *first = nullptr;
  int64_t count = 0;
  for (const proto::NodeProto &node : model.graph().node())
    if (isQuantized(node)) {
      first = first ? first : &node;
      ++count;
    }
  if (!first)
    return "";
  return "the model is quantized for inference: it calculates with integers, which have no "
         "gradient, in " +
         std::to_string(count) + (count == 1 ? " node, " : " nodes, first ") + describe(*first);
}

static constexpr StringLiteral whatTrains =
    "the model of floats that it was made from, or one that was prepared for quantization-aware "
    "training (QuantizeLinear and DequantizeLinear)";

tutti::Refusal tutti::frontend::whyQuantized(const proto::ModelProto &model) {
  bool isSupportedWhole = llvm::none_of(model.graph().node(), [](const proto::NodeProto &node) {
    return isQuantized(node) && !isSupported(node);
  });
  if (isSupportedWhole)
    return {};
  return describeQuantized(model) + "; give " + whatTrains.str();
}

std::string tutti::frontend::noteQuantized(const proto::ModelProto &model) {
  std::string nodes = describeQuantized(model);
  return nodes.empty() ? ""
                       : nodes + "; nothing in front of them is trained: give " + whatTrains.str() +
                             ", to train all of it";
}
