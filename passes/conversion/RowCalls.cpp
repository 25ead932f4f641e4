// Calls of the kernels on rows of tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/RowCalls.h"

#include "dialects/kernel/Kernel.h"
#include "lib/program/Plan.h"
#include "passes/conversion/LinalgBuilders.h"

using namespace mlir;

int64_t tutti::conversion::indexBytes(Value indices) {
  return tensorType(indices).getElementTypeBitWidth() / 8;
}

static int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

Value tutti::conversion::createGatherRows(ImplicitLocOpBuilder &builder, Value table, Value indices,
                                          RankedTensorType type, int64_t axis, bool unused) {
  ArrayRef<int64_t> shape = tensorType(table).getShape();
  SmallVector<int64_t> parameters = {productOf(shape.take_front(axis)),
                                     shape[axis],
                                     productOf(shape.drop_front(axis + 1)) *
                                         tutti::program::bytesOfType(type.getElementType()),
                                     tensorType(indices).getNumElements(),
                                     indexBytes(indices),
                                     unused};
  return tutti::kernel::CallOp::create(builder, "tutti_gather_rows", ValueRange{table, indices},
                                       ValueRange{createEmpty(builder, type)}, parameters)
      .getResult(0);
}
