// Forms of operator set 6, which older exporters wrote: operands that are brought to one shape by
// attributes, and `is_test`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"

using namespace mlir;
using namespace tutti::frontend;

/// `value` with `count` dimensions of 1 after its own.
static Value withDimensionsAfter(ImportedNode &node, FormContext &context, Value value,
                                 int64_t count) {
  Composer with(node, context);
  int64_t rank = typeOf(value).getRank();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(rank, rank + count));
  return with.create("Unsqueeze", value, {{"axes", with.integers(axes)}});
}

/// The second operand lies along dimensions `axis` and after of the first one; without `axis` along
/// the last ones, as since operator set 7.
static LogicalResult formBroadcast(ImportedNode &node, FormContext &context) {
  bool isPlaced = node.integer("broadcast", 0) != 0 && node.attributes.get("axis");
  int64_t axis = node.integer("axis", 0);
  node.attributes.erase("broadcast");
  node.attributes.erase("axis");
  if (!isPlaced)
    return success();
  auto first = dyn_cast<RankedTensorType>(node.operands[0].getType());
  auto second = dyn_cast<RankedTensorType>(node.operands[1].getType());
  int64_t after = first && second ? first.getRank() - second.getRank() - axis : -1;
  if (axis < 0 && first) // counts from the end
    after -= first.getRank();
  if (after < 0)
    return node.emitError() << "cannot put " << node.operands[1].getType() << " along dimension "
                            << axis << " (axis) of " << node.operands[0].getType();
  if (after > 0)
    node.operands[1] = withDimensionsAfter(node, context, node.operands[1], after);
  return success(node.operands[1] != nullptr);
}

/// Slopes, one for each channel, lie along dimension 1.
static LogicalResult formSlopes(ImportedNode &node, FormContext &context) {
  auto input = dyn_cast<RankedTensorType>(node.operands[0].getType());
  auto slopes = dyn_cast<RankedTensorType>(node.operands[1].getType());
  bool areOfChannels = input && slopes && slopes.getRank() == 1 && slopes.getDimSize(0) != 1;
  if (areOfChannels && input.getRank() > 2)
    node.operands[1] = withDimensionsAfter(node, context, node.operands[1], input.getRank() - 2);
  return success(node.operands[1] != nullptr);
}

/// Statistics are those of the batch unless `is_test` says otherwise.
static LogicalResult formStatistics(ImportedNode &node, FormContext &context) {
  bool isTest = node.integer("is_test", 0) != 0;
  node.attributes.erase("is_test");
  if (isTest && node.proto.output_size() > 1)
    return node.emitError() << "has outputs of training and is_test = 1, which has none";
  if (!isTest)
    node.attributes.set("training_mode", context.builder.getI64IntegerAttr(1));
  return success();
}

static LogicalResult formTestDropout(ImportedNode &node, FormContext &context) {
  if (node.integer("is_test", 0) != 0)
    node.attributes.set("ratio", context.builder.getF32FloatAttr(0));
  node.attributes.erase("is_test");
  return success();
}

LogicalResult tutti::frontend::formOfSix(ImportedNode &node, FormContext &context) {
  static constexpr StringLiteral binary[] = {"Add", "And", "Div", "Equal", "Greater", "Less",
                                             "Mul", "Or",  "Pow", "Sub",   "Xor"};
  if (llvm::is_contained(binary, node.op))
    return formBroadcast(node, context);
  if (node.op == "PRelu")
    return formSlopes(node, context);
  if (node.op == "BatchNormalization")
    return formStatistics(node, context);
  if (node.op == "Dropout")
    return formTestDropout(node, context);
  node.attributes.erase(node.op == "Gemm" ? "broadcast" : "output_sequence"); // of the recurrent
  return success();
}
