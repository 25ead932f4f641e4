// Looks functions up, and puts the attributes of a call into a body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/functions/FunctionBodies.h"

#include "lib/frontend/functions/FunctionTable.h"
#include "lib/frontend/model/ElementTypes.h"

#include "google/protobuf/unknown_field_set.h"
#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti::frontend;
using proto::AttributeProto;

// Fields that are younger than this libonnx: it keeps them as bytes.

static constexpr int overloadOfNode = 8, defaultsOfFunction = 11, typesOfFunction = 12,
                     overloadOfFunction = 13;

template <typename Message>
static std::vector<std::string> youngField(const Message &message, int number) {
  std::vector<std::string> contents;
  const auto &fields = message.unknown_fields();
  for (int index = 0; index < fields.field_count(); ++index)
    if (fields.field(index).number() == number &&
        fields.field(index).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      contents.push_back(fields.field(index).length_delimited());
  return contents;
}

template <typename Message> static std::string youngText(const Message &message, int number) {
  std::vector<std::string> contents = youngField(message, number);
  return contents.empty() ? "" : contents.back();
}

template <typename Part, typename Message>
static std::vector<Part> youngParts(const Message &message, int number) {
  std::vector<Part> parts;
  for (const std::string &content : youngField(message, number))
    if (Part part; part.ParseFromString(content))
      parts.push_back(std::move(part));
  return parts;
}

static std::string keyOf(StringRef domain, StringRef name, StringRef overload) {
  StringRef canonical = canonicalDomain(domain);
  return (canonical + (canonical.empty() ? "" : "::") + name + (overload.empty() ? "" : ":") +
          overload)
      .str();
}

static std::string keyOf(const proto::FunctionProto &function) {
  return keyOf(function.domain(), function.name(), youngText(function, overloadOfFunction));
}

static std::string keyOf(const proto::NodeProto &node) {
  return keyOf(node.domain(), node.op_type(), youngText(node, overloadOfNode));
}

// Binding.

namespace {
/// Puts what a call says into a body.
class Binding {
public:
  Binding(const proto::NodeProto &call, const std::vector<AttributeProto> &defaults)
      : call(call), defaults(defaults) {}

  void bind(proto::FunctionProto &function) {
    for (int index = 0; index < function.input_size(); ++index)
      if (index >= call.input_size() || call.input(index).empty())
        absent.insert(function.input(index));
    bindNodes(*function.mutable_node());
  }

private:
  template <typename Nodes> void bindNodes(Nodes &nodes) {
    for (proto::NodeProto &node : nodes) {
      for (std::string &input : *node.mutable_input())
        if (absent.contains(input))
          input.clear();
      bindAttributes(node);
    }
  }

  void bindAttributes(proto::NodeProto &node) {
    google::protobuf::RepeatedPtrField<AttributeProto> bound;
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.ref_attr_name() == allAttributes.str()) {
        bound.MergeFrom(call.attribute());
        continue;
      }
      if (!attribute.ref_attr_name().empty()) {
        if (const AttributeProto *value = valueOf(attribute.ref_attr_name())) {
          *bound.Add() = *value;
          bound.rbegin()->set_name(attribute.name());
        }
        continue;
      }
      if (attribute.has_g())
        bindNodes(*attribute.mutable_g()->mutable_node());
      for (proto::GraphProto &graph : *attribute.mutable_graphs())
        bindNodes(*graph.mutable_node());
      *bound.Add() = std::move(attribute);
    }
    node.mutable_attribute()->Swap(&bound);
  }

  const AttributeProto *valueOf(StringRef name) const {
    for (const AttributeProto &given : call.attribute())
      if (given.name() == name)
        return &given;
    for (const AttributeProto &usual : defaults)
      if (usual.name() == name)
        return &usual;
    return nullptr;
  }

  const proto::NodeProto &call;
  const std::vector<AttributeProto> &defaults;
  llvm::StringSet<> absent;
};
} // namespace

static LogicalResult checkCall(const proto::NodeProto &call, const proto::FunctionProto &function,
                               StringRef name, Location location) {
  if (call.input_size() <= function.input_size() && call.output_size() <= function.output_size())
    return success();
  return emitError(location) << describe(call) << " has " << call.input_size() << " inputs and "
                             << call.output_size() << " outputs, but the function '" << name
                             << "' has " << function.input_size() << " and "
                             << function.output_size();
}

// Finding.

FunctionBodies::FunctionBodies(const ModelFile &file) {
  for (const proto::FunctionProto &function : file.model().functions()) {
    std::string key = keyOf(function);
    if (!functions.try_emplace(key, &function).second)
      duplicates.insert(key);
  }
}

const proto::FunctionProto *FunctionBodies::functionOfModel(const proto::NodeProto &node) const {
  return functions.empty() ? nullptr : functions.lookup(keyOf(node));
}

static int64_t opsetOf(const proto::FunctionProto &function, int64_t otherwise) {
  for (const auto &import : function.opset_import())
    if (canonicalDomain(import.domain()).empty())
      return import.version();
  return otherwise;
}

