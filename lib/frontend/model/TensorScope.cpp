// Name lookup during import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/TensorScope.h"

#include "lib/frontend/model/values/KnownFloats.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::frontend;

/// Longer integer tensors are data (indices, labels), not shapes.
static constexpr int64_t mostSizes = 64;

bool TensorScope::defines(StringRef name) const {
  return values.count(name) || sizes.count(name) || initializers.count(name) ||
         unavailable.count(name) || unknown.contains(name);
}

TensorScope *TensorScope::ownerOf(StringRef &name) {
  TensorScope *scope = this;
  while (scope->outer && !scope->defines(name)) {
    auto alias = scope->aliases.find(name);
    if (alias == scope->aliases.end() && !scope->seesOuter)
      break;
    if (alias != scope->aliases.end())
      name = alias->second;
    scope = scope->outer;
  }
  return scope;
}

std::string TensorScope::howToGive(StringRef name) {
  ownerOf(name); // which `name` becomes the name in
  auto isIt = [&](const auto &entry) { return entry.name() == name; };
  const auto &graph = file.model().graph();
  if (!llvm::any_of(graph.input(), isIt) || llvm::any_of(graph.initializer(), isIt))
    return "";
  return ("; '" + name +
          "' is an input of the graph, which --variables FILE.safetensors gives a value")
      .str();
}

std::string TensorScope::howToKnow(StringRef name) {
  std::string given = howToGive(name);
  auto isIt = [&](const auto &entry) { return entry.name() == name; };
  if (!given.empty() || llvm::any_of(file.model().graph().initializer(), isIt))
    return given;
  return "; export it with a number or the size of a tensor instead of what data say, and mask by "
         "Where what they leave out";
}

LogicalResult TensorScope::takeOver(StringRef name, TensorScope &inside, StringRef nameInside,
                                    Location user) {
  TensorScope *owner = inside.ownerOf(nameInside);
  if (owner->unknown.contains(nameInside)) {
    unknown.insert(name);
    return success();
  }
  if (auto found = owner->sizes.find(nameInside); found != owner->sizes.end()) {
    defineSizes(name, found->second);
    return success();
  }
  Value value = owner->lookup(nameInside, user);
  if (value)
    define(name, value);
  return success(value != nullptr);
}

Value TensorScope::lookup(StringRef name, Location user) {
  if (TensorScope *owner = ownerOf(name); owner != this)
    return owner->lookup(name, user);
  if (Value value = values.lookup(name))
    return value;
  if (auto found = sizes.find(name); found != sizes.end())
    return materialize(name, found->second, user);
  if (const proto::TensorProto *tensor = initializers.lookup(name)) {
    ElementsAttr content = tensors.read(*tensor, file.location(name));
    if (!content)
      return nullptr;
    return values[name] = tutti::onnx::ConstantOp::create(builder, file.location(name), content);
  }
  if (isUnknown(name)) // a diagnostic has said why
    return nullptr;
  if (auto found = unavailable.find(name); found != unavailable.end())
    emitError(user) << "it uses the tensor '" << name << "', " << found->second;
  else
    emitError(user) << "the tensor '" << name
                    << "' is needed, but no input, initializer or node defines it";
  return nullptr;
}

/// A number, in every element of a tensor like `type`.
static Value makeNumber(OpBuilder &builder, Location location, RankedTensorType type,
                        int64_t number) {
  APInt element(type.getElementTypeBitWidth(), number, /*isSigned=*/true, /*implicitTrunc=*/true);
  return tutti::onnx::ConstantOp::create(builder, location, DenseElementsAttr::get(type, element));
}

/// Integer arithmetic on tensors of one type.
static Value makeOperation(OpBuilder &builder, Location location, StringRef op,
                           RankedTensorType type, ValueRange operands) {
  OperationState state(location, ("onnx." + op).str(), operands, TypeRange{type});
  return builder.create(state)->getResult(0);
}

Value TensorScope::makeSize(const SizeTerm &term, RankedTensorType type, Location user) {
  if (term.made)
    return makeOperation(
        builder, user, term.made->op, type,
        {makeSize(term.made->first, type, user), makeSize(term.made->second, type, user)});
  if (term.isNumber())
    return makeNumber(builder, user, type, term.plus);
  const SizeOrigin &dimension = term.dimension;
  Value size = tensor::DimOp::create(builder, user, dimension.tensor, dimension.axis);
  size = arith::IndexCastOp::create(builder, user, type.getElementType(), size);
  size = tensor::FromElementsOp::create(builder, user, type, size);
  if (term.times != 1)
    size = makeOperation(builder, user, "Mul", type,
                         {size, makeNumber(builder, user, type, term.times)});
  if (term.plus != 0)
    size = makeOperation(builder, user, "Add", type,
                         {size, makeNumber(builder, user, type, term.plus)});
  return size;
}

