// Calls of the runtime in the LLVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lowering/RuntimeCalls.h"

#include "dialects/collective/Collective.h"
#include "dialects/kernel/Kernel.h"
#include "lib/execution/Plan.h"
#include "tutti/types.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti::collective;
using tutti::execution::numberOfType;
using tutti::kernel::CallOp;

namespace tutti::lowering {

/// The spelling of an entry of abi.def, empty if there is no such entry.
static StringRef spellingOf(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
#define TUTTI_ENTRY(entry, spelling, parameters) .Case(#entry, spelling)
#include "tutti/abi.def"
      .Default("");
}

LogicalResult RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name,
                                 ValueRange arguments) const {
  SmallVector<Type> types;
  for (char letter : spellingOf(name)) {
    if (letter == 'p')
      types.push_back(LLVM::LLVMPointerType::get(builder.getContext()));
    else
      types.push_back(builder.getIntegerType(letter == 'l' ? 64 : 32));
  }
  OpBuilder declarations(builder.getContext());
  auto callee = LLVM::lookupOrCreateFn(declarations, module, name, types,
                                       LLVM::LLVMVoidType::get(builder.getContext()));
  if (failed(callee))
    return failure();
  Region *region = builder.getInsertionBlock()->getParent();
  auto function = region->getParentOfType<FunctionOpInterface>();
  SmallVector<Value> operands{function.getFunctionBody().getArguments().back()};
  llvm::append_range(operands, arguments);
  LLVM::CallOp::create(builder, loc, *callee, operands);
  return success();
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

Value RuntimeCalls::pointerArray(OpBuilder &builder, Location loc, ValueRange pointers) const {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value array;
  {
    // In the entry block, where LLVM knows allocas to be of fixed size.
    OpBuilder::InsertionGuard guard(builder);
    Region *region = builder.getInsertionBlock()->getParent();
    builder.setInsertionPointToStart(&region->front());
    Value count =
        LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(pointers.size()));
    array = LLVM::AllocaOp::create(builder, loc, pointer, pointer, count);
  }
  for (auto [position, value] : llvm::enumerate(pointers)) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, array,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(position)});
    LLVM::StoreOp::create(builder, loc, value, slot);
  }
  return array;
}

