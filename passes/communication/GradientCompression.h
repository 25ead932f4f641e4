// Gradients that travel as 16-bit floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_COMMUNICATION_GRADIENTCOMPRESSION_H
#define TUTTI_PASSES_COMMUNICATION_GRADIENTCOMPRESSION_H

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/diagnostics/Refusal.h"
#include "passes/communication/Residuals.h"

#include "llvm/ADT/SmallBitVector.h"

namespace tutti::communication {

/// How gradients travel.
struct WireFormat {
  mlir::FloatType type;       ///< f16 or bf16
  int64_t minBytes = 0;       ///< smaller tensors keep their type
  bool errorFeedback = false; ///< what the type loses is added to the gradient of the next step
};

/// Why an input is not compressed that no optimizer takes as a gradient.
inline constexpr llvm::StringLiteral kNoGradient = "it is no gradient";

/// How `op`, an all_reduce or a reduce_scatter, combines values; none for other collectives.
std::optional<Reduction> getReduction(mlir::Operation *op);

/// The bytes of `type`, a shaped one; none while its shape is not known.
std::optional<int64_t> countBytes(mlir::Type type);

/// Compresses reductions of one module. What is a gradient is found once, at the start.
class GradientCompression {
public:
  GradientCompression(mlir::ModuleOp module, WireFormat format);

  /// Why input `index` of the reduction `op` stays as it is, and is not narrowed.
  Refusal whyKept(collective::BucketOpInterface op, unsigned index) const;

  /// What input `index` is to the reader of a remark: "gradient of "w"".
  std::string describe(collective::BucketOpInterface op, unsigned index) const;

  /// Makes a sum of the wire type of the inputs that `narrowed` marks, of which there is one, and
  /// leaves the others in a reduction of their own; `op` is erased. A mean is taken before the sum,
  /// which could overflow else. Fails, with an error, where error feedback is not possible.
  mlir::LogicalResult narrow(collective::BucketOpInterface op,
                             const llvm::SmallBitVector &narrowed);

  /// Adds the variables of error feedback to the program, after the last `narrow`.
  void finish() { feedback.apply(); }

private:
  mlir::FailureOr<mlir::Value> buildNarrow(collective::BucketOpInterface op, unsigned index);
  mlir::Value getFactor(collective::BucketOpInterface op, mlir::Value value);

  WireFormat format;
  llvm::DenseMap<mlir::Value, program::GradientUse> gradients;
  llvm::DenseMap<std::pair<mlir::Block *, std::pair<mlir::Attribute, mlir::Type>>, mlir::Value>
      factors; ///< one over the number of ranks
  ErrorFeedback feedback;
};

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_GRADIENTCOMPRESSION_H
