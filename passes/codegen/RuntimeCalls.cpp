// Calls of the runtime in the LLVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/RuntimeCalls.h"

#include "dialects/collective/Collective.h"
#include "dialects/kernel/Kernel.h"
#include "lib/program/ValueNames.h"
#include "passes/codegen/CallPattern.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti::collective;
using tutti::kernel::KernelOpInterface;

namespace tutti::codegen {

/// The spelling of an entry of abi.def, empty if there is no such entry.
static StringRef spellingOf(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
#define TUTTI_ENTRY(entry, spelling, parameters, arguments) .Case(#entry, spelling)
#define TUTTI_QUERY_ENTRY(entry, spelling, parameters, arguments) .Case(#entry, spelling)
#include "tutti/abi.def"
      .Default("");
}

FailureOr<LLVM::CallOp> RuntimeCalls::emit(OpBuilder &builder, Location loc, StringRef name,
                                           Type result, ValueRange arguments) const {
  SmallVector<Type> types;
  for (char letter : spellingOf(name)) {
    if (letter == 'p')
      types.push_back(LLVM::LLVMPointerType::get(builder.getContext()));
    else
      types.push_back(builder.getIntegerType(letter == 'l' ? 64 : 32));
  }
  OpBuilder declarations(builder.getContext());
  auto callee = LLVM::lookupOrCreateFn(declarations, module, name, types, result);
  if (failed(callee))
    return failure();
  Region *region = builder.getInsertionBlock()->getParent();
  auto function = region->getParentOfType<FunctionOpInterface>();
  SmallVector<Value> operands{function.getFunctionBody().getArguments().back()};
  llvm::append_range(operands, arguments);
  return LLVM::CallOp::create(builder, loc, *callee, operands);
}

LogicalResult RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name,
                                 ValueRange arguments) const {
  return emit(builder, loc, name, LLVM::LLVMVoidType::get(builder.getContext()), arguments);
}

FailureOr<Value> RuntimeCalls::query(OpBuilder &builder, Location loc, StringRef name,
                                     ValueRange arguments) const {
  FailureOr<LLVM::CallOp> called = emit(builder, loc, name, builder.getI64Type(), arguments);
  if (failed(called))
    return failure();
  return called->getResult();
}

Value RuntimeCalls::constantArray(OpBuilder &builder, Location loc, ArrayRef<int64_t> values) {
  auto data = builder.getI64TensorAttr(values);
  LLVM::GlobalOp &global = arrays[data];
  if (!global) {
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), values.size());
    global =
        LLVM::GlobalOp::create(atStart, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                               "parameters_" + std::to_string(arrays.size()), data);
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::stackArray(OpBuilder &builder, Location loc, Type type,
                               ValueRange values) const {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value array;
  {
    // In the entry block, where LLVM knows allocas to be of fixed size.
    OpBuilder::InsertionGuard guard(builder);
    Region *region = builder.getInsertionBlock()->getParent();
    builder.setInsertionPointToStart(&region->front());
    Value count = LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(values.size()));
    array = LLVM::AllocaOp::create(builder, loc, pointer, type, count);
  }
  for (auto [position, value] : llvm::enumerate(values)) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, type, array,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(position)});
    LLVM::StoreOp::create(builder, loc, value, slot);
  }
  return array;
}

Value RuntimeCalls::pointerArray(OpBuilder &builder, Location loc, ValueRange pointers) const {
  return stackArray(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), pointers);
}

namespace {

struct ConvertKernel : ConvertOpInterfaceToLLVMPattern<KernelOpInterface> {
  ConvertKernel(const LLVMTypeConverter &converter, RuntimeCalls &calls)
      : ConvertOpInterfaceToLLVMPattern(converter), calls(calls) {}

  LogicalResult matchAndRewrite(KernelOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op->getLoc();
    SmallVector<Value> pointers;
    Value zero = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(0));
    for (auto [type, descriptor] : llvm::zip_equal(op->getOperandTypes(), operands)) {
      auto buffer = cast<MemRefType>(type);
      pointers.push_back(getStridedElementPtr(rewriter, loc, buffer, descriptor,
                                              SmallVector<Value>(buffer.getRank(), zero)));
    }
    Value buffers = calls.pointerArray(rewriter, loc, pointers);
    SmallVector<int64_t> words = op.getParameters();
    StringRef part = program::partAt(loc);
    kernel::appendName(program::nodeAt(loc) + (part.empty() ? "" : "\x1f" + part.str()), words);
    Value parameters = calls.constantArray(rewriter, loc, words);
    if (failed(calls.call(rewriter, loc, kernel::getEntryName(op), {buffers, parameters})))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

  RuntimeCalls &calls;
};

/// A question on groups: one call, whose answer is an index.
template <typename Op> struct ConvertQuery : CallPattern<Op> {
  using CallPattern<Op>::CallPattern;
  using OpAdaptor = typename Op::Adaptor;

  Value groupNumber(OpBuilder &builder, Location loc, FlatSymbolRefAttr group) const {
    return this->i64(builder, loc, this->calls.group(group).number);
  }

  /// The function to ask, and what it is told.
  std::pair<StringRef, SmallVector<Value>> question(RankOp op, OpAdaptor,
                                                    OpBuilder &builder) const {
    return {"tutti_group_rank", {groupNumber(builder, op.getLoc(), op.getGroupAttr())}};
  }
  std::pair<StringRef, SmallVector<Value>> question(SizeOp op, OpAdaptor,
                                                    OpBuilder &builder) const {
    return {"tutti_group_size", {groupNumber(builder, op.getLoc(), op.getGroupAttr())}};
  }
  std::pair<StringRef, SmallVector<Value>> question(LocalRankOp, OpAdaptor, OpBuilder &) const {
    return {"tutti_local_rank", {}};
  }
  std::pair<StringRef, SmallVector<Value>> question(LocalSizeOp, OpAdaptor, OpBuilder &) const {
    return {"tutti_local_size", {}};
  }
  std::pair<StringRef, SmallVector<Value>>
  question(TranslateRankOp op, TranslateRankOp::Adaptor adaptor, OpBuilder &builder) const {
    Location loc = op.getLoc();
    return {"tutti_translate_rank",
            {groupNumber(builder, loc, op.getFromAttr()), adaptor.getRank(),
             groupNumber(builder, loc, op.getToAttr())}};
  }

  LogicalResult matchAndRewrite(Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto [function, arguments] = question(op, adaptor, rewriter);
    FailureOr<Value> answer = this->calls.query(rewriter, op.getLoc(), function, arguments);
    if (failed(answer))
      return failure();
    rewriter.replaceOp(op, *answer);
    return success();
  }
};

} // namespace

void populateRuntimeCallPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                 RuntimeCalls &calls) {
  patterns.add<ConvertKernel, ConvertQuery<RankOp>, ConvertQuery<SizeOp>, ConvertQuery<LocalRankOp>,
               ConvertQuery<LocalSizeOp>, ConvertQuery<TranslateRankOp>>(converter, calls);
}

} // namespace tutti::codegen