namespace {

/// A pattern that knows the runtime.
template <typename Op> struct CallPattern : ConvertOpToLLVMPattern<Op> {
  CallPattern(const LLVMTypeConverter &converter, RuntimeCalls &calls)
      : ConvertOpToLLVMPattern<Op>(converter), calls(calls) {}

  /// The addresses of buffers of `types` that were converted to `descriptors`.
  SmallVector<Value> addresses(ConversionPatternRewriter &rewriter, Location loc, TypeRange types,
                               ValueRange descriptors) const {
    SmallVector<Value> pointers;
    for (auto [type, descriptor] : llvm::zip_equal(types, descriptors))
      pointers.push_back(this->getStridedElementPtr(
          rewriter, loc, cast<MemRefType>(type), descriptor,
          SmallVector<Value>(cast<MemRefType>(type).getRank(), zero(rewriter, loc))));
    return pointers;
  }

  static Value zero(OpBuilder &builder, Location loc) { return i64(builder, loc, 0); }
  static Value i64(OpBuilder &builder, Location loc, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  }
  static Value i32(OpBuilder &builder, Location loc, int32_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  }

  RuntimeCalls &calls;
};

struct ConvertKernelCall : CallPattern<CallOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(CallOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value buffers = calls.pointerArray(
        rewriter, loc, addresses(rewriter, loc, op->getOperandTypes(), adaptor.getOperands()));
    Value parameters = calls.constantArray(rewriter, loc, op.getParameters());
    if (failed(calls.call(rewriter, loc, op.getCallee(), {buffers, parameters})))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// The function of a collective, and its parameters between the group and the element type.
struct Entry {
  StringRef callee;
  SmallVector<int32_t, 1> parameters;
};

Entry entryOf(AllReduceOp op) {
  static_assert(
      uint32_t(ReductionKind::sum) == TUTTI_SUM && uint32_t(ReductionKind::mean) == TUTTI_MEAN &&
      uint32_t(ReductionKind::min) == TUTTI_MIN && uint32_t(ReductionKind::max) == TUTTI_MAX &&
      uint32_t(ReductionKind::prod) == TUTTI_PROD);
  return {"tutti_all_reduce", {static_cast<int32_t>(op.getReduction())}};
}
Entry entryOf(ReduceScatterOp op) {
  return {"tutti_reduce_scatter", {static_cast<int32_t>(op.getReduction())}};
}
Entry entryOf(BroadcastOp op) { return {"tutti_broadcast", {static_cast<int32_t>(op.getRoot())}}; }
Entry entryOf(AllGatherOp) { return {"tutti_all_gather", {}}; }

/// A collective on data: one call for each element type of the bucket.
template <typename Op> struct ConvertBucket : CallPattern<Op> {
  using CallPattern<Op>::CallPattern;
  using OpAdaptor = typename Op::Adaptor;

  LogicalResult matchAndRewrite(Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto sources = this->addresses(rewriter, loc, op.getInputs().getTypes(), adaptor.getInputs());
    auto destinations =
        this->addresses(rewriter, loc, op.getDestinations().getTypes(), adaptor.getDestinations());
    auto types =
        llvm::map_to_vector(op.getInputs(), [](Value v) { return getElementTypeOrSelf(v); });
    int64_t entry = op->template getAttrOfType<IntegerAttr>(kPlanEntry).getInt();
    for (ArrayRef<unsigned> positions : execution::splitByType(types))
      if (failed(callFor(op, rewriter, positions, sources, destinations, entry++)))
        return failure();
    rewriter.eraseOp(op);
    return success();
  }

  /// The runtime counts the elements of a part: the smaller of input and destination.
  static int64_t elementsOf(Op op, unsigned position) {
    auto count = [](Value buffer) { return cast<MemRefType>(buffer.getType()).getNumElements(); };
    return std::min(count(op.getInputs()[position]), count(op.getDestinations()[position]));
  }

  LogicalResult callFor(Op op, OpBuilder &builder, ArrayRef<unsigned> positions,
                        ArrayRef<Value> sources, ArrayRef<Value> destinations,
                        int64_t entry) const {
    Location loc = op.getLoc();
    SmallVector<Value> from, to;
    SmallVector<int64_t> elements;
    for (unsigned position : positions) {
      from.push_back(sources[position]);
      to.push_back(destinations[position]);
      elements.push_back(elementsOf(op, position));
    }
    Type type = getElementTypeOrSelf(op.getInputs()[positions.front()]);
    Entry called = entryOf(op);
    SmallVector<Value> arguments{this->i64(builder, loc, entry),
                                 this->i64(builder, loc, TUTTI_GROUP_WORLD)};
    for (int32_t parameter : called.parameters)
      arguments.push_back(this->i32(builder, loc, parameter));
    llvm::append_values(arguments, this->i32(builder, loc, numberOfType(type)),
                        this->i64(builder, loc, positions.size()),
                        this->calls.pointerArray(builder, loc, from),
                        this->calls.pointerArray(builder, loc, to),
                        this->calls.constantArray(builder, loc, elements));
    return this->calls.call(builder, loc, called.callee, arguments);
  }
};

struct ConvertBarrier : CallPattern<BarrierOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t entry = op->getAttrOfType<IntegerAttr>(kPlanEntry).getInt();
    if (failed(calls.call(rewriter, loc, "tutti_barrier",
                          {i64(rewriter, loc, entry), i64(rewriter, loc, TUTTI_GROUP_WORLD)})))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateRuntimeCallPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                 RuntimeCalls &calls) {
  patterns.add<ConvertKernelCall, ConvertBucket<AllReduceOp>, ConvertBucket<BroadcastOp>,
               ConvertBucket<AllGatherOp>, ConvertBucket<ReduceScatterOp>, ConvertBarrier>(
      converter, calls);
}

} // namespace tutti::lowering
