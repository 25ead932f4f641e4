// Random tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_RANDOM_TD
#define TUTTI_ONNX_RANDOM_TD

include "dialects/onnx/OnnxDialect.td"

// Draws a tensor of the given shape. The effect on the result keeps two equal operations from becoming one.
class Onnx_RandomOp<string name, dag distribution> : Onnx_InferredOp<name, [
    DrawsOp, DeclareOpInterfaceMethods<UniformityOpInterface>]> {
  let sharding = "-> a..";
  let shardingNote = "elements follow from the index in the whole tensor";
  let arguments = !con((ins DenseI64ArrayAttr:$shape,
                            DefaultValuedAttr<TypeAttr, "::mlir::Float32Type::get($_builder.getContext())">:$dtype),
                       distribution, (ins OptionalAttr<F32Attr>:$seed));
  let results = (outs Res<Onnx_FloatTensor, "", [MemAlloc]>:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}

def Onnx_RandomNormalOp : Onnx_RandomOp<"RandomNormal", (ins
    DefaultValuedAttr<F32Attr, "0.0f">:$mean, DefaultValuedAttr<F32Attr, "1.0f">:$scale)> {
  let summary = "samples of a normal distribution";
  let description = [{
    Samples with mean `mean` and standard deviation `scale`, of type `dtype`. With a `seed` the result is the same in
    every run and on every rank; without, it depends on the run's seed and on the op.

    **Constraints**
    - (C1) `dtype` is a float type.
    - (C2) no dimension is negative.

    Example:
    ```mlir
    %w = onnx.RandomNormal {shape = array<i64: 64, 10>, scale = 5.0e-2 : f32} : tensor<64x10xf32>
    ```
  }];
}

def Onnx_RandomUniformOp : Onnx_RandomOp<"RandomUniform", (ins
    DefaultValuedAttr<F32Attr, "0.0f">:$low, DefaultValuedAttr<F32Attr, "1.0f">:$high)> {
  let summary = "samples of a uniform distribution";
  let description = [{
    Samples from [`low`, `high`), of type `dtype`. `seed` means what it means for `onnx.RandomNormal`.

    **Constraints**
    - (C1) `dtype` is a float type.
    - (C2) no dimension is negative.

    Example:
    ```mlir
    %w = onnx.RandomUniform {shape = array<i64: 64, 10>, low = -1.0e-1 : f32} : tensor<64x10xf32>
    ```
  }];
}

// Draws for each element of `like`, which gives its shape alone.
class Onnx_RandomLikeOp<string name, dag distribution> : Onnx_InferredOp<name, [
    DrawsOp, PlacedDrawsOpInterface, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<UniformityOpInterface>]> {
  let sharding = "a.. -> a..";
  let shapes = ["like"];
  let shardingNote = "elements follow from the index in the whole tensor";
  let declarations = [{
    ::mlir::Value getDrawnFor() { return getLike(); }
  }];
  let arguments = !con((ins AnyRankedTensor:$like, OptionalAttr<TypeAttr>:$dtype), distribution,
                       (ins OptionalAttr<F32Attr>:$seed, OptionalAttr<DenseI64ArrayAttr>:$samples));
  let results = (outs Res<Onnx_FloatTensor, "", [MemAlloc]>:$output);
  let assemblyFormat = "$like attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Onnx_RandomNormalLikeOp : Onnx_RandomLikeOp<"RandomNormalLike", (ins
    DefaultValuedAttr<F32Attr, "0.0f">:$mean, DefaultValuedAttr<F32Attr, "1.0f">:$scale)> {
  let summary = "samples of a normal distribution for each element of a tensor";
  let description = [{
    Samples with mean `mean` and standard deviation `scale`, of the shape of `like`, and of its type unless `dtype` gives
    another. What is drawn depends on the run's seed, the step, the op and the index of the sample in the global batch,
    never on the number of ranks; `samples` says where the samples are, as for `onnx.Dropout`. With a `seed` it does not
    depend on run and step. Nothing flows back into `like`.

    **Constraints**
    - (C1) the type of the result is a float type.
    - (C2) `samples` is empty, or a dimension of `like` and a positive number.

    Example:
    ```mlir
    %noise = onnx.RandomNormalLike %mean : (tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
}

def Onnx_RandomUniformLikeOp : Onnx_RandomLikeOp<"RandomUniformLike", (ins
    DefaultValuedAttr<F32Attr, "0.0f">:$low, DefaultValuedAttr<F32Attr, "1.0f">:$high)> {
  let summary = "samples of a uniform distribution for each element of a tensor";
  let description = [{
    Samples from [`low`, `high`), of the shape of `like`. All else is that of `onnx.RandomNormalLike`.

    **Constraints**
    - (C1) the type of the result is a float type.
    - (C2) `samples` is empty, or a dimension of `like` and a positive number.

    Example:
    ```mlir
    %u = onnx.RandomUniformLike %probability {samples = array<i64: 1, 1>} : (tensor<7x?xf32>) -> tensor<7x?xf32>
    ```
  }];
}

#endif
