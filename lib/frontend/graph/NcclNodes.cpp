// Groups by their numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/NcclNodes.h"

#include "dialects/collective/Collective.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

namespace {
/// A number of ONNX Runtime, and what a group of these members is called here.
struct GroupType {
  collective::MembersAttrInterface members; ///< null for the world
  StringRef name;
};
} // namespace

/// All ranks (0, and 1 where nothing but data is parallel), those of a node, one of each node.
static std::optional<GroupType> groupOf(int64_t number, MLIRContext *context) {
  switch (number) {
  case 0:
  case 1:
    return GroupType{{}, "world"};
  case 2:
    return GroupType{collective::PerNodeAttr::get(context), "node"};
  case 3:
    return GroupType{collective::AcrossNodesAttr::get(context), "cross"};
  default:
    return std::nullopt;
  }
}

static FlatSymbolRefAttr findOrAddGroup(GroupType type, OpBuilder &builder, Location location) {
  auto module = builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  for (auto group : module.getOps<collective::GroupOp>())
    if (group.getMembersAttr() == type.members)
      return FlatSymbolRefAttr::get(group.getSymNameAttr());
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  auto group =
      collective::GroupOp::create(atStart, location, type.name, type.members, IntegerAttr());
  return FlatSymbolRefAttr::get(group.getSymNameAttr());
}

static int64_t readGroupType(const proto::NodeProto &node) {
  for (const proto::AttributeProto &attribute : node.attribute())
    if (attribute.name() == "group_type")
      return attribute.i();
  return 0;
}

LogicalResult tutti::frontend::importNcclAllReduce(const proto::NodeProto &node, TensorScope &scope,
                                                   OpBuilder &builder, Location location) {
  SmallVector<Value> inputs;
  for (const std::string &input : node.input()) {
    Value value = scope.lookup(input, location);
    if (!value)
      return failure();
    if (!isa<RankedTensorType>(value.getType()))
      return emitError(location) << describe(node) << ": '" << input << "' has the type "
                                 << value.getType() << ", but must be a tensor";
    inputs.push_back(value);
  }
  int64_t number = readGroupType(node);
  std::optional<GroupType> type = groupOf(number, builder.getContext());
  if (!type)
    return emitError(location) << describe(node) << ": its group_type is " << number
                               << "; those of data parallelism, 0 to 3, are known";
  if (node.output_size() != node.input_size())
    return emitError(location) << describe(node) << ": it has " << node.input_size()
                               << " inputs and " << node.output_size() << " outputs";
  auto reduce = collective::AllReduceOp::create(builder, location, collective::ReductionKind::sum,
                                                inputs, findOrAddGroup(*type, builder, location));
  for (auto [output, result] : llvm::zip_equal(node.output(), reduce.getOutputs()))
    if (!output.empty())
      scope.define(output, result);
  return success();
}
