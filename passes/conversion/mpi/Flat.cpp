// Views and copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/mpi/Flat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;
using namespace tutti::conversion;

MemRefType tutti::conversion::getFlatType(Type element) {
  auto layout = StridedLayoutAttr::get(element.getContext(), ShapedType::kDynamic, {1});
  return MemRefType::get({ShapedType::kDynamic}, element, layout);
}

static MemRefType bufferTypeOf(Value buffer) { return cast<MemRefType>(buffer.getType()); }

/// Whether elements lie one after the other, whatever the sizes.
static bool isDense(MemRefType type) {
  if (type.getLayout().isIdentity() || memref::isStaticShapeAndContiguousRowMajor(type))
    return true;
  auto [strides, offset] = type.getStridesAndOffset();
  return type.getRank() == 0 || (type.getRank() == 1 && strides.front() == 1);
}

static Value copyOf(ImplicitLocOpBuilder &builder, Value buffer) {
  MemRefType type = bufferTypeOf(buffer);
  SmallVector<Value> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      extents.push_back(memref::DimOp::create(builder, buffer, i));
  auto dense = MemRefType::get(type.getShape(), type.getElementType());
  Value copy = memref::AllocOp::create(builder, dense, extents);
  // A loop rather than memref.copy, which calls a library for what has gaps.
  linalg::CopyOp::create(builder, buffer, copy);
  return copy;
}

/// A dense buffer in one dimension.
static Value flatten(ImplicitLocOpBuilder &builder, Value buffer) {
  MemRefType type = bufferTypeOf(buffer);
  Value row = buffer;
  if (type.getRank() == 0)
    row = memref::ExpandShapeOp::create(builder, ArrayRef<int64_t>{1}, buffer,
                                        ArrayRef<ReassociationIndices>{});
  else if (type.getRank() > 1)
    row = memref::CollapseShapeOp::create(
        builder, buffer,
        ReassociationIndices(llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()))));
  return memref::CastOp::create(builder, getFlatType(type.getElementType()), row);
}

FlatBuffer::FlatBuffer(ImplicitLocOpBuilder &builder, Value buffer, bool isWritten)
    : builder(builder), buffer(buffer), isWritten(isWritten) {
  if (!isDense(bufferTypeOf(buffer)))
    copy = copyOf(builder, buffer);
  flat = flatten(builder, copy ? copy : buffer);
}

void FlatBuffer::finish() {
  if (!copy)
    return;
  if (isWritten)
    linalg::CopyOp::create(builder, copy, buffer);
  memref::DeallocOp::create(builder, copy);
}

Value tutti::conversion::countRowElements(ImplicitLocOpBuilder &builder, Value buffer) {
  Value count = arith::ConstantIndexOp::create(builder, 1);
  for (int64_t i = 1; i < bufferTypeOf(buffer).getRank(); ++i)
    count =
        builder.createOrFold<arith::MulIOp>(count, builder.createOrFold<memref::DimOp>(buffer, i));
  return count;
}

void tutti::conversion::writeFlattened(ImplicitLocOpBuilder &builder, Value input, Value row) {
  FlatBuffer from(builder, input, /*isWritten=*/false);
  MemRefType type = bufferTypeOf(row);
  int64_t count = bufferTypeOf(input).getNumElements(), length = type.getNumElements();
  auto partOf = [&](int64_t begin, int64_t size) -> Value {
    SmallVector<OpFoldResult> offsets = {builder.getIndexAttr(begin)},
                              sizes = {builder.getIndexAttr(size)},
                              strides = {builder.getIndexAttr(1)};
    return memref::SubViewOp::create(builder, row, offsets, sizes, strides);
  };
  auto whole = MemRefType::get({count}, type.getElementType(),
                               getFlatType(type.getElementType()).getLayout());
  linalg::CopyOp::create(builder, memref::CastOp::create(builder, whole, from.get()).getResult(),
                         partOf(0, count));
  if (length > count) {
    Type element = type.getElementType();
    Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(element));
    linalg::FillOp::create(builder, zero, partOf(count, length - count));
  }
  from.finish();
}
