// Shape arithmetic with `?` dimensions, and what every type inference of this dialect works with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_INFERENCE_H
#define TUTTI_ONNX_INFERENCE_H

#include "dialects/onnx/Onnx.h"

#include <optional>

namespace tutti::onnx {

using Shape = llvm::SmallVector<int64_t>;

/// The dimension that both must be: `?` gives way to a static one. None if they differ.
std::optional<int64_t> mergeDimensions(int64_t a, int64_t b);

/// The shape that both must be, or none.
std::optional<Shape> mergeShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// The shape that both broadcast to by numpy's rules, or none. `?` with a static dimension above 1
/// is that dimension.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// The axes counted from 0, ascending; none if one is out of range or named twice.
std::optional<llvm::SmallVector<int64_t>> normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

/// The axes of a reduction: all of them when none are given, unless `noop` says none. Else as
/// normalizeAxes.
std::optional<llvm::SmallVector<int64_t>> reducedAxes(std::optional<llvm::ArrayRef<int64_t>> axes,
                                                      bool noop, int64_t rank);

/// The shape after reducing `axes` (counted from 0, ascending).
Shape reduceShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes, bool keepDimensions);

/// Collects the inferred types of one operation and reports why there are none. Every method that
/// can fail has emitted the error, which names the operation and the types at fault.
class Inference {
public:
  Inference(llvm::StringRef operation, std::optional<mlir::Location> location,
            llvm::SmallVectorImpl<mlir::Type> &types)
      : operation(operation), location(location), types(types) {}

  template <typename... Args> mlir::LogicalResult error(Args &&...args) const {
    return mlir::emitOptionalError(location, "'", operation, "' op ", std::forward<Args>(args)...);
  }

  /// The next result has this type.
  mlir::LogicalResult give(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::LogicalResult give(mlir::Type type);

  /// The operands are ranked tensors.
  mlir::LogicalResult requireRanked(mlir::ValueRange operands) const;
  /// The operands are ranked tensors of one element type.
  mlir::LogicalResult requireOneElementType(mlir::ValueRange operands) const;
  /// `a` and `b` are ranked tensors with compatible shapes and one element type.
  mlir::LogicalResult requireSameType(mlir::Value a, llvm::StringRef aName, mlir::Value b,
                                      llvm::StringRef bName) const;
  /// `operand` (if there is one) is [size] of the given element type.
  mlir::LogicalResult requireVector(mlir::Value operand, llvm::StringRef name, int64_t size,
                                    mlir::Type element) const;
  /// `operand` is compatible with the given shape.
  mlir::LogicalResult requireShape(mlir::Value operand, llvm::StringRef name,
                                   llvm::ArrayRef<int64_t> shape) const;
  /// The operand has a rank in [least, most].
  mlir::LogicalResult requireRank(mlir::Value operand, llvm::StringRef name, int64_t least,
                                  int64_t most = INT64_MAX) const;
  /// `axis` is in [-rank, rank).
  mlir::LogicalResult requireAxis(int64_t axis, mlir::Value operand) const;

  /// The shape that the operands broadcast to; there is at least one.
  mlir::FailureOr<Shape> broadcast(mlir::ValueRange operands) const;
  /// The next result has that shape, and the first operand's element type.
  mlir::LogicalResult giveBroadcast(mlir::ValueRange operands);
  /// The next result has the operand's type.
  mlir::LogicalResult giveTypeOf(mlir::Value operand);

private:
  llvm::StringRef operation;
  std::optional<mlir::Location> location;
  llvm::SmallVectorImpl<mlir::Type> &types;
};

/// The shape and element type of a ranked tensor.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);

/// The inference of an elementwise operator: operands broadcast, those from `firstTyped` on have
/// one element type, which the result has too unless it is a truth.
mlir::LogicalResult inferElementwise(Inference infer, mlir::ValueRange operands,
                                     unsigned firstTyped, bool isTruth);

/// The inference of an activation's gradient: `dy` and what was saved have one type.
mlir::LogicalResult inferActivationGradient(Inference infer, mlir::Value dy, mlir::Value saved,
                                            llvm::StringRef name);

/// `axis` counted from 0; it is a dimension of `operand`.
int64_t countedFromZero(int64_t axis, mlir::Value operand);

/// A shape as people write it: `[?, 3, 8]`.
std::string toString(llvm::ArrayRef<int64_t> shape);

/// The attributes as they stand on an operation.
struct WindowAttributes {
  llvm::StringRef autoPad;
  llvm::ArrayRef<int64_t> kernel;
  std::optional<llvm::ArrayRef<int64_t>> pads = std::nullopt;
  std::optional<llvm::ArrayRef<int64_t>> strides = std::nullopt;
  std::optional<llvm::ArrayRef<int64_t>> dilations = std::nullopt;
  bool ceilMode = false;
};

/// Resolves the attributes for an input with the given spatial dimensions; checks conv_c3, conv_c5.
mlir::FailureOr<Window> resolveWindow(const Inference &infer, const WindowAttributes &attributes,
                                      llvm::ArrayRef<int64_t> spatial);

/// The number of positions of the window in each dimension; checks conv_c6.
mlir::FailureOr<Shape> slideWindow(const Inference &infer, const Window &window,
                                   llvm::ArrayRef<int64_t> spatial, bool ceilMode);

} // namespace tutti::onnx

/// Opens the definition of OP's type inference.
#define TUTTI_ONNX_INFER(OP)                                                                       \
  mlir::LogicalResult OP::inferReturnTypes(                                                        \
      mlir::MLIRContext *context, std::optional<mlir::Location> location, Adaptor adaptor,         \
      llvm::SmallVectorImpl<mlir::Type> &types)

#endif // TUTTI_ONNX_INFERENCE_H
