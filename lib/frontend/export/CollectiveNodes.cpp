// One node for one operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/CollectiveNodes.h"

#include "lib/frontend/export/TensorWriter.h"
#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

FailureOr<int64_t> tutti::frontend::findGroupType(Operation *op, FlatSymbolRefAttr name) {
  auto group = SymbolTable::lookupNearestSymbolFrom<collective::GroupOp>(op, name);
  if (group && !group.getMembersAttr())
    return 0;
  if (group && isa<collective::PerNodeAttr>(group.getMembersAttr()))
    return 2;
  if (group && isa<collective::AcrossNodesAttr>(group.getMembersAttr()))
    return 3;
  return refuseExport(op,
                      "ONNX Runtime has groups of all ranks, of the ranks of a node, and across "
                      "nodes, but none as " +
                          Twine("@") + name.getValue() + "; distribute with hierarchy=none");
}

LogicalResult tutti::frontend::checkNcclTypes(Operation *op) {
  for (Value operand : op->getOperands())
    if (Type element = tensorType(operand).getElementType();
        !element.isF16() && !element.isF32() && !element.isF64())
      return refuseExport(op, "collectives of ONNX Runtime take f16, f32 and f64, not " +
                                  spell(element));
  return success();
}

static void addNumber(proto::NodeProto &node, StringRef name, int64_t value) {
  proto::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(proto::AttributeProto::INT);
  attribute.set_i(value);
}

bool tutti::frontend::isNcclSum(Operation *op) {
  auto reduce = dyn_cast<collective::AllReduceOp>(op);
  if (!reduce || reduce.getReduction() != collective::ReductionKind::sum ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  auto elementOf = [](Value value) { return tensorType(value).getElementType(); };
  Type first = elementOf(op->getOperand(0));
  return llvm::all_of(op->getOperands(), [&](Value value) { return elementOf(value) == first; });
}

LogicalResult tutti::frontend::writeNcclSum(Operation *op, GraphWriter &writer) {
  auto reduce = cast<collective::AllReduceOp>(op);
  FailureOr<int64_t> type = findGroupType(op, reduce.getGroupAttr());
  if (failed(type) || failed(checkNcclTypes(op)))
    return failure();
  proto::NodeProto &node = writer.addNode(op, "com.microsoft", "NcclAllReduce");
  for (Value input : reduce.getInputs())
    node.add_input(writer.nameOf(input));
  addNumber(node, "group_type", *type);
  writer.addOutputs(op, node);
  return success();
}

bool tutti::frontend::isMessage(Operation *op) {
  return isa<collective::SendOp, collective::RecvOp>(op) &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// A peer that is known is an initializer, so that it needs no operation that ONNX does not have.
static std::string nameOfPeer(Value peer, GraphWriter &writer) {
  if (std::optional<int64_t> known = getConstantIntValue(peer))
    return writer.addIntegers({*known}, "peer");
  return writer.nameOf(peer);
}

/// Messages keep their order by signals: each takes that of the one before it.
LogicalResult tutti::frontend::writeMessage(Operation *op, GraphWriter &writer) {
  auto send = dyn_cast<collective::SendOp>(op);
  auto receive = dyn_cast<collective::RecvOp>(op);
  FailureOr<int64_t> type = findGroupType(op, send ? send.getGroupAttr() : receive.getGroupAttr());
  if (failed(type))
    return failure();
  if (*type != 0)
    return refuseExport(op, "Send and Recv of ONNX Runtime number the ranks of the world");
  std::string before = writer.takeSignal();
  proto::NodeProto &node = writer.addNode(op, "com.microsoft", send ? "Send" : "Recv");
  node.add_input(before);
  node.add_input(nameOfPeer(send ? send.getPeer() : receive.getPeer(), writer));
  if (send)
    for (Value input : send.getInputs())
      node.add_input(writer.nameOf(input));
  node.add_output(writer.makeSignal());
  writer.addOutputs(op, node);
  addNumber(node, "tag", static_cast<int64_t>(send ? send.getTag() : receive.getTag()));
  proto::AttributeProto &elements = *node.add_attribute();
  elements.set_name("element_types");
  elements.set_type(proto::AttributeProto::INTS);
  for (Value value : send ? ValueRange(send.getInputs()) : ValueRange(receive.getOutputs()))
    elements.add_ints(writeElementType(tensorType(value).getElementType()));
  return success();
}
