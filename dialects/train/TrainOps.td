// Operations of the train dialect that are not optimizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_OPS_TD
#define TUTTI_TRAIN_OPS_TD

include "dialects/interfaces/ranks/Uniformity.td"
include "dialects/train/TrainAttributes.td"
include "dialects/train/TrainClasses.td"
include "mlir/IR/SymbolInterfaces.td"

def Train_DatasetOp : Train_Op<"dataset", [Symbol]> {
  let summary = "where batches come from";
  let description = [{
    Names a source of batches. `global_batch` is the number of samples that one step consumes over all ranks
    together; it may be absent until a recipe or the run gives it. `shard` says how each global batch is
    divided among ranks; without it every rank sees all of it.

    **Constraints**
    - (C1) `global_batch` is positive.
    - (C2) `ranks` of `shard` is not negative.
    - (C3) every other attribute carries a dialect's prefix.

    Example:
    ```mlir
    train.dataset @data {global_batch = 64 : i64}
    train.dataset @more {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$global_batch,
                       OptionalAttr<Train_ShardAttr>:$shard);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

def Train_GradientOp : Train_Op<"gradient", [Pure]> {
  let summary = "the gradient of a value with respect to others";
  let description = [{
    Result i is the gradient of `value` with respect to `variables[i]`: how `value` changes with each element
    of it, when `value` is computed by the operations that stand before this one in its block. A `value` that is not
    a scalar is differentiated as the sum of its elements.

    **Constraints**
    - (C1) there is one result for each variable, of its type.

    Example:
    ```mlir
    %dw, %db = train.gradient %loss wrt %w, %b : tensor<f32> wrt tensor<64x10xf32>, tensor<10xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$value, Variadic<Train_FloatTensor>:$variables);
  let results = (outs Variadic<Train_FloatTensor>:$gradients);
  let hasCustomAssemblyFormat = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::ValueRange":$variables), [{
    $_state.addOperands(value);
    $_state.addOperands(variables);
    $_state.addTypes(variables.getTypes());
  }]>];
  let hasVerifier = 1;
}

def Train_MarkGradientOp : Train_Op<"mark_gradient", [Pure, PointwiseOp, SameOperandsAndResultType]> {
  let summary = "says that a value is a gradient";
  let sharding = "a.. -> a..";
  let linear = [["gradient"]];
  let description = [{
    The result is the operand. For programs whose optimizer is not known: it is where the distribution passes
    reduce over ranks. The attribute `train.gradient` on it names the variable; elsewhere that attribute says the same
    without an operation.

    Example:
    ```mlir
    %g = train.mark_gradient %dw : tensor<64x10xf32>
    %h = train.mark_gradient %db {train.gradient = "fc.bias"} : tensor<10xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$gradient);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$gradient attr-dict `:` type($result)";
}

def Train_FullLikeOp : Train_Op<"full_like",
    [Pure, PointwiseOp, SameOperandsAndResultType, DeclareOpInterfaceMethods<UniformityOpInterface>]> {
  let summary = "a tensor of one value, shaped as another";
  let sharding = "a.. -> a..";
  let shapes = ["like"];
  let description = [{
    Every element of the result is `value`. Only the shape of the operand matters.

    Example:
    ```mlir
    %ones = train.full_like %x, 1.0 : tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$like, F64Attr:$value);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$like `,` $value attr-dict `:` type($result)";
}

def Train_ScaleOp : Train_Op<"scale", [Pure, PointwiseOp, AllTypesMatch<["input", "result"]>]> {
  let summary = "a tensor times a scalar";
  let sharding = "a.., () -> a..";
  let linear = [["input"], ["factor"]];
  let description = [{
    **Constraints**
    - (C1) tensor and scalar have one element type.

    Example:
    ```mlir
    %s = train.scale %x by %factor : tensor<?x10xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$input, Train_FloatScalar:$factor);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$input `by` $factor attr-dict `:` type($input) `,` type($factor)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Train_BatchWeightOp : Train_Op<"batch_weight",
    [Pure, DeclareOpInterfaceMethods<UniformityOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "this rank's share of the global batch";
  let sharding = "-> ()";
  let description = [{
    The number of samples of `dataset` that this rank consumes in a step, divided by the number that all
    ranks consume together. One when the dataset is not sharded. Folds as soon as the number of ranks is
    known and their shares are equal.

    **Constraints**
    - (C1) `dataset` names a `train.dataset`.

    Example:
    ```mlir
    %w = train.batch_weight @data : tensor<f32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$dataset);
  let results = (outs Train_FloatScalar:$result);
  let assemblyFormat = "$dataset attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Train_AccuracyOp : Train_Op<"accuracy", [Pure, Train_InferTypes]> {
  let summary = "whether each sample is classified right";
  let sharding = "n c^, n -> n";
  let description = [{
    One value per sample: 1 where the largest of its scores (the first, if several are) stands at its label,
    else 0. The mean over samples is the top-1 accuracy.

    **Constraints**
    - (C1) there is one label for each row of scores.

    Example:
    ```mlir
    %a = train.accuracy %logits, %labels : tensor<?x10xf32>, tensor<?xi64> -> tensor<?xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[F16, BF16, F32, F64]>:$scores, 1DTensorOf<[I64, I32]>:$labels);
  let results = (outs 1DTensorOf<[F32]>:$result);
  let assemblyFormat = "$scores `,` $labels attr-dict `:` type($scores) `,` type($labels) `->` type($result)";
  let hasVerifier = 1;
}

#endif
