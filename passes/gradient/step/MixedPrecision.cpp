// Automatic mixed precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/step/MixedPrecision.h"

#include "dialects/onnx/Onnx.h"
#include "lib/analysis/Remarks.h"
#include "lib/options/KeyText.h"
#include "lib/program/ValueNames.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

namespace {

class Narrowing {
public:
  Narrowing(const MixedPrecision &precision, StringRef pass) : precision(precision), pass(pass) {}

  unsigned run(func::FuncOp step) {
    // Operations are only added around those that are visited.
    for (Operation &op : llvm::make_early_inc_range(step.getBody().front()))
      if (isListed(&op))
        narrow(&op, step);
      else if (followsType(&op) && getsNarrowed(&op))
        moveCasts(&op);
    return count;
  }

private:
  /// Whether the operator is to run in 16 bits, and can.
  bool isListed(Operation *op) const {
    StringRef name = op->getName().getStringRef();
    if (!name.consume_front("onnx.") || !llvm::is_contained(precision.narrowOperators, name))
      return false;
    if (!llvm::all_of(llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
                      [](Type type) { return getElementTypeOrSelf(type).isF32(); }))
      return false;
    return !precision.wideNodes.matches(program::nodeAt(op->getLoc()));
  }

  /// Whether each element of the result is one of an operand, or 0: as good in 16 bits.
  static bool followsType(Operation *op) {
    return isa<onnx::IdentityOp, onnx::FlattenOp, onnx::ReshapeOp, onnx::TransposeOp,
               onnx::SqueezeOp, onnx::UnsqueezeOp, onnx::ConcatOp, onnx::SplitOp, onnx::SliceOp,
               onnx::ExpandOp, onnx::ReluOp, onnx::MaxPoolOp>(op);
  }

  /// What `value` was before it was cast from 16 bits; null if it was not.
  Value beforeCast(Value value) const {
    auto cast = value.getDefiningOp<onnx::CastOp>();
    bool isNarrowed = cast && getElementTypeOrSelf(cast.getInput()) == precision.type &&
                      getElementTypeOrSelf(cast.getOutput()).isF32();
    return isNarrowed ? cast.getInput() : Value();
  }

  bool getsNarrowed(Operation *op) const {
    bool any = false;
    for (Value operand : op->getOperands()) {
      if (!isa<FloatType>(getElementTypeOrSelf(operand)))
        continue;
      if (!beforeCast(operand))
        return false;
      any = true;
    }
    return any;
  }

  Value toNarrow(OpBuilder &builder, Value value) {
    if (Value before = beforeCast(value))
      return before;
    Value &known = casts[value];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(value);
      known = onnx::CastOp::create(builder, value.getLoc(), value, precision.type);
    }
    return known;
  }

  void moveCasts(Operation *op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<FloatType>(getElementTypeOrSelf(operand.get())))
        operand.set(toNarrow(builder, operand.get()));
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      if (!isa<FloatType>(type.getElementType()))
        continue;
      result.setType(type.clone(precision.type));
      Value wide = onnx::CastOp::create(builder, op->getLoc(), result, type.getElementType());
      result.replaceAllUsesExcept(wide, wide.getDefiningOp());
    }
  }

  void narrow(Operation *op, func::FuncOp step) {
    moveCasts(op);
    ++count;
    remark::passed(op->getLoc(), remarkBy(pass, step))
        << (op->getName().getStringRef() + " is computed in " +
            (precision.type.isBF16() ? "bf16" : "f16"))
               .str();
  }

  const MixedPrecision &precision;
  StringRef pass;
  llvm::DenseMap<Value, Value> casts; ///< to 16 bits
  unsigned count = 0;
};

} // namespace

/// Complains about an operator that the ONNX dialect does not know.
static LogicalResult checkOperators(ArrayRef<std::string> operators, MLIRContext &context,
                                    options::NameGlobs::Complain complain) {
  std::vector<StringRef> known;
  // Not getRegisteredOperationsByDialect, which finds some dialects or not, as others are there.
  for (RegisteredOperationName operation : context.getRegisteredOperations())
    if (StringRef name = operation.getStringRef(); name.consume_front("onnx."))
      known.push_back(name);
  for (const std::string &name : operators)
    if (!llvm::is_contained(known, name))
      return complain("narrow: there is no operator '" + name + "'" +
                      options::didYouMean(name, known));
  return success();
}

FailureOr<MixedPrecision> MixedPrecision::create(const Recipe &recipe, func::FuncOp step,
                                                 options::NameGlobs::Complain complain) {
  MLIRContext *context = step.getContext();
  MixedPrecision precision;
  precision.type = recipe.compute == Recipe::Compute::BF16 ? FloatType(BFloat16Type::get(context))
                                                           : FloatType(Float16Type::get(context));
  precision.narrowOperators = recipe.narrowOperators;
  if (precision.narrowOperators.empty())
    precision.narrowOperators = {"MatMul", "Gemm", "Conv"};
  if (failed(checkOperators(precision.narrowOperators, *context, complain)))
    return failure();
  llvm::SetVector<StringRef> nodes;
  std::vector<std::string> texts;
  for (Operation &op : step.getBody().front())
    texts.push_back(program::nodeAt(op.getLoc()));
  for (StringRef text : texts)
    nodes.insert(text);
  auto wide =
      options::NameGlobs::create("wide", "node", recipe.wideNodes, nodes.getArrayRef(), complain);
  if (failed(wide))
    return failure();
  precision.wideNodes = std::move(*wide);
  return precision;
}

unsigned tutti::gradient::computeNarrow(func::FuncOp step, const MixedPrecision &precision,
                                        StringRef pass) {
  return Narrowing(precision, pass).run(step);
}
