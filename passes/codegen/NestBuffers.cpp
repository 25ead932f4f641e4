// Where the buffers of a loop nest lie, and which of them share no memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/NestBuffers.h"

#include "passes/memory/BufferLiveness.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tutti::codegen {

/// Views that show what is after the same pointer: only offset, shape and strides change.
static bool keepsPointer(Operation *op) {
  return isa_and_nonnull<memref::SubViewOp, memref::ReinterpretCastOp, memref::ExpandShapeOp,
                         memref::CollapseShapeOp, memref::CastOp>(op);
}

/// Goes from `buffer.base` to where its pointer comes from.
static LogicalResult traceBase(NestBuffer &buffer) {
  while (keepsPointer(buffer.base.getDefiningOp()))
    buffer.base = buffer.base.getDefiningOp()->getOperand(0);
  auto view = buffer.base.getDefiningOp<memref::ViewOp>();
  if (!view)
    return success();
  std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
  buffer.isPlaced = true;
  buffer.shift = shift.value_or(0);
  buffer.base = view.getSource();
  return success(shift.has_value());
}

/// The elements from the first to the last that `shape` reaches with `strides`; nothing where
/// strides go back.
static std::optional<int64_t> measureExtent(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (stride < 0)
      return std::nullopt;
    extent += (size - 1) * stride;
  }
  return llvm::is_contained(shape, 0) ? 0 : extent;
}

std::optional<NestBuffer> describeBuffer(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || !type.hasStaticShape() || failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamicShape(strides) || ShapedType::isDynamic(offset))
    return std::nullopt;
  std::optional<int64_t> extent = measureExtent(type.getShape(), strides);
  NestBuffer buffer;
  buffer.base = value;
  if (!extent || failed(traceBase(buffer)))
    return std::nullopt;
  int64_t bytes = memory::bytesOf(MemRefType::get({}, type.getElementType()));
  buffer.begin = buffer.shift + offset * bytes;
  buffer.end = buffer.begin + *extent * bytes;
  // In an arena the pointer goes to the first element, so that parts at other places are alike.
  if (buffer.isPlaced) {
    buffer.shift = buffer.begin;
    buffer.absorbed = offset;
    offset = 0;
  }
  Type element = type.getElementType();
  buffer.flat = MemRefType::get({offset + *extent}, element);
  buffer.shown = buffer.absorbed == 0
                     ? type
                     : MemRefType::get(type.getShape(), element,
                                       StridedLayoutAttr::get(type.getContext(), offset, strides));
  return buffer;
}

/// Whether nothing but what comes from `base` shows its memory.
static bool isUnshared(Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  auto function =
      argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
  return function &&
         function.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName());
}

/// Whether it is known what memory stands behind `base`.
static bool isRoot(Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  return argument ? isa<FunctionOpInterface>(argument.getOwner()->getParentOp())
                  : isa<memref::GetGlobalOp>(base.getDefiningOp());
}

bool areIndependent(const NestBuffer &a, const NestBuffer &b) {
  if (!a.isWritten && !b.isWritten)
    return true;
  if (a.base == b.base)
    return a.end <= b.begin || b.end <= a.begin;
  return isRoot(a.base) && isRoot(b.base) && (isUnshared(a.base) || isUnshared(b.base));
}

Value createArray(OpBuilder &builder, Location loc, const NestBuffer &buffer) {
  if (buffer.isPlaced) {
    Value shift = arith::ConstantIndexOp::create(builder, loc, buffer.shift);
    return memref::ViewOp::create(builder, loc, buffer.flat, buffer.base, shift, ValueRange());
  }
  if (buffer.base.getType() == buffer.flat)
    return buffer.base;
  return memref::ReinterpretCastOp::create(builder, loc, buffer.flat, buffer.base, /*offset=*/0,
                                           buffer.flat.getShape(), ArrayRef<int64_t>{1});
}

Value createShown(OpBuilder &builder, Location loc, Value array, MemRefType shown) {
  if (shown == array.getType())
    return array;
  auto [strides, offset] = shown.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(builder, loc, shown, array, offset, shown.getShape(),
                                           strides);
}

} // namespace tutti::codegen
