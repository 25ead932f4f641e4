// Large constants as plain bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/PackConstants.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tutti::codegen {

/// What the runtime aligns buffers to; an array of bytes by itself would stand anywhere.
static constexpr uint64_t kAlignment = 64;

/// Whether elements lie in memory as in the attribute: bits of i1 may not.
static bool isWholeBytes(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0;
}

static RankedTensorType bytesType(MLIRContext *context, int64_t count) {
  return RankedTensorType::get({count}, IntegerType::get(context, 8));
}

/// The bytes of `value`; null if it is not large or does not have them one by one.
static ElementsAttr packed(Attribute value) {
  auto elements = dyn_cast_or_null<ElementsAttr>(value);
  if (!elements || !isWholeBytes(elements.getElementType()))
    return nullptr;
  int64_t count =
      elements.getNumElements() * (elements.getElementType().getIntOrFloatBitWidth() / 8);
  RankedTensorType type = bytesType(value.getContext(), count);
  if (count < kSmallestPackedBytes)
    return nullptr;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value);
  if (!dense || dense.isSplat())
    return nullptr;
  return DenseElementsAttr::getFromRawBuffer(type, dense.getRawData());
}

void packConstants(ModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    ElementsAttr bytes = global.getConstant() ? packed(global.getValueOrNull()) : nullptr;
    if (!bytes)
      continue;
    auto byte = IntegerType::get(module.getContext(), 8);
    global.setGlobalType(LLVM::LLVMArrayType::get(byte, bytes.getNumElements()));
    global.setValueAttr(bytes);
    global.setAlignment(std::max(global.getAlignment().value_or(1), kAlignment));
  }
}

} // namespace tutti::codegen
