// What passes may ask of any communicating operation, without listing the operations.
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

def PointToPointOpInterface : OpInterface<"PointToPointOpInterface"> {
  let cppNamespace = "::tutti::collective";
  let description = [{
    One side of a message between two ranks of a group: it is complete when the
    other rank has executed the other side, with the same tag.
  }];
  let methods = [
    InterfaceMethod<"The symbol of the group within which ranks are numbered.",
      "::mlir::FlatSymbolRefAttr", "getGroupAttr">,
    InterfaceMethod<"The rank of the other side, an index.",
      "::mlir::TypedValue<::mlir::IndexType>", "getPeer">,
    InterfaceMethod<"What tells messages between the same ranks apart.", "uint64_t", "getTag">
  ];
}

#endif // TUTTI_COLLECTIVE_INTERFACES
