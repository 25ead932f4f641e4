// What every gradient rule of this dialect is written with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_GRADIENTS_GRADIENTBUILDER_H
#define TUTTI_ONNX_GRADIENTS_GRADIENTBUILDER_H

#include "dialects/onnx/inference/Inference.h"

namespace tutti::onnx {

/// Builds the gradients of one operation's operands, at one place, with the operation's location.
class GradientBuilder {
public:
  using Value = mlir::Value;

  GradientBuilder(mlir::Operation *op, mlir::OpBuilder &builder, mlir::ValueRange incoming,
                  const llvm::SmallBitVector &wanted, llvm::SmallVectorImpl<mlir::Value> &outgoing)
      : op(op), builder(builder), incoming(incoming), wanted(wanted), outgoing(outgoing) {
    outgoing.assign(op->getNumOperands(), mlir::Value());
  }

  /// The gradient that flows into a result; null if none does.
  mlir::Value into(unsigned result = 0) const { return incoming[result]; }
  /// True when someone needs the gradient of the operand; false for operands that are not there.
  bool wants(unsigned operand) const { return operand < wanted.size() && wanted[operand]; }
  /// `gradient`, summed over what the operand was broadcast over, is the gradient of the operand.
  void give(unsigned operand, mlir::Value gradient) {
    outgoing[operand] = sumTo(gradient, op->getOperand(operand).getType());
  }

  template <typename OpTy, typename... Args> OpTy create(Args &&...args) {
    return OpTy::create(builder, op->getLoc(), std::forward<Args>(args)...);
  }

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value neg(mlir::Value a) { return create<NegOp>(a); }
  mlir::Value abs(mlir::Value a) { return create<AbsOp>(a); }
  mlir::Value sign(mlir::Value a) { return create<SignOp>(a); }
  mlir::Value exp(mlir::Value a) { return create<ExpOp>(a); }
  mlir::Value erf(mlir::Value a) { return create<ErfOp>(a); }
  mlir::Value round(mlir::Value a) { return create<RoundOp>(a); }
  mlir::Value sin(mlir::Value a) { return create<SinOp>(a); }
  mlir::Value cos(mlir::Value a) { return create<CosOp>(a); }
  mlir::Value sqrt(mlir::Value a) { return create<SqrtOp>(a); }
  mlir::Value sinh(mlir::Value a) { return create<SinhOp>(a); }
  mlir::Value cosh(mlir::Value a) { return create<CoshOp>(a); }
  mlir::Value tanh(mlir::Value a) { return create<TanhOp>(a); }
  mlir::Value sigmoid(mlir::Value a) { return create<SigmoidOp>(a); }
  mlir::Value less(mlir::Value a, mlir::Value b) { return create<LessOp>(a, b); }
  mlir::Value atMost(mlir::Value a, mlir::Value b) { return create<LessOrEqualOp>(a, b); }
  mlir::Value equal(mlir::Value a, mlir::Value b) { return create<EqualOp>(a, b); }
  mlir::Value both(mlir::Value a, mlir::Value b) { return create<AndOp>(a, b); }
  mlir::Value either(mlir::Value a, mlir::Value b) { return create<OrOp>(a, b); }
  mlir::Value invert(mlir::Value a) { return create<NotOp>(a); }
  /// `condition ? a : b`, element by element.
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return create<WhereOp>(condition, a, b);
  }
  mlir::Value constant(double number, mlir::Value like) { return scalar(number, like); }
  /// A scalar with the element type of `like`.
  mlir::Value scalar(double value, mlir::Value like);
  /// An i64 scalar.
  mlir::Value integer(int64_t value);
  /// The size of a dimension, which may vary, as an i64 scalar.
  mlir::Value sizeAlong(mlir::Value like, int64_t axis);
  /// 0, 1, ... along a dimension, whose size may vary, as an i64 vector.
  mlir::Value countAlong(mlir::Value like, int64_t axis);
  /// `value * factor`.
  mlir::Value scale(mlir::Value value, double factor) { return mul(value, scalar(factor, value)); }
  /// The sum over `axes`; `value` itself if there are none.
  mlir::Value sum(mlir::Value value, llvm::ArrayRef<int64_t> axes, bool keepDimensions);
  /// The sum over the axes along which something of type `type` was broadcast to the shape of
  /// `value`.
  mlir::Value sumTo(mlir::Value value, mlir::Type type);
  /// A matrix transpose: exchanges the last two dimensions.
  mlir::Value transpose(mlir::Value value);
  mlir::Value unsqueeze(mlir::Value value, llvm::ArrayRef<int64_t> axes);
  mlir::Value squeeze(mlir::Value value, llvm::ArrayRef<int64_t> axes);

private:
  /// As many ones as a dimension has entries.
  mlir::Value onesAlong(mlir::Value like, int64_t axis);
  /// `value` with a type that knows more or fewer of its dimensions.
  mlir::Value retype(mlir::Value value, mlir::Type type);

  mlir::Operation *op;
  mlir::OpBuilder &builder;
  mlir::ValueRange incoming;
  const llvm::SmallBitVector &wanted;
  llvm::SmallVectorImpl<mlir::Value> &outgoing;
};

} // namespace tutti::onnx

/// Opens the definition of OP's gradient rule, with a GradientBuilder `g`.
#define TUTTI_ONNX_GRADIENT(OP)                                                                    \
  static mlir::LogicalResult differentiate(OP op, tutti::onnx::GradientBuilder &g);                \
  mlir::LogicalResult OP::buildGradient(                                                           \
      mlir::OpBuilder &builder, mlir::ValueRange resultGradients,                                  \
      const llvm::SmallBitVector &wanted, llvm::SmallVectorImpl<mlir::Value> &operandGradients) {  \
    tutti::onnx::GradientBuilder g(*this, builder, resultGradients, wanted, operandGradients);     \
    return differentiate(*this, g);                                                                \
  }                                                                                                \
  mlir::LogicalResult differentiate(OP op, tutti::onnx::GradientBuilder &g)

#endif // TUTTI_ONNX_GRADIENTS_GRADIENTBUILDER_H
