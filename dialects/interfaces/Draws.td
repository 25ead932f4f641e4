// The trait of operations that draw random numbers, and the interface of those that draw for samples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_DRAWS_TD
#define TUTTI_INTERFACES_DRAWS_TD

include "mlir/IR/OpBase.td"

// What the operation draws follows from its number among those of its function: the order in which they stand, unless an
// attribute holds it. Whoever copies such operations has them numbered before.
def DrawsOp : NativeOpTrait<"Draws"> {
  let cppNamespace = "::tutti";
}

def PlacedDrawsOpInterface : OpInterface<"PlacedDrawsOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation that draws for each element of a value. What is drawn for a sample follows from its index in the global
    batch, so the operation knows where samples lie, by its attribute `samples`: along the dimension of the first entry,
    which is as many blocks of all samples as the second entry says. Without it they are along dimension 0, one block;
    if it is empty, nowhere: each rank draws the same.
  }];
  let methods = [
    InterfaceMethod<"The value for whose elements it draws.", "::mlir::Value", "getDrawnFor">,
    InterfaceMethod<"Where its samples lie.", "::std::optional<::llvm::ArrayRef<int64_t>>", "getSamples">,
    InterfaceMethod<"Sets where they lie.", "void", "setSamples",
                    (ins "::std::optional<::llvm::ArrayRef<int64_t>>":$samples)>
  ];
}

#endif
