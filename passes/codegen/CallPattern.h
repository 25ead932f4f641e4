// What the patterns that write calls of the runtime have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CODEGEN_CALLPATTERN_H
#define TUTTI_PASSES_CODEGEN_CALLPATTERN_H

#include "passes/codegen/RuntimeCalls.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

namespace tutti::codegen {

/// A pattern that knows the runtime.
template <typename Op> struct CallPattern : mlir::ConvertOpToLLVMPattern<Op> {
  CallPattern(const mlir::LLVMTypeConverter &converter, RuntimeCalls &calls)
      : mlir::ConvertOpToLLVMPattern<Op>(converter), calls(calls) {}

  /// The addresses of buffers of `types` that were converted to `descriptors`.
  llvm::SmallVector<mlir::Value> addresses(mlir::ConversionPatternRewriter &rewriter,
                                           mlir::Location loc, mlir::TypeRange types,
                                           mlir::ValueRange descriptors) const {
    llvm::SmallVector<mlir::Value> pointers;
    for (auto [type, descriptor] : llvm::zip_equal(types, descriptors))
      pointers.push_back(this->getStridedElementPtr(
          rewriter, loc, mlir::cast<mlir::MemRefType>(type), descriptor,
          llvm::SmallVector<mlir::Value>(mlir::cast<mlir::MemRefType>(type).getRank(),
                                         zero(rewriter, loc))));
    return pointers;
  }

  static mlir::Value zero(mlir::OpBuilder &builder, mlir::Location loc) {
    return i64(builder, loc, 0);
  }
  static mlir::Value i64(mlir::OpBuilder &builder, mlir::Location loc, int64_t value) {
    return mlir::LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  }
  static mlir::Value i32(mlir::OpBuilder &builder, mlir::Location loc, int32_t value) {
    return mlir::LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  }

  RuntimeCalls &calls;
};

} // namespace tutti::codegen

#endif // TUTTI_PASSES_CODEGEN_CALLPATTERN_H
