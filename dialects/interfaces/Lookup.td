// The interface of operations that read rows of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_LOOKUP_TD
#define TUTTI_INTERFACES_LOOKUP_TD

include "mlir/IR/OpBase.td"

def LookupOpInterface : OpInterface<"LookupOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation that gives entries of dimension 0 of one operand, the table, by their indices: its one result has
    the shape of the indices, followed by that of a row. A negative index counts from the end. Passes that move tables
    elsewhere find their readers through it.
  }];
  let methods = [
    InterfaceMethod<"The table; null where this operation does not read rows of one.",
                    "::mlir::Value", "getLookedUpTable">,
    InterfaceMethod<"The indices of the rows.", "::mlir::Value", "getLookedUpRows">
  ];
}

#endif
