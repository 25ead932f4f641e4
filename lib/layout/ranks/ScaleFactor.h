// What a value was multiplied by: a number, and sizes of groups to powers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_RANKS_SCALEFACTOR_H
#define TUTTI_LIB_LAYOUT_RANKS_SCALEFACTOR_H

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include <string>

namespace tutti {

/// A product of a number and of sizes of groups, each to a power. Two groups that divide the ranks
/// in the same way have one size. A size that is known is a number all the same: it stays apart
/// from the numbers that a program holds, whose meaning is not known.
class ScaleFactor {
public:
  ScaleFactor() = default;
  static ScaleFactor ofNumber(double value);
  static ScaleFactor ofSize(GroupOpInterface group);
  /// The number of all ranks, as far as a program around `op` tells it.
  static ScaleFactor ofWorld(mlir::Operation *op);
  /// The number of ranks on this rank's node.
  static ScaleFactor ofLocalSize(mlir::MLIRContext *context);

  ScaleFactor operator*(const ScaleFactor &other) const;
  ScaleFactor inverse() const { return toPower(-2); }
  ScaleFactor root() const { return toPower(1); }
  /// This one without its number.
  ScaleFactor withoutNumber() const;

  double getNumber() const { return number; }
  /// Whether it is this number, but for rounding, and no size of a group.
  bool isAbout(double value) const;
  bool isNumberOne() const;

  /// Whether all sizes cancel: none is left, or their product is known to be 1.
  bool hasNoSizes() const;
  /// The product of the sizes, if all are known.
  std::optional<double> evaluateSizes() const;
  /// Whether sizes and number together are surely 1, within the rounding of 16-bit floats.
  bool cancels() const;
  bool hasEqualSizes(const ScaleFactor &other) const;

  /// "N", "1/N", "N^2", "4": what the sizes are, for a message; N is the size of the world.
  std::string spellSizes() const;

private:
  /// To the power of `halves` / 2.
  ScaleFactor toPower(int halves) const;

  struct Size {
    mlir::Attribute members;
    int halves;    ///< the power, in halves
    int64_t ranks; ///< the size; 0 where it is not known
  };
  llvm::SmallVector<Size, 2> sizes; ///< one for each way to divide the ranks
  double number = 1;
};

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_RANKS_SCALEFACTOR_H
