// The word of a dialect, or of a program, for operations that do not answer for themselves whether
// ranks agree on their results (UniformityOpInterface).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_INTERFACES_DETERMINISM_H
#define TUTTI_DIALECTS_INTERFACES_DETERMINISM_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/Operation.h"

namespace tutti {

/// By this a dialect answers for its operations. Of a dialect without it nothing is believed: an
/// operation without effects and operands may still be the number of the rank.
class UniformityDialectInterface : public mlir::DialectInterface::Base<UniformityDialectInterface> {
public:
  explicit UniformityDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Whether the results of `op`, as far as it has no memory effects, are computed from its
  /// operands, its attributes and what its regions capture, and from nothing else: equal bits of
  /// equal operands on every rank.
  virtual bool isDeterministic(mlir::Operation *) const { return true; }
};

/// The attribute by which a program declares the same of operations that nobody answers for:
/// without a value on one of them, or as names of dialects and operations on a module.
inline constexpr llvm::StringLiteral kDeterministic = "train.deterministic";

} // namespace tutti

#endif // TUTTI_DIALECTS_INTERFACES_DETERMINISM_H
