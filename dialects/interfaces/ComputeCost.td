// What the cost model asks of operations that compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_COMPUTECOST_TD
#define TUTTI_INTERFACES_COMPUTECOST_TD

include "mlir/IR/OpBase.td"

def ComputeCostOpInterface : OpInterface<"ComputeCostOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation that tells how much it computes and how much memory it touches, each time it is executed. The cost
    model divides both by what a rank does in a second, and takes the larger time; of a product of matrices it takes
    both. Operations that tell nothing take no time.
  }];
  let methods = [
    InterfaceMethod<"Arithmetic operations, the multiply and the add of a product counted as two.",
                    "double", "getOperations">,
    InterfaceMethod<"Bytes that are read and written.", "double", "getBytes">,
    InterfaceMethod<[{
        Whether it runs at the rate of products of matrices, and not at that of elementwise loops.
      }], "bool", "isMatrixProduct", (ins), [{}], [{ return false; }]>
  ];
}

#endif
