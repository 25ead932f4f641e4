// Creates operations of the onnx dialect by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ImportedNode.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <new>

using namespace mlir;
using namespace tutti::frontend;

InFlightDiagnostic ImportedNode::emitError() const {
  return mlir::emitError(location) << describe(proto) << ": ";
}

int64_t ImportedNode::integer(StringRef name, int64_t otherwise) const {
  auto attribute = dyn_cast_or_null<IntegerAttr>(attributes.get(name));
  return attribute ? attribute.getInt() : otherwise;
}

namespace {
/// Properties of an operation that does not exist yet.
class Properties {
public:
  explicit Properties(RegisteredOperationName name)
      : name(name), storage(std::make_unique<std::max_align_t[]>(
                        name.getOpPropertyByteSize() / sizeof(std::max_align_t) + 1)) {
    name.initOpProperties(opaque(), OpaqueProperties(nullptr));
  }
  ~Properties() { name.destroyOpProperties(opaque()); }

  OpaqueProperties opaque() { return OpaqueProperties(storage.get()); }

private:
  RegisteredOperationName name;
  std::unique_ptr<std::max_align_t[]> storage;
};
} // namespace

static LogicalResult inferTypes(OperationState &state, RegisteredOperationName name) {
  auto *inference = name.getInterface<InferTypeOpInterface>();
  if (!inference)
    return emitError(state.location) << name << " has no type inference";
  Properties properties(name);
  DictionaryAttr attributes = state.attributes.getDictionary(state.getContext());
  auto error = [&]() { return emitError(state.location) << name << ": "; };
  if (name.getOpPropertyByteSize() > 0 &&
      failed(name.setOpPropertiesFromAttribute(name, properties.opaque(), attributes, error)))
    return failure();
  return inference->inferReturnTypes(state.getContext(), state.location, state.operands, attributes,
                                     properties.opaque(), {}, state.types);
}

/// Absent operands at the end are left out; ops with several optional ones say which are there.
static LogicalResult addOperands(OperationState &state, ArrayRef<Value> operands,
                                 RegisteredOperationName name) {
  for (Value operand : operands)
    if (operand && !isa<RankedTensorType>(operand.getType()))
      return emitError(state.location)
             << "an operand has the type " << operand.getType()
             << "; its shape is not known, because a custom operator made it";
  for (Value operand : operands)
    if (operand)
      state.operands.push_back(operand);
  if (!llvm::is_contained(name.getAttributeNames(), "operandSegmentSizes")) {
    bool hasGap = llvm::any_of(operands.take_front(state.operands.size()),
                               [](Value operand) { return !operand; });
    return hasGap ? emitError(state.location) << "an operand that is not optional is missing"
                  : success();
  }
  SmallVector<int32_t> segments;
  for (Value operand : operands)
    segments.push_back(operand ? 1 : 0);
  Builder builder(state.getContext());
  state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  return success();
}

Operation *tutti::frontend::createInferred(OpBuilder &builder, Location location, StringRef op,
                                           ArrayRef<Value> operands, NamedAttrList attributes) {
  std::string fullName = ("onnx." + op).str();
  auto name = RegisteredOperationName::lookup(fullName, builder.getContext());
  if (!name)
    return emitError(location) << fullName << " is not an operation of the dialect", nullptr;
  OperationState state(location, *name);
  for (NamedAttribute attribute : attributes)
    if (!llvm::is_contained(name->getAttributeNames(), attribute.getName()))
      return emitError(location) << "attribute '" << attribute.getName().getValue() << "' of " << op
                                 << " is not supported",
             nullptr;
  state.attributes = std::move(attributes);
  if (failed(addOperands(state, operands, *name)) || failed(inferTypes(state, *name)))
    return nullptr;
  return builder.create(state);
}
