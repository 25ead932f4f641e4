// Reads the attributes of nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/AttributeReader.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;
using proto::AttributeProto;

std::string tutti::frontend::attributeKind(const AttributeProto &attribute) {
  if (!attribute.ref_attr_name().empty())
    return "a reference to an attribute of a function";
  switch (attribute.type()) {
  case AttributeProto::GRAPH:
  case AttributeProto::GRAPHS:
    return "a subgraph";
  case AttributeProto::SPARSE_TENSOR:
  case AttributeProto::SPARSE_TENSORS:
    return "a sparse tensor";
  case AttributeProto::TYPE_PROTO:
  case AttributeProto::TYPE_PROTOS:
    return "a type";
  default:
    return "of no known type";
  }
}

/// What to do instead, where there is something; else empty.
static StringRef remedyFor(const AttributeProto &attribute) {
  bool isGraph = attribute.type() == AttributeProto::GRAPH;
  return isGraph ? "; export the branch that training takes, and loops unrolled" : "";
}

static ArrayAttr readStrings(const AttributeProto &attribute, Builder &builder) {
  SmallVector<StringRef> strings(attribute.strings().begin(), attribute.strings().end());
  return builder.getStrArrayAttr(strings);
}

static Attribute readTensors(const AttributeProto &attribute, TensorReader &tensors,
                             Location location) {
  SmallVector<Attribute> elements;
  for (const proto::TensorProto &tensor : attribute.tensors()) {
    elements.push_back(tensors.read(tensor, location));
    if (!elements.back())
      return nullptr;
  }
  return ArrayAttr::get(location->getContext(), elements);
}

/// Null after a diagnostic.
static Attribute readAttribute(const AttributeProto &attribute, TensorReader &tensors,
                               Location location) {
  Builder builder(location->getContext());
  if (attribute.ref_attr_name().empty()) {
    switch (attribute.type()) {
    case AttributeProto::FLOAT:
      return builder.getF32FloatAttr(attribute.f());
    case AttributeProto::INT:
      return builder.getI64IntegerAttr(attribute.i());
    case AttributeProto::STRING:
      return builder.getStringAttr(attribute.s());
    case AttributeProto::FLOATS:
      return builder.getDenseF32ArrayAttr(
          ArrayRef<float>(attribute.floats().data(), attribute.floats_size()));
    case AttributeProto::INTS:
      return builder.getDenseI64ArrayAttr(
          SmallVector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
    case AttributeProto::STRINGS:
      return readStrings(attribute, builder);
    case AttributeProto::TENSOR:
      return tensors.read(attribute.t(), location);
    case AttributeProto::TENSORS:
      return readTensors(attribute, tensors, location);
    default:
      break;
    }
  }
  emitError(location) << "attribute '" << attribute.name() << "' is " << attributeKind(attribute)
                      << ", which is not supported" << remedyFor(attribute);
  return nullptr;
}

FailureOr<NamedAttrList> tutti::frontend::readAttributes(const proto::NodeProto &node,
                                                         TensorReader &tensors, Location location) {
  NamedAttrList attributes;
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.name().empty())
      return emitError(location) << describe(node) << " has an attribute without a name";
    if (attributes.get(attribute.name()))
      return emitError(location) << describe(node) << " has attribute '" << attribute.name()
                                 << "' twice";
    Attribute value = readAttribute(attribute, tensors, location);
    if (!value)
      return failure();
    attributes.append(attribute.name(), value);
  }
  return attributes;
}
