// Making a rule of sharding: which dimensions of which tensors are one factor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_STABLEHLO_SHAREDFACTORS_H
#define TUTTI_LIB_STABLEHLO_SHAREDFACTORS_H

#include "dialects/interfaces/sharding/ShardingRule.h"

namespace tutti::stablehlo {

/// A dimension of a tensor of an operation; results are numbered after operands.
struct Place {
  unsigned tensor;
  int64_t dimension;
};

/// The rule of an operation on static tensors as it is made, factor by factor. Dimensions that
/// share none cannot be split.
class SharedFactors {
public:
  explicit SharedFactors(mlir::Operation *op);

  mlir::RankedTensorType getType(unsigned tensor) const { return types[tensor]; }
  unsigned getResult(unsigned result = 0) const { return rule.operands.size() + result; }

  /// These dimensions are one factor, if they are equally long. One that does not exist, or is
  /// shared already, makes the rule fail.
  void share(FactorKind kind, llvm::ArrayRef<Place> places);
  /// The next factor of these dimensions, outermost first, has this size: of dimensions of several
  /// factors, whose sizes the caller has multiplied.
  void shareNext(FactorKind kind, int64_t size, llvm::ArrayRef<Place> places);
  /// Dimension i of all tensors of the rank of the first result is one factor, if `passes(i)` and
  /// an operand is among them.
  void shareAligned(llvm::function_ref<bool(int64_t)> passes);
  /// Dimensions of the result that have no factor depend on no operand.
  void freeResult();
  void addLinear(llvm::ArrayRef<unsigned> set) { rule.addLinear(set); }

  mlir::FailureOr<ShardingRule> take();

private:
  TensorFactors &factorsOf(unsigned tensor);
  void fill(TensorFactors &factors, mlir::RankedTensorType type, FactorKind kind);

  llvm::SmallVector<mlir::RankedTensorType> types;
  ShardingRule rule;
  bool isBroken = false;
};

} // namespace tutti::stablehlo

#endif // TUTTI_LIB_STABLEHLO_SHAREDFACTORS_H
