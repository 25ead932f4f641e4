// The operation of the kernel dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_KERNEL_OPS
#define TUTTI_DIALECTS_KERNEL_OPS

include "dialects/kernel/KernelDialect.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Buffer : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

def Kernel_CallOp
    : Op<Kernel_Dialect, "call",
         [AttrSizedOperandSegments, DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
          DeclareOpInterfaceMethods<BufferizableOpInterface,
                                    ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues",
                                     "bufferize"]>]> {
  let summary = "calls a kernel of the runtime";
  let description = [{
    Computes `outputs` from `inputs` with the runtime kernel `callee`. `parameters` are handed over as they are;
    their meaning, and the order of the buffers (inputs, then outputs), is the kernel's and stands in
    `include/tutti/abi.def`. An optional buffer that is not used is not passed. The op is in destination style: on
    tensors it has one result an output, of the output's type; on memrefs it writes into the outputs and has no
    result. The previous contents of the outputs are read only if `accumulates` is present.

    **Constraints**
    - (C1) `callee` is a kernel of `include/tutti/abi.def`.
    - (C2) Buffers are all tensors or all memrefs.
    - (C3) On memrefs there are no results; on tensors result `i` has the type of output `i`.
    - (C4) There is at least one output.

    ```mlir
    %c = kernel.call "tutti_matmul"(%a, %b) into(%init)
           {parameters = array<i64: 1, 2, 4, 3, 0, 0, 0, 0, 1065353216, 0>}
         : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    ```
  }];

  let arguments = (ins StrAttr:$callee, Variadic<Kernel_Buffer>:$inputs, Variadic<Kernel_Buffer>:$outputs,
                       DenseI64ArrayAttr:$parameters, UnitAttr:$accumulates);
  let results = (outs Variadic<AnyRankedTensor>:$results);

  let assemblyFormat = [{
    $callee `(` $inputs `)` `into` `(` $outputs `)` attr-dict
    `:` custom<CallTypes>(type($inputs), type($outputs), type($results))
  }];

  let builders = [OpBuilder<(ins "::llvm::StringRef":$callee, "::mlir::ValueRange":$inputs,
                                 "::mlir::ValueRange":$outputs, "::llvm::ArrayRef<int64_t>":$parameters,
                                 CArg<"bool", "false">:$accumulates)>];

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
  let hasVerifier = 1;
}

#endif // TUTTI_DIALECTS_KERNEL_OPS
