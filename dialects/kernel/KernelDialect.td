// The kernel dialect: what compiled programs call instead of computing it in loops of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_KERNEL_DIALECT
#define TUTTI_DIALECTS_KERNEL_DIALECT

include "mlir/IR/DialectBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::tutti::kernel";
  let summary = "Calls of the runtime's compute kernels";
  let description = [{
    Matrix products, convolutions and pooling are faster in a library than in generated loops, and random numbers
    must be the same however many ranks there are. This dialect has the one operation that calls such a kernel of
    the runtime. It stands between Linalg and LLVM: on tensors it is a value like any other and bufferizes in
    place; on memrefs it becomes a call of the C function of the same name (see `include/tutti/abi.def`).
  }];
}

#endif // TUTTI_DIALECTS_KERNEL_DIALECT
