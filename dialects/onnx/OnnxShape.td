// Constants, and operators that only change the shape of a tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_SHAPE_TD
#define TUTTI_ONNX_SHAPE_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_ConstantOp : Onnx_Op<"Constant", [ConstantLike]> {
  let summary = "a tensor known at compile time";
  let sharding = "-> a..";
  let description = [{
    The result is `value`.

    **Constraints**
    - (C1) `value` is a ranked tensor.

    Example:
    ```mlir
    %c = onnx.Constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Onnx_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Onnx_IdentityOp : Onnx_DifferentiableOp<"Identity"> {
  let summary = "the operand";
  let sharding = "a.. -> a..";
  let linear = [["input"]];
  let description = [{
    `output = input`.

    Example:
    ```mlir
    %y = onnx.Identity %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$input);
  let results = (outs Onnx_Tensor:$output);
  let hasFolder = 1;
}

def Onnx_FlattenOp : Onnx_DifferentiableOp<"Flatten"> {
  let summary = "to rank 2";
  let sharding = "a b c -> a (b c)";
  let linear = [["input"]];
  let shardingByAttributes = 1;
  let shardingNote = "the dimensions before axis, and the others";
  let description = [{
    The result is [product of the dimensions before `axis`, product of the others].

    **Constraints**
    - (C1) `axis` is in [-rank, rank].

    Example:
    ```mlir
    %y = onnx.Flatten %x : (tensor<?x16x4x4xf32>) -> tensor<?x256xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$input, DefaultValuedAttr<I64Attr, "1">:$axis);
  let results = (outs Onnx_Tensor:$output);
  let hasFolder = 1;
}

def Onnx_ReshapeOp : Onnx_DifferentiableOp<"Reshape"> {
  let summary = "the same elements in another shape";
  let sharding = "(a b) c -> a (b c)";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "factors are common divisors of the sizes, outermost first; what has none is ^";
  let description = [{
    `shape` holds a size for each dimension of the result; one entry may be -1 (whatever is left), and 0
    stands for the operand's dimension of that index unless `allowzero` is not 0. The operand of the standard is an
    attribute here.

    **Constraints**
    - (C1) at most one entry is -1, and no entry is below -1.
    - (C2) an entry 0 (without `allowzero`) has a dimension of `data` to copy.
    - (C3) `data` and the result have the same number of elements, as far as it is known.

    Example:
    ```mlir
    %y = onnx.Reshape %x {shape = array<i64: 0, -1>} : (tensor<?x16x4x4xf32>) -> tensor<?x256xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, DenseI64ArrayAttr:$shape, DefaultValuedAttr<I64Attr, "0">:$allowzero);
  let results = (outs Onnx_Tensor:$reshaped);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Onnx_TransposeOp : Onnx_DifferentiableOp<"Transpose"> {
  let summary = "permutes dimensions";
  let sharding = "a b -> b a";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "dimensions in the order of perm";
  let description = [{
    Dimension i of the result is dimension `perm[i]` of `data`. A missing `perm` reverses the dimensions.

    **Constraints**
    - (C1) `perm` is a permutation of the dimensions of `data`.

    Example:
    ```mlir
    %y = onnx.Transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x8xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, OptionalAttr<DenseI64ArrayAttr>:$perm);
  let results = (outs Onnx_Tensor:$transposed);
  let declarations = [{
    /// `perm`, or the reversal of all dimensions.
    ::llvm::SmallVector<int64_t> getPermutation();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Onnx_SqueezeOp : Onnx_DifferentiableOp<"Squeeze"> {
  let summary = "drops dimensions of size 1";
  let sharding = "a.. 1 -> a..";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "dimensions that are dropped have no factor";
  let description = [{
    Drops the dimensions `axes`; if they are missing, every dimension that is 1 in the model; a symbolic batch is
    none, even where a rank's part of it turns out to be one sample. The operand of the standard is an
    attribute here.

    **Constraints**
    - (C1) each axis is in [-rank, rank), and none is named twice.
    - (C2) each dropped dimension is 1 or `?`.

    Example:
    ```mlir
    %y = onnx.Squeeze %x {axes = array<i64: 1>} : (tensor<?x1x8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs Onnx_Tensor:$squeezed);
  let declarations = [{
    /// The dropped dimensions, not negative, ascending.
    ::llvm::SmallVector<int64_t> getDroppedAxes();
  }];
  let hasFolder = 1;
}

def Onnx_UnsqueezeOp : Onnx_DifferentiableOp<"Unsqueeze"> {
  let summary = "adds dimensions of size 1";
  let sharding = "a.. -> a.. 1";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "dimensions that are added have no factor";
  let description = [{
    The result has a dimension 1 at each of `axes`, which are indices into the result. The operand of the standard is
    an attribute here.

    **Constraints**
    - (C1) each axis is in [-rank, rank) of the result, and none is named twice.

    Example:
    ```mlir
    %y = onnx.Unsqueeze %x {axes = array<i64: 1>} : (tensor<?x8xf32>) -> tensor<?x1x8xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, DenseI64ArrayAttr:$axes);
  let results = (outs Onnx_Tensor:$expanded);
  let hasFolder = 1;
}

#endif