/// Each size for itself, and joined.
Value TensorScope::materializeVarying(StringRef name, const Sizes &known, Location user) {
  IntegerType element = known.type ? known.type : builder.getI64Type();
  auto type = RankedTensorType::get(
      known.isScalar ? ArrayRef<int64_t>() : ArrayRef<int64_t>(int64_t(1)), element);
  SmallVector<Value> parts;
  for (size_t index = 0; index < known.values.size(); ++index) {
    std::optional<SizeTerm> term = known.term(index);
    if (!term) {
      emitError(user) << "it uses '" << name << "', whose entry " << index
                      << " is computed from sizes that vary in a way that nothing is known of; "
                         "--size NAME=SIZE fixes those that the model names";
      return nullptr;
    }
    parts.push_back(makeSize(*term, type, user));
  }
  Value joined = parts.size() == 1 ? parts.front()
                                   : tutti::onnx::ConcatOp::create(builder, user, parts,
                                                                   builder.getI64IntegerAttr(0))
                                         .getConcatResult();
  if (known.isMatrix())
    joined = tutti::onnx::ReshapeOp::create(builder, user, joined,
                                            builder.getDenseI64ArrayAttr({-1, known.columns}),
                                            builder.getI64IntegerAttr(0));
  return values[name] = joined;
}

Value TensorScope::materialize(StringRef name, const Sizes &known, Location user) {
  if (!known.areKnown())
    return materializeVarying(name, known, user);
  SmallVector<int64_t> shape;
  int64_t count = known.values.size();
  if (known.isMatrix())
    shape = {count / known.columns, known.columns};
  else if (!known.isScalar)
    shape = {count};
  IntegerType element = known.type ? known.type : builder.getI64Type();
  auto type = RankedTensorType::get(shape, element);
  SmallVector<APInt> elements;
  for (int64_t value : known.values)
    elements.emplace_back(element.getWidth(), value, /*isSigned=*/true, /*implicitTrunc=*/true);
  auto content = DenseElementsAttr::get(type, elements);
  return values[name] = tutti::onnx::ConstantOp::create(builder, user, content);
}

static std::optional<Sizes> readNumbers(Attribute content) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(content);
  if (!elements || elements.getType().getRank() > 1 || elements.getNumElements() > mostSizes)
    return std::nullopt;
  auto element = dyn_cast<IntegerType>(elements.getElementType());
  if (!element || !element.isSignless())
    return std::nullopt;
  Sizes known{{}, elements.getType().getRank() == 0, element};
  for (const APInt &value : elements.getValues<APInt>())
    known.values.push_back(element.isInteger(1) ? value.getZExtValue() : value.getSExtValue());
  return known;
}

static std::optional<Sizes> readSizes(Attribute content) {
  std::optional<Sizes> known = readNumbers(content);
  bool areSizes = known && known->areKnown(); // a number of the file is none that varies
  return areSizes ? known : std::nullopt;
}

std::optional<Sizes> TensorScope::lookupSizes(StringRef name, Location user) {
  std::optional<Sizes> table = lookupTable(name, user);
  return table && !table->isMatrix() ? table : std::nullopt;
}

std::optional<Sizes> TensorScope::lookupBounds(StringRef name, Location user) {
  if (std::optional<Sizes> known = lookupSizes(name, user))
    return known;
  if (TensorScope *owner = ownerOf(name); owner != this)
    return owner->lookupBounds(name, user);
  Attribute content;
  Value value = values.lookup(name);
  if (!value || !matchPattern(value, m_Constant(&content)))
    return std::nullopt;
  std::optional<Sizes> bounds = readNumbers(content);
  if (bounds)
    llvm::replace(bounds->values, ShapedType::kDynamic, -std::numeric_limits<int64_t>::max());
  return bounds;
}

std::optional<SmallVector<double>> TensorScope::lookupFloats(StringRef name, Location user) {
  if (TensorScope *owner = ownerOf(name); owner != this)
    return owner->lookupFloats(name, user);
  if (!values.count(name) && !initializers.count(name))
    return std::nullopt;
  Value value = lookup(name, user);
  return value ? knownFloats(value) : std::nullopt;
}

std::optional<FloatSizes> TensorScope::lookupFloatSizes(StringRef name) {
  const auto &known = ownerOf(name)->floatSizes;
  auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Sizes> TensorScope::lookupTable(StringRef name, Location user) {
  if (TensorScope *owner = ownerOf(name); owner != this)
    return owner->lookupTable(name, user);
  if (auto found = sizes.find(name); found != sizes.end())
    return found->second;
  if (!values.count(name) && !initializers.count(name))
    return std::nullopt;
  Value value = lookup(name, user);
  Attribute content;
  if (!value || !matchPattern(value, m_Constant(&content)))
    return std::nullopt;
  return readSizes(content);
}
