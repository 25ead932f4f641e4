// Which collectives may be one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/BucketRule.h"

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tutti::collective;

namespace tutti::communication {

static Type elementTypeOf(BucketOpInterface op) {
  return getElementTypeOrSelf(op.getInputs().front().getType());
}

Refusal whyAlone(BucketOpInterface op) {
  using Kind = CommunicationKind;
  if (!isKind(op, {Kind::AllReduce, Kind::ReduceScatter, Kind::AllGather, Kind::Broadcast}))
    return "its kind is not fused: the runtime takes one buffer of it at a time";
  if (op->hasAttr(kFuture) || isStartedApart(op))
    return "it is asynchronous already: fuse before collective-overlap";
  if (!op.getDestinations().empty())
    return "it works on buffers: fuse before bufferization";
  if (op.getInputs().size() != 1)
    return "it is a bucket already";
  if (!cast<ShapedType>(op.getInputs().front().getType()).hasStaticShape())
    return "its size is not known";
  if (!getFactory(op))
    return "its dialect has no CommunicationDialectInterface, which would make a bucket";
  return {};
}

/// The element type before a conversion for the wire, or the type itself.
static Type originOf(BucketOpInterface op) {
  Operation *producer = op.getInputs().front().getDefiningOp();
  if (!producer || !producer->hasAttr(collective::kWire) || producer->getNumOperands() != 1)
    return elementTypeOf(op);
  return getElementTypeOrSelf(producer->getOperand(0).getType());
}

Attribute keyOf(BucketOpInterface op) {
  Builder builder(op.getContext());
  NamedAttrList marks(op->getDiscardableAttrDictionary());
  marks.erase(kBucket);
  return builder.getArrayAttr({op->getName().getIdentifier(), op->getPropertiesAsAttribute(),
                               TypeAttr::get(elementTypeOf(op)), TypeAttr::get(originOf(op)),
                               marks.getDictionary(op.getContext())});
}

std::string describeKey(BucketOpInterface op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << spellKind(op);
  if (std::optional<CommunicationForm> form = getForm(op); form && form->reduction)
    out << " " << spellReduction(*form->reduction);
  out << " of " << elementTypeOf(op);
  if (originOf(op) != elementTypeOf(op))
    out << " narrowed from " << originOf(op);
  out << " on " << op.getGroupAttr();
  return text;
}

} // namespace tutti::communication
