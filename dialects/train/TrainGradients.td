// Operations between the gradients of a step and its update: loss scaling, clipping, skipped steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_GRADIENTS_TD
#define TUTTI_TRAIN_GRADIENTS_TD

include "dialects/train/TrainClasses.td"

class Train_Scalar<Type element, string text, string builder>
    : Type<0DTensorOf<[element]>.predicate, "0D tensor of " # text>,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder." # builder # "())">;
def Train_F32Scalar : Train_Scalar<F32, "32-bit float", "getF32Type">;
def Train_CountScalar : Train_Scalar<I64, "64-bit signless integer", "getI64Type">;
def Train_TruthScalar : Train_Scalar<I1, "1-bit signless integer", "getI1Type">;

def Train_UnscaleOp : Train_Op<"unscale", [Pure, PointwiseOp, AllTypesMatch<["gradient", "result"]>]> {
  let summary = "the gradient of a loss that was scaled, as if it had not been";
  let sharding = "a.., () -> a..";
  let linear = [["gradient"]];
  let description = [{
    `gradient * (1 / scale)`, multiplied in f32 (f64 for f64). When `scale` is a power of two this undoes the scaling of the
    loss bit for bit, unless a number left the range of its type on the way.

    Stands after the reduction over ranks and before everything that looks at the size of the gradient.

    Example:
    ```mlir
    %u = train.unscale %g by %scale : tensor<64x10xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$gradient, Train_F32Scalar:$scale);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$gradient `by` $scale attr-dict `:` type($gradient)";
}

def Train_AllFiniteOp : Train_Op<"all_finite", [Pure]> {
  let summary = "whether every element of some tensors is a finite number";
  let sharding = "a< -> ()";
  let shardingByAttributes = 1;
  let shardingNote = "a stands for each dimension of each operand; the least truth is whether all hold";
  let description = [{
    True when no element of any operand is infinite or not a number. Taken of reduced gradients, so that all
    ranks decide alike: what one rank's gradient lost reaches every rank through the sum.

    **Constraints**
    - (C1) there is at least one operand.

    Example:
    ```mlir
    %finite = train.all_finite %u, %v : tensor<64x10xf32>, tensor<10xf32>
    ```
  }];
  let arguments = (ins Variadic<Train_FloatTensor>:$gradients);
  let results = (outs Train_TruthScalar:$finite);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
  let hasVerifier = 1;
}

def Train_GlobalNormOp : Train_Op<"global_norm", [Pure]> {
  let summary = "the Euclidean norm of several tensors taken together";
  let sharding = "a^ -> ()";
  let shardingByAttributes = 1;
  let shardingNote = "a stands for each dimension of each operand";
  let description = [{
    The square root of the sum of the squares of all elements of all operands, computed in f32: the 2-norm of
    the gradients as one long vector.

    **Constraints**
    - (C1) there is at least one operand.

    Example:
    ```mlir
    %n = train.global_norm %u, %v : tensor<64x10xf32>, tensor<10xf32>
    ```
  }];
  let arguments = (ins Variadic<Train_FloatTensor>:$gradients);
  let results = (outs Train_F32Scalar:$norm);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
  let hasVerifier = 1;
}

def Train_SumOfSquaresOp : Train_Op<"sum_of_squares", [Pure]> {
  let summary = "the sum of the squares of all elements of several tensors";
  let sharding = "k+ a.. -> ()";
  let shardingByAttributes = 1;
  let shardingNote = "k is the outermost dimension of all operands, which are cut together; of one operand all are +, of several the others ^";
  let description = [{
    The square of `train.global_norm` before the root is taken, computed in f32. Where ranks hold parts of the
    gradients, the squared norm is the sum of this over the ranks.

    **Constraints**
    - (C1) there is at least one operand.

    Example:
    ```mlir
    %s = train.sum_of_squares %u, %v : tensor<64x10xf32>, tensor<10xf32>
    ```
  }];
  let arguments = (ins Variadic<Train_FloatTensor>:$gradients);
  let results = (outs Train_F32Scalar:$sum);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
  let hasVerifier = 1;
}

def Train_ClipOp : Train_Op<"clip", [Pure, PointwiseOp, AllTypesMatch<["gradient", "result"]>]> {
  let summary = "a gradient made shorter where all together are too long";
  let sharding = "a.., () -> a..";
  let linear = [["gradient"]];
  let description = [{
    `gradient * min(1, max_norm / (norm + 1e-6))`, as `clip_grad_norm_` of PyTorch computes it. The factor is
    computed in f32, and is not a number where the norm is not.

    **Constraints**
    - (C1) `max_norm` is a positive, finite number.

    Example:
    ```mlir
    %c = train.clip %u norm %n {max_norm = 1.0 : f32} : tensor<64x10xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$gradient, Train_F32Scalar:$norm, F32Attr:$max_norm);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$gradient `norm` $norm attr-dict `:` type($gradient)";
  let hasVerifier = 1;
}

def Train_SelectOp : Train_Op<"select",
    [Pure, PointwiseOp, AllTypesMatch<["on_true", "on_false", "result"]>]> {
  let summary = "all of one tensor or all of another";
  let sharding = "(), a.., a.. -> a..";
  let linear = [["on_true", "on_false"]];
  let description = [{
    `on_true` if the condition holds, else `on_false`; nothing of the other one reaches the result. How a step
    is skipped: each variable is either what the step computed or what it was.

    Example:
    ```mlir
    %w2 = train.select %finite, %w1, %w : tensor<64x10xf32>
    ```
  }];
  let arguments = (ins Train_TruthScalar:$condition, AnyRankedTensor:$on_true, AnyRankedTensor:$on_false);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($result)";
}

def Train_UpdateLossScaleOp : Train_Op<"update_loss_scale", [Pure]> {
  let summary = "the loss scale of the next step";
  let sharding = "(), (), () -> (), ()";
  let description = [{
    What `GradScaler` of PyTorch does. `growth_tracker` counts the finite steps since the scale last changed. After a
    step that was not finite the scale is multiplied by `backoff_factor` and the count is 0. After
    `growth_interval` finite steps in a row the scale is multiplied by `growth_factor` and the count is 0. Else
    the scale stays and the count is one more. A scale that would leave the normal numbers of f32 stays.

    **Constraints**
    - (C1) `growth_factor` is at least 1, and finite.
    - (C2) `backoff_factor` is above 0 and below 1.
    - (C3) `growth_interval` is positive.

    Example:
    ```mlir
    %s1, %t1 = train.update_loss_scale %s tracker %t finite %finite {growth_interval = 2000 : i64}
    ```
  }];
  let arguments = (ins Train_F32Scalar:$scale, Train_CountScalar:$growth_tracker, Train_TruthScalar:$finite,
                       DefaultValuedAttr<F32Attr, "2.0f">:$growth_factor,
                       DefaultValuedAttr<F32Attr, "0.5f">:$backoff_factor,
                       DefaultValuedAttr<I64Attr, "2000">:$growth_interval);
  let results = (outs Train_F32Scalar:$new_scale, Train_CountScalar:$new_growth_tracker);
  let assemblyFormat = "$scale `tracker` $growth_tracker `finite` $finite attr-dict";
  let hasVerifier = 1;
}

#endif
