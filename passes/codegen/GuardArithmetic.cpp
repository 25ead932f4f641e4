// Results for every operand, or an error that names the node; never a signal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/GuardArithmetic.h"

#include "dialects/kernel/Kernel.h"
#include "lib/program/ValueNames.h"
#include "passes/codegen/CallPattern.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tutti::codegen {

//===----------------------------------------------------------------------===//
// Divisions and shifts
//===----------------------------------------------------------------------===//

static bool isSignedDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op);
}

static bool isDivision(Operation *op) {
  return isSignedDivision(op) || isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
}

static bool isShift(Operation *op) {
  return isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op);
}

static unsigned widthOf(Value value) {
  Type type = value.getType();
  return type.isIndex() ? IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
}

/// Whether the second operand is a constant with which nothing can go wrong.
static bool hasSafeOperand(Operation *op) {
  APInt value;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&value)))
    return false;
  return isShift(op) ? value.ult(widthOf(op->getOperand(0)))
                     : !value.isZero() && !(isSignedDivision(op) && value.isAllOnes());
}

/// Whether `op` works on single integers, of which some have no result.
static bool needsGuard(Operation *op) {
  bool isScalar = op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex();
  return isScalar && (isDivision(op) || isShift(op)) && !hasSafeOperand(op);
}

bool canReport(Operation *op) {
  return isa<cf::AssertOp>(op) || (isDivision(op) && needsGuard(op));
}

static Value constantOf(ImplicitLocOpBuilder &builder, Value like, int64_t value) {
  return arith::ConstantOp::create(builder, builder.getIntegerAttr(like.getType(), value));
}

static Value compare(ImplicitLocOpBuilder &builder, arith::CmpIPredicate predicate, Value a,
                     int64_t b) {
  return arith::CmpIOp::create(builder, predicate, a, constantOf(builder, a, b));
}

/// Replaces the uses of `op` but those in `by`.
static void replace(Operation *op, Value by) {
  op->getResult(0).replaceAllUsesExcept(by, by.getDefiningOp());
}

/// The quotient by -1 is the negative, which wraps; every number is a multiple of -1.
static Value quotientByMinusOne(ImplicitLocOpBuilder &builder, Operation *op) {
  Value zero = constantOf(builder, op->getOperand(0), 0);
  if (isa<arith::RemSIOp>(op))
    return zero;
  return arith::SubIOp::create(builder, zero, op->getOperand(0));
}

static void guardDivision(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Value divisor = op->getOperand(1);
  Value isRight = compare(builder, arith::CmpIPredicate::ne, divisor, 0);
  cf::AssertOp::create(builder, isRight, "an integer is divided by 0");
  Value one = constantOf(builder, divisor, 1);
  Value safe = arith::SelectOp::create(builder, isRight, divisor, one);
  if (!isSignedDivision(op)) {
    op->setOperand(1, safe);
    return;
  }
  Value isMinusOne = compare(builder, arith::CmpIPredicate::eq, divisor, -1);
  op->setOperand(1, arith::SelectOp::create(builder, isMinusOne, one, safe));
  builder.setInsertionPointAfter(op);
  Value special = quotientByMinusOne(builder, op);
  replace(op, arith::SelectOp::create(builder, isMinusOne, special, op->getResult(0)));
}

static void guardShift(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Value amount = op->getOperand(1);
  unsigned width = widthOf(amount);
  Value isRight = compare(builder, arith::CmpIPredicate::ult, amount, width);
  Value most = constantOf(builder, amount, width - 1);
  op->setOperand(1, arith::SelectOp::create(builder, isRight, amount, most));
  if (isa<arith::ShRSIOp>(op)) // every bit is the sign
    return;
  builder.setInsertionPointAfter(op);
  Value zero = constantOf(builder, op->getResult(0), 0);
  replace(op, arith::SelectOp::create(builder, isRight, op->getResult(0), zero));
}

void guardArithmetic(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (needsGuard(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    isShift(op) ? guardShift(op) : guardDivision(op);
}

//===----------------------------------------------------------------------===//
// Conversions and reports
//===----------------------------------------------------------------------===//

namespace {

/// A conversion that saturates.
template <typename Op> struct ConvertToInteger : ConvertOpToLLVMPattern<Op> {
  ConvertToInteger(const LLVMTypeConverter &converter, StringRef intrinsic)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (!type || !LLVM::isCompatibleType(type) || isa<LLVM::LLVMArrayType>(type))
      return rewriter.notifyMatchFailure(op, "is of no type that the machine has");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, type, rewriter.getStringAttr(intrinsic),
                                                       ValueRange(adaptor.getIn()));
    return success();
  }

  StringRef intrinsic;
};

/// `if (!condition) tutti_report(node, message)`.
struct ConvertAssert : CallPattern<cf::AssertOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(cf::AssertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<int64_t> words;
    tutti::kernel::appendName(program::nodeAt(loc), words);
    tutti::kernel::appendName(op.getMsg(), words);
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *failing = rewriter.createBlock(after);
    Value parameters = calls.constantArray(rewriter, loc, words);
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    Value none = LLVM::ZeroOp::create(rewriter, loc, pointer);
    if (failed(calls.call(rewriter, loc, "tutti_report", {none, parameters})))
      return failure();
    LLVM::BrOp::create(rewriter, loc, after);
    rewriter.setInsertionPointToEnd(before);
    rewriter.replaceOpWithNewOp<LLVM::CondBrOp>(op, adaptor.getArg(), after, failing);
    return success();
  }
};

} // namespace

void populateGuardPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns,
                           RuntimeCalls &calls) {
  patterns.add<ConvertToInteger<arith::FPToSIOp>>(converter, "llvm.fptosi.sat");
  patterns.add<ConvertToInteger<arith::FPToUIOp>>(converter, "llvm.fptoui.sat");
  patterns.add<ConvertAssert>(converter, calls);
}

} // namespace tutti::codegen
