// Gradients of the operations that passes insert and that belong to no compute dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/Differentiable.h"
#include "passes/gradient/Passes.h"

using namespace mlir;
using namespace tutti;

namespace {

/// An external model whose rule is `Concrete::differentiate(op, builder, dy)`, which gives one
/// gradient per operand.
template <typename Concrete, typename Op>
struct GradientModel : DifferentiableOpInterface::ExternalModel<Concrete, Op> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &wanted,
                              SmallVectorImpl<Value> &operandGradients) const {
    operandGradients = Concrete::differentiate(cast<Op>(op), builder, resultGradients[0]);
    for (auto [i, gradient] : llvm::enumerate(operandGradients))
      if (!wanted[i])
        gradient = Value();
    return success();
  }
};

struct AddModel : GradientModel<AddModel, arith::AddFOp> {
  static SmallVector<Value> differentiate(arith::AddFOp, OpBuilder &, Value dy) { return {dy, dy}; }
};

struct SubModel : GradientModel<SubModel, arith::SubFOp> {
  static SmallVector<Value> differentiate(arith::SubFOp op, OpBuilder &builder, Value dy) {
    return {dy, arith::NegFOp::create(builder, op.getLoc(), dy)};
  }
};

struct NegModel : GradientModel<NegModel, arith::NegFOp> {
  static SmallVector<Value> differentiate(arith::NegFOp op, OpBuilder &builder, Value dy) {
    return {arith::NegFOp::create(builder, op.getLoc(), dy)};
  }
};

struct MulModel : GradientModel<MulModel, arith::MulFOp> {
  static SmallVector<Value> differentiate(arith::MulFOp op, OpBuilder &builder, Value dy) {
    return {arith::MulFOp::create(builder, op.getLoc(), dy, op.getRhs()),
            arith::MulFOp::create(builder, op.getLoc(), dy, op.getLhs())};
  }
};

/// The factor is a number that training does not move; a gradient with respect to it would be a
/// sum.
struct ScaleModel : DifferentiableOpInterface::ExternalModel<ScaleModel, train::ScaleOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &wanted,
                              SmallVectorImpl<Value> &operandGradients) const {
    auto scale = cast<train::ScaleOp>(op);
    if (wanted[1])
      return op->emitOpError("has no gradient with respect to its factor");
    Value slope = train::ScaleOp::create(builder, op->getLoc(), scale.getType(), resultGradients[0],
                                         scale.getFactor());
    operandGradients.assign({slope, Value()});
    return success();
  }
};

/// Only the shape of its operand matters.
struct FullLikeModel : GradientModel<FullLikeModel, train::FullLikeOp> {
  static SmallVector<Value> differentiate(train::FullLikeOp, OpBuilder &, Value) {
    return {Value()};
  }
};

} // namespace

void gradient::registerNeutralGradients(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *, train::TrainDialect *) {
    arith::AddFOp::attachInterface<AddModel>(*context);
    arith::SubFOp::attachInterface<SubModel>(*context);
    arith::NegFOp::attachInterface<NegModel>(*context);
    arith::MulFOp::attachInterface<MulModel>(*context);
    train::ScaleOp::attachInterface<ScaleModel>(*context);
    train::FullLikeOp::attachInterface<FullLikeModel>(*context);
  });
}
