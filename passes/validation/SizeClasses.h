// Dimensions of a program as products of factors, some of which must be equal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_SIZECLASSES_H
#define TUTTI_PASSES_VALIDATION_SIZECLASSES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace tutti::validation {

/// Factors of sizes, by number, the outermost first; a size of 1 has none.
using Factors = llvm::SmallVector<int, 2>;

/// Which dimensions change together: equal ones share factors, and a dimension that is cut into
/// others, or joined of them, has theirs. Dynamic dimensions have no place here.
class SizeClasses {
public:
  /// The factors of a static dimension.
  Factors of(mlir::Value value, int64_t dimension);
  /// Those of several dimensions, joined.
  Factors of(mlir::Value value, int64_t first, int64_t end);
  /// A factor of its own.
  Factors make(int64_t size);

  /// Two sizes are equal. With `fromRight` they are known to be so from their innermost factors
  /// on, and the longer one may have more to the left.
  void unify(Factors a, Factors b, bool fromRight = false);
  void unify(mlir::Value a, int64_t i, mlir::Value b, int64_t j);

  /// What stays as it is.
  void pin(const Factors &factors);
  void pin(mlir::Value value);
  /// Of a dimension over which a window slides, and of what the window gives: its size follows from
  /// that of the data.
  void markSlidOver(const Factors &factors);
  void markFollowing(const Factors &factors);
  /// Of variables, constants and sizes that operations state: they do not follow from anything.
  void anchor(const Factors &factors);

  /// `part` is `less` entries shorter than `whole`.
  void markShorter(const Factors &part, const Factors &whole, int64_t less);

  /// Decides whether dimensions follow; call once all is known. `spatial` is the new size of
  /// dimensions that windows slide over.
  void close(int64_t spatial);
  /// The size after reduction, or kDynamic if it follows from others.
  int64_t reduced(const Factors &factors);
  /// The largest size, of a dimension that windows slide over, that is reduced; 0 if there is none.
  int64_t largestSlidOver();

private:
  struct Atom {
    int64_t size;
    int parent;
    llvm::SmallVector<int, 2> parts; ///< if it was cut
    Factors whole = {};              ///< if it is shorter than that
    int64_t less = 0;
    bool isPinned = false, isSlidOver = false, follows = false, isAnchored = false;
  };

  int find(int atom);
  void appendLeaves(int atom, Factors &leaves);
  Factors leavesOf(const Factors &factors);
  /// Cuts a leaf into two factors; `inner` is the size of the right one.
  void cut(int atom, int64_t inner);
  void join(int a, int b);

  std::vector<Atom> atoms;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Factors> dimensions;
  bool keepsSpatial = false;
  int64_t newSpatial = 0;
};

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_SIZECLASSES_H
