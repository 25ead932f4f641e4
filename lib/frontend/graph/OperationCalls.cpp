// An operation by its name, operands, attributes and types. The verifier sees what is wrong with
// it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/OperationCalls.h"

#include "lib/frontend/model/OperationNodes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

static const proto::AttributeProto *findAttribute(const proto::NodeProto &node, StringRef name) {
  for (const proto::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

bool tutti::frontend::isOperationCall(const proto::NodeProto &node) {
  return StringRef(node.domain()).starts_with(operationDomain) &&
         findAttribute(node, propertiesOfOperation) && findAttribute(node, typesOfOperation);
}

bool tutti::frontend::isTooMuchText(StringRef text) {
  size_t open = 0;
  for (char c : text) {
    open += StringRef("([{<").contains(c);
    open -= open > 0 && StringRef(")]}>").contains(c);
    if (open > deepestText)
      return true;
  }
  return text.size() > longestText;
}

/// The operation that the node names, with or without a number after it; none if this program
/// cannot hold it.
static std::optional<RegisteredOperationName> findOperation(const proto::NodeProto &node,
                                                            MLIRContext *context) {
  static constexpr StringRef dialects[] = {"arith", "collective", "onnx", "tensor", "train"};
  StringRef dialect = StringRef(node.domain()).drop_front(operationDomain.size());
  if (!llvm::is_contained(dialects, dialect))
    return std::nullopt;
  StringRef name = node.op_type();
  StringRef unnumbered = name.rtrim("0123456789");
  unnumbered.consume_back("_");
  for (StringRef candidate : {name, unnumbered})
    if (auto found = RegisteredOperationName::lookup((dialect + "." + candidate).str(), context))
      return found;
  return std::nullopt;
}

/// Operations that reach where an index says, whatever it is. Models come from anybody.
static bool isUnchecked(RegisteredOperationName name, size_t operands) {
  static constexpr StringRef unchecked[] = {"train.micro_batch", "train.put_micro_batch"};
  StringRef text = name.getStringRef();
  if (llvm::is_contained(unchecked, text))
    return true;
  bool isWhole = text == "tensor.dim" || text == "tensor.from_elements" ||
                 (text == "tensor.extract" && operands == 1);
  return name.getDialectNamespace() == "tensor" && !isWhole;
}

static Type parseResultType(StringRef text, MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  Type type = isTooMuchText(text) ? Type() : parseType(text, context);
  bool isValue = type && (isa<RankedTensorType>(type) || type.isIntOrIndexOrFloat());
  return isValue ? type : Type();
}

static DictionaryAttr parseProperties(StringRef text, MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  return isTooMuchText(text) ? DictionaryAttr()
                             : dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, context));
}

namespace {
class CallImporter {
public:
  CallImporter(const proto::NodeProto &node, TensorScope &scope, OpBuilder &builder,
               Location location)
      : node(node), scope(scope), builder(builder), location(location) {}

  LogicalResult import() {
    std::optional<RegisteredOperationName> name = findOperation(node, builder.getContext());
    if (!name)
      return fail() << "'" << node.domain() << "' has no such operation";
    if (isUnchecked(*name, node.input_size()))
      return fail() << "'" << name->getStringRef()
                    << "' is not read from models, because nobody checks its indices; bring the "
                       "program as MLIR text";
    OperationState state(location, *name);
    if (failed(addOperands(state)) || failed(addTypes(state)) ||
        failed(addAttributes(*name, state)))
      return failure();
    Operation *op = builder.create(state);
    if (auto dim = dyn_cast<tensor::DimOp>(op); dim && !isInRange(dim)) {
      op->erase();
      return fail() << "its index must be a constant that names a dimension of its operand";
    }
    for (auto [output, result] : llvm::zip(node.output(), op->getResults()))
      if (!output.empty())
        scope.define(output, result);
    return success();
  }

private:
  /// Whether there is such a dimension. Who lowers the operation does not look.
  static bool isInRange(tensor::DimOp dim) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    return index && type && *index >= 0 && *index < type.getRank();
  }

  InFlightDiagnostic fail() { return emitError(location) << describe(node) << ": "; }

  LogicalResult addOperands(OperationState &state) {
    for (const std::string &input : node.input()) {
      Value value = input.empty() ? Value() : scope.lookup(input, location);
      if (!value)
        return input.empty() ? LogicalResult(fail() << "one of its inputs is missing") : failure();
      state.operands.push_back(value);
    }
    return success();
  }

  LogicalResult addTypes(OperationState &state) {
    for (const std::string &text : findAttribute(node, typesOfOperation)->strings()) {
      state.types.push_back(parseResultType(text, builder.getContext()));
      if (!state.types.back())
        return fail() << "'" << StringRef(text).take_front(80) << "' is no type of a result";
    }
    if (static_cast<int>(state.types.size()) != node.output_size())
      return fail() << "it has " << node.output_size() << " outputs, but " << state.types.size()
                    << " types";
    return success();
  }

  LogicalResult addAttributes(RegisteredOperationName name, OperationState &state) {
    const std::string &text = findAttribute(node, propertiesOfOperation)->s();
    DictionaryAttr properties = parseProperties(text, builder.getContext());
    if (!properties)
      return fail() << "'" << StringRef(text).take_front(80) << "' are no attributes";
    NamedAttrList attributes(properties);
    if (failed(name.verifyInherentAttrs(attributes, [&] { return fail(); })))
      return failure();
    state.attributes = std::move(attributes);
    return success();
  }

  const proto::NodeProto &node;
  TensorScope &scope;
  OpBuilder &builder;
  Location location;
};
} // namespace

LogicalResult tutti::frontend::importOperationCall(const proto::NodeProto &node, TensorScope &scope,
                                                   OpBuilder &builder, Location location) {
  return CallImporter(node, scope, builder, location).import();
}
