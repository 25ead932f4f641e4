// Constraints that type inference does not check.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace tutti::onnx;

#define GET_OP_CLASSES
#include "dialects/onnx/Onnx.cpp.inc"

static bool isScalarOrMissing(Value value) {
  return !value || cast<RankedTensorType>(value.getType()).getRank() == 0;
}

/// Checks the optional operands of a dropout:
/// - dropout_c1: they are scalars
/// - dropout_c2: a constant ratio is in [0, 1)
template <typename DropoutOp> static LogicalResult verifyDropout(DropoutOp op) {
  if (!isScalarOrMissing(op.getRatio()))
    return op.emitOpError("needs a scalar ratio, but it is ") << op.getRatio().getType();
  if (!isScalarOrMissing(op.getTrainingMode()))
    return op.emitOpError("needs a scalar training_mode, but it is ")
           << op.getTrainingMode().getType();
  DenseFPElementsAttr ratio;
  if (!op.getRatio() || !matchPattern(op.getRatio(), m_Constant(&ratio)))
    return success();
  double value = (*ratio.begin()).convertToDouble();
  if (value >= 0 && value < 1)
    return success();
  return op.emitOpError("needs a ratio of at least 0 and less than 1, but it is ") << value;
}

/// dropout_c3, randomnormallike_c2, randomuniformlike_c2: the samples are somewhere.
static LogicalResult verifySamples(tutti::PlacedDrawsOpInterface op) {
  std::optional<ArrayRef<int64_t>> samples = op.getSamples();
  if (!samples || samples->empty())
    return success();
  auto type = dyn_cast<RankedTensorType>(op.getDrawnFor().getType());
  bool isPlace = samples->size() == 2 && samples->front() >= 0 && samples->back() > 0;
  if (isPlace && (!type || samples->front() < type.getRank()))
    return success();
  return op->emitOpError("has samples = [")
         << llvm::interleaved(*samples).str() << "], but needs a dimension of "
         << op.getDrawnFor().getType() << " and how many blocks of samples it holds, or neither";
}

LogicalResult DropoutOp::verify() {
  return failure(failed(verifyDropout(*this)) || failed(verifySamples(*this)));
}
LogicalResult RandomNormalLikeOp::verify() { return verifySamples(*this); }
LogicalResult RandomUniformLikeOp::verify() { return verifySamples(*this); }
LogicalResult DropoutGradOp::verify() { return verifyDropout(*this); }

LogicalResult ClipOp::verify() {
  for (auto [name, bound] : {std::pair("min", getMin()), std::pair("max", getMax())})
    if (!isScalarOrMissing(bound)) // clip_c2
      return emitOpError("needs a scalar ") << name << ", but it is " << bound.getType();
  return success();
}

LogicalResult GeluOp::verify() {
  if (getApproximate() != "none" && getApproximate() != "tanh") // gelu_c1
    return emitOpError("has approximate = '")
           << getApproximate() << "', which is neither 'none' nor 'tanh'";
  return success();
}

LogicalResult BatchNormInternalOp::verify() {
  if (!getBatchMean() != !getBatchVar()) // batchnorminternal_c3
    return emitOpError("needs both batch_mean and batch_var or neither");
  return success();
}

LogicalResult BatchNormalizationGradOp::verify() {
  if (!getMeanDy() != !getMeanDyXhat()) // batchnormalizationgrad_c3
    return emitOpError("needs both mean_dy and mean_dy_xhat or neither");
  return success();
}

LogicalResult CustomOp::verify() {
  if (getName().empty()) // custom_c1
    return emitOpError("needs the name of an operator");
  return success();
}

LogicalResult tutti::onnx::rejectCustom(Location location, StringRef domain, StringRef name) {
  return emitError(location, "operator '")
         << name << "' of domain '" << (domain.empty() ? "ai.onnx" : domain)
         << "' cannot be compiled: Tutti has no definition of it; express it by operators that it "
            "has (docs/frontend.md), as nodes or as a function of the model (ModelProto.functions)";
}

LogicalResult tutti::onnx::rejectCustom(CustomOp op) {
  return rejectCustom(op.getLoc(), op.getDomain(), op.getName());
}
