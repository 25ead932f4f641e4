// What passes may ask of any collective, without listing the operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_INTERFACES
#define TUTTI_COLLECTIVE_INTERFACES

include "mlir/IR/OpBase.td"

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::tutti::collective";
  let description = [{
    An operation in which all ranks of a group take part: if one rank executes
    it, every rank of the group must.
  }];
  let methods = [
    InterfaceMethod<"The symbol of the group that takes part.",
      "::mlir::FlatSymbolRefAttr", "getGroupAttr">
  ];
}

def BucketOpInterface : OpInterface<"BucketOpInterface", [CollectiveOpInterface]> {
  let cppNamespace = "::tutti::collective";
  let description = [{
    A collective that moves data. Input `i` becomes output `i` (tensors) or is
    written to destination `i` (memrefs).
  }];
  let methods = [
    InterfaceMethod<"The values this rank gives.", "::mlir::OperandRange", "getInputs">,
    InterfaceMethod<"The buffers this rank receives into; empty on tensors.",
      "::mlir::OperandRange", "getDestinations">,
    InterfaceMethod<"The values this rank receives; empty on memrefs.",
      "::mlir::ResultRange", "getOutputs">
  ];
}

#endif // TUTTI_COLLECTIVE_INTERFACES
