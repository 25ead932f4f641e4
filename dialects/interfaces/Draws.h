// Operations that draw random numbers, and what tells one draw from another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_DRAWS_H
#define TUTTI_INTERFACES_DRAWS_H

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace tutti {

/// Draws random numbers that follow from its number among the draws of its function, from the seed
/// and the step of the run, and from nothing else; see Draws.td.
template <typename ConcreteOp> class Draws : public mlir::OpTrait::TraitBase<ConcreteOp, Draws> {};

/// The attribute that holds the number of a draw. Copies have the same, and draw the same.
inline constexpr llvm::StringLiteral kDrawNumber = "train.draw";

} // namespace tutti

#include "dialects/interfaces/Draws.h.inc"

#endif // TUTTI_INTERFACES_DRAWS_H
