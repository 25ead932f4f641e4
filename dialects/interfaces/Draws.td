// The trait of operations that draw random numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_DRAWS_TD
#define TUTTI_INTERFACES_DRAWS_TD

include "mlir/IR/OpBase.td"

// What the operation draws follows from its number among those of its function: the order in which they stand, unless an
// attribute holds it. Whoever copies such operations has them numbered before.
def DrawsOp : NativeOpTrait<"Draws"> {
  let cppNamespace = "::tutti";
}

#endif
