// One row for each change of a form and each new operator; new element types need none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/OpsetChanges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {
struct Change {
  StringRef op;
  int64_t since;
  int inputs;           ///< that the operator had before; -1: as many
  StringRef attributes; ///< that it got, separated by blanks
};

struct YoungOperator {
  StringRef op;
  int64_t since;
  int leastInputs, mostInputs;
  StringRef attributes; ///< separated by blanks
};
} // namespace

static constexpr Change kChanges[] = {
    {"ReduceL1", 18, 1, "noop_with_empty_axes"},
    {"ReduceL2", 18, 1, "noop_with_empty_axes"},
    {"ReduceLogSum", 18, 1, "noop_with_empty_axes"},
    {"ReduceLogSumExp", 18, 1, "noop_with_empty_axes"},
    {"ReduceMax", 18, 1, "noop_with_empty_axes"},
    {"ReduceMean", 18, 1, "noop_with_empty_axes"},
    {"ReduceMin", 18, 1, "noop_with_empty_axes"},
    {"ReduceProd", 18, 1, "noop_with_empty_axes"},
    {"ReduceSumSquare", 18, 1, "noop_with_empty_axes"},
    {"Split", 18, -1, "num_outputs"},
    {"Pad", 18, 3, ""},
    {"LpPool", 18, -1, "ceil_mode dilations"},
    {"Resize", 18, -1, "antialias axes keep_aspect_ratio_policy"},
    {"AveragePool", 19, -1, "dilations"},
    {"Cast", 19, -1, "saturate"},
    {"CastLike", 19, -1, "saturate"},
    {"QuantizeLinear", 19, -1, "saturate"},
    {"QuantizeLinear", 21, -1, "block_size output_dtype precision"},
    {"DequantizeLinear", 21, -1, "block_size output_dtype"},
    {"Cast", 24, -1, "round_mode"},
    {"CastLike", 24, -1, "round_mode"},
};

static constexpr YoungOperator kOperators[] = {
    {"Col2Im", 18, 3, 3, "dilations pads strides"},
    {"DeformConv", 19, 3, 5, "dilations group kernel_shape offset_group pads strides"},
    {"AffineGrid", 20, 2, 2, "align_corners"},
    {"Gelu", 20, 1, 1, "approximate"},
    {"Attention", 23, 3, 7,
     "is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision"},
    {"RotaryEmbedding", 23, 3, 4, "interleaved num_heads rotary_embedding_dim"},
    {"RMSNormalization", 23, 2, 2, "axis epsilon stash_type"},
    // What ONNX Runtime writes into any operator set.
    {"LayerNormalization", 1, 2, 3, "axis epsilon stash_type"},
    {"SimplifiedLayerNormalization", 1, 2, 2, "axis epsilon stash_type"},
};

static SmallVector<StringRef> wordsOf(StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, ' ');
  return words;
}

static void apply(const Change &change, proto::NodeProto &node) {
  if (change.inputs >= 0 && node.input_size() > change.inputs)
    node.mutable_input()->DeleteSubrange(change.inputs, node.input_size() - change.inputs);
  SmallVector<StringRef> names = wordsOf(change.attributes);
  for (int index = node.attribute_size() - 1; index >= 0; --index)
    if (llvm::is_contained(names, node.attribute(index).name()))
      node.mutable_attribute()->DeleteSubrange(index, 1);
}

proto::NodeProto tutti::frontend::withoutYoungParts(const proto::NodeProto &node, int64_t opset) {
  proto::NodeProto old = node;
  for (const Change &change : kChanges)
    if (opset >= change.since && node.op_type() == change.op)
      apply(change, old);
  return old;
}

bool tutti::frontend::isYoungOperator(const proto::NodeProto &node, int64_t opset) {
  const auto *known =
      llvm::find_if(kOperators, [&](const YoungOperator &one) { return one.op == node.op_type(); });
  if (known == std::end(kOperators) || opset < known->since ||
      node.input_size() < known->leastInputs || node.input_size() > known->mostInputs)
    return false;
  SmallVector<StringRef> names = wordsOf(known->attributes);
  return llvm::none_of(llvm::seq(known->leastInputs),
                       [&](int index) { return node.input(index).empty(); }) &&
         llvm::all_of(node.attribute(), [&](const proto::AttributeProto &attribute) {
           return llvm::is_contained(names, attribute.name());
         });
}

std::string tutti::frontend::whyNotYoungOperator(const proto::NodeProto &node, int64_t opset) {
  const auto *known =
      llvm::find_if(kOperators, [&](const YoungOperator &one) { return one.op == node.op_type(); });
  if (known == std::end(kOperators) || !canonicalDomain(node.domain()).empty())
    return "";
  if (opset < known->since)
    return ": it came with operator set " + std::to_string(known->since) + ", and the model has " +
           std::to_string(opset);
  SmallVector<StringRef> names = wordsOf(known->attributes);
  for (const proto::AttributeProto &attribute : node.attribute())
    if (!llvm::is_contained(names, attribute.name()))
      return ": '" + attribute.name() + "' is none of its attributes, which are " +
             llvm::join(names, ", ");
  return "";
}
