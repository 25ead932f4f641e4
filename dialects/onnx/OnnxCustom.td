// Any operator that this dialect does not define.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_CUSTOM_TD
#define TUTTI_ONNX_CUSTOM_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_CustomOp : Op<Onnx_Dialect, "custom"> {
  let summary = "an operator that is not defined in this dialect";
  let description = [{
    Stands for the operator `name` of `domain` (empty: ai.onnx) with all that its node says. It passes through every
    distribution pass and can be exported; only lowering it to code or differentiating it is an error. Nothing is
    known of it, so it is neither moved nor removed. A missing optional operand is `none`.

    **Constraints**
    - (C1) `name` is not empty.

    Example:
    ```mlir
    %y = onnx.custom "com.acme" "Swirl"(%x) {node_attributes = {turns = 3 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$domain, StrAttr:$name,
                       Variadic<AnyTypeOf<[Onnx_Tensor, UnrankedTensorOf<[AnyType]>, NoneType]>>:$inputs,
                       OptionalAttr<DictionaryAttr>:$node_attributes);
  let results = (outs Variadic<AnyTypeOf<[Onnx_Tensor, UnrankedTensorOf<[AnyType]>]>>:$outputs);
  let assemblyFormat = [{
    $domain $name `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

#endif
