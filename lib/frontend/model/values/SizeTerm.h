// Sizes that vary, and arithmetic on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_VALUES_SIZETERM_H
#define TUTTI_LIB_FRONTEND_MODEL_VALUES_SIZETERM_H

#include "mlir/IR/Value.h"

#include <memory>
#include <optional>

namespace tutti::frontend {

/// The dimension of a tensor that a size is; of no tensor if that is not known.
struct SizeOrigin {
  mlir::Value tensor;
  int64_t axis = 0;

  bool operator==(const SizeOrigin &other) const {
    return tensor == other.tensor && axis == other.axis;
  }
  bool operator!=(const SizeOrigin &other) const { return !(*this == other); }
};

struct SizeOperation;

/// A size as it is computed: `times` * the dimension + `plus`; of no tensor, the number `plus`; or
/// what an operation makes of two others.
struct SizeTerm {
  SizeOrigin dimension;
  int64_t times = 1, plus = 0;
  std::shared_ptr<const SizeOperation> made = nullptr;

  static SizeTerm number(int64_t value) { return {{}, 0, value}; }
  bool isNumber() const { return !made && !dimension.tensor; }
  /// Whether it is a dimension as it is.
  bool isDimension() const { return !made && dimension.tensor && times == 1 && plus == 0; }
  /// Whether both are made alike of the same dimensions; the order of factors and of summands does
  /// not matter.
  bool operator==(const SizeTerm &other) const;
  bool operator!=(const SizeTerm &other) const { return !(*this == other); }
};

/// Add, Sub, Mul, Div, Mod, Min or Max of two sizes, with the meaning that the operators of ONNX
/// have for integers.
struct SizeOperation {
  std::string op;
  SizeTerm first, second;
  int leaves; ///< of the tree below, whose parts may be shared
};

/// What a dimension is a multiple of, so that equal sizes become equal terms.
using TermOf = llvm::function_ref<SizeTerm(SizeOrigin)>;

/// `term`, of sources alone.
SizeTerm canonical(const SizeTerm &term, TermOf termOf);

/// What operator `op` makes of two sizes. None where a number overflows, is divided by 0, or the
/// operator is no other than those of SizeOperation; and where too many are combined.
std::optional<SizeTerm> combine(llvm::StringRef op, const SizeTerm &first, const SizeTerm &second,
                                TermOf termOf);

/// The size where `numberOf` says what the dimensions are. None where a number overflows, or is
/// divided by 0.
std::optional<int64_t> evaluateTerm(const SizeTerm &term,
                                    llvm::function_ref<int64_t(SizeOrigin)> numberOf);

/// Whether the first size is never the larger one, as far as that can be told: no dimension is 0.
bool isAtMost(const SizeTerm &first, const SizeTerm &second, TermOf termOf);

/// The number of elements of a tensor with these sizes, as a product of a number and of sizes that
/// are no products of others.
class SizeProduct {
public:
  /// `term` is canonical.
  void multiply(const SizeTerm &term);
  /// What this is, divided by `other`: a term if it is a number, or a multiple of one size.
  std::optional<SizeTerm> divide(const SizeProduct &other) const;
  /// Whether both are one number and the same sizes, in any order.
  bool operator==(const SizeProduct &other) const;

private:
  /// The factors but `others`; none if one of those is no factor.
  std::optional<llvm::SmallVector<SizeTerm>> without(llvm::ArrayRef<SizeTerm> others) const;

  int64_t number = 1;
  llvm::SmallVector<SizeTerm> factors;
  bool isKnown = true; ///< whether nothing overflowed
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_VALUES_SIZETERM_H
