// Name lookup during import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/TensorScope.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::frontend;

/// Longer integer tensors are data (indices, labels), not shapes.
static constexpr int64_t mostSizes = 64;

Value TensorScope::lookup(StringRef name, Location user) {
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

Value TensorScope::materialize(StringRef name, const Sizes &known, Location user) {
  if (!known.areKnown()) {
    emitError(user) << "it uses '" << name
                    << "', which holds the size of a dimension that varies; only the "
                    << "shape of a Reshape can depend on that";
    return nullptr;
  }
  SmallVector<int64_t> shape;
  if (!known.isScalar)
    shape.push_back(known.values.size());
  Type element = known.isTruth ? builder.getI1Type() : builder.getI64Type();
  auto numbers = llvm::map_to_vector(
      known.values, [&](int64_t value) -> Attribute { return IntegerAttr::get(element, value); });
  auto content = DenseElementsAttr::get(RankedTensorType::get(shape, element), numbers);
  return values[name] = tutti::onnx::ConstantOp::create(builder, user, content);
}

static std::optional<Sizes> readSizes(Attribute content) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(content);
  if (!elements || elements.getType().getRank() > 1 || elements.getNumElements() > mostSizes)
    return std::nullopt;
  if (elements.getElementType().isInteger(1))
    return std::nullopt;
  Sizes known;
  known.isScalar = elements.getType().getRank() == 0;
  for (const APInt &value : elements.getValues<APInt>())
    known.values.push_back(value.getSExtValue());
  if (llvm::is_contained(known.values,
                         ShapedType::kDynamic)) // a number of the file is none that varies
    return std::nullopt;
  return known;
}

std::optional<Sizes> TensorScope::lookupSizes(StringRef name, Location user) {
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
