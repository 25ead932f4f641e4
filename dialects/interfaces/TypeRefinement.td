// What type inference asks of operations whose result types follow from more than their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_TYPEREFINEMENT_TD
#define TUTTI_INTERFACES_TYPEREFINEMENT_TD

include "mlir/IR/OpBase.td"

def TypeRefinementOpInterface : OpInterface<"TypeRefinementOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation whose result types depend on its operands and on something else: on the types that the results have
    already, or on the size of a group. An operation whose operands tell all implements `InferTypeOpInterface` of MLIR.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends a type for each result, as precise as the operands allow. A dimension that is not known is dynamic.
      }],
      "void", "refineResultTypes", (ins "::llvm::SmallVectorImpl<::mlir::Type> &":$types)>
  ];
}

#endif