FailureOr<std::optional<FunctionBody>>
FunctionBodies::findOfModel(const proto::NodeProto &node, const proto::FunctionProto &function,
                            int64_t opset, Location location) const {
  std::string name = keyOf(function);
  if (duplicates.contains(name))
    return emitError(location) << describe(node) << ": the model has two functions '" << name
                               << "'; a function is told by domain, name and overload";
  opset = opsetOf(function, opset);
  if (opset < oldestOpset || opset > newestOpset)
    return emitError(location) << describe(node) << ": its function '" << name << "' uses version "
                               << opset << " of the operator set; versions " << oldestOpset
                               << " to " << newestOpset << " are supported";
  if (failed(checkCall(node, function, name, location)))
    return failure();
  FunctionBody body{name,     &function,
                    function, youngParts<proto::ValueInfoProto>(function, typesOfFunction),
                    opset,    NodeOrigin::Model};
  Binding(node, youngParts<AttributeProto>(function, defaultsOfFunction)).bind(body.proto);
  return std::optional(std::move(body));
}

FailureOr<std::optional<FunctionBody>> FunctionBodies::find(const proto::NodeProto &node,
                                                            int64_t opset, NodeOrigin origin,
                                                            TypeOfInput typeOfInput,
                                                            Location location) const {
  const proto::FunctionProto *function =
      origin == NodeOrigin::Model ? functionOfModel(node) : nullptr;
  if (function)
    return findOfModel(node, *function, opset, location);
  const Formula *formula = findFormula(node, opset);
  if (!formula)
    return findOfLibrary(node, opset, typeOfInput, location);
  FunctionBody body{keyOf(formula->domain, formula->op, ""),
                    formula,
                    formula->bodyFor(node),
                    {},
                    opsetOf(formula->body, opset),
                    NodeOrigin::Formula};
  Binding(node, formula->defaults).bind(body.proto);
  return std::optional(std::move(body));
}

/// What bodies that depend on their context may ask: the types of all inputs.
static FailureOr<std::vector<proto::TypeProto>>
typesOfInputs(const proto::NodeProto &node, FunctionBodies::TypeOfInput typeOfInput) {
  std::vector<proto::TypeProto> types;
  for (int index = 0; index < node.input_size(); ++index) {
    types.emplace_back();
    if (node.input(index).empty())
      continue;
    auto type = dyn_cast_or_null<RankedTensorType>(typeOfInput(index));
    if (!type)
      return failure();
    types.back() = writeTensorType(type);
  }
  return types;
}

static const proto::OpSchema *schemaOf(const proto::NodeProto &node, int64_t opset) {
  auto version = static_cast<int>(std::min(opset, newestOpsetOfLibrary));
  return canonicalDomain(node.domain()).empty()
             ? proto::OpSchemaRegistry::Schema(node.op_type(), version, "")
             : nullptr;
}

bool FunctionBodies::dependsOnTypes(const proto::NodeProto &node, int64_t opset) {
  const proto::OpSchema *schema = schemaOf(node, opset);
  return schema && schema->HasContextDependentFunction();
}

/// The body that libonnx makes of `node`, not bound yet; failure after a diagnostic.
static FailureOr<proto::FunctionProto> buildBody(const proto::NodeProto &node,
                                                 const proto::OpSchema &schema,
                                                 FunctionBodies::TypeOfInput typeOfInput,
                                                 Location location) {
  if (schema.HasFunction())
    return *schema.GetFunction();
  FailureOr<std::vector<proto::TypeProto>> types = typesOfInputs(node, typeOfInput);
  if (failed(types))
    return emitError(location)
           << describe(node) << ": its function needs the types of its inputs, which are not known";
  try {
    proto::FunctionProto function;
    proto::FunctionBodyBuildContextImpl context(node, *types);
    if (schema.BuildContextDependentFunction(context, function))
      return function;
  } catch (const std::exception &error) {
    return emitError(location) << describe(node)
                               << ": its function cannot be made: " << error.what();
  }
  return emitError(location) << describe(node)
                             << ": libonnx has no function for these types of its inputs";
}

FailureOr<std::optional<FunctionBody>> FunctionBodies::findOfLibrary(const proto::NodeProto &node,
                                                                     int64_t opset,
                                                                     TypeOfInput typeOfInput,
                                                                     Location location) const {
  const proto::OpSchema *schema = schemaOf(node, opset);
  if (!schema || (!schema->HasFunction() && !schema->HasContextDependentFunction()))
    return std::optional<FunctionBody>();
  FailureOr<proto::FunctionProto> function = buildBody(node, *schema, typeOfInput, location);
  if (failed(function) || failed(checkCall(node, *function, schema->Name(), location)))
    return failure();
  std::vector<AttributeProto> defaults;
  for (const auto &[name, attribute] : schema->attributes())
    if (!attribute.default_value.name().empty())
      defaults.push_back(attribute.default_value);
  FunctionBody body{schema->Name(),     schema, *function, {}, opsetOf(*function, opset),
                    NodeOrigin::Library};
  Binding(node, defaults).bind(body.proto);
  return std::optional(std::move(body));
}
