// Optimizers as pure operations: each computes the next value of one variable and of its states.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_OPTIMIZERS_TD
#define TUTTI_TRAIN_OPTIMIZERS_TD

include "dialects/interfaces/Optimizer.td"
include "dialects/train/TrainOps.td"

def Train_MomentumMode : I32EnumAttr<"MomentumMode", "how the velocity moves the variable", [
    I32EnumAttrCase<"Standard", 0, "standard">,
    I32EnumAttrCase<"Nesterov", 1, "nesterov">]> {
  let cppNamespace = "::tutti::train";
}

def Train_StepCounter : Type<Train_IntegerScalar.predicate, "0D tensor of 64-bit signless integer">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

class Train_F32Attr<string value> : DefaultValuedAttr<F32Attr, value>;

// An optimizer of one variable that works element by element (but for those with other `traits`), whose states are the operands and
// results named in `states` (each of the variable's type). The learning rate is converted to the variable's element type.
class Train_OptimizerOp<string mnemonic, list<string> states, list<Trait> traits = [PointwiseOp]>
    : Train_Op<mnemonic, !listconcat([
    Pure, OptimizerOpInterface,
    AllTypesMatch<!listconcat(["variable", "gradient", "new_variable"], states,
                              !foreach(state, states, "new_" # state))>], traits)> {
  let sharding = "a.., a.." # !foldl("", states, text, state, text # ", a..") # ", (), () -> a.." #
                 !foldl("", states, text, state, text # ", a..");
  dag variableOperands = (ins Train_FloatTensor:$variable, Train_FloatTensor:$gradient);
  dag scheduleOperands = (ins Train_FloatScalar:$learning_rate, Optional<Train_StepCounter>:$step);
  string schedule = " `rate` $learning_rate (`step` $step^)? attr-dict `:` type($variable) `,` type($learning_rate)";
}

def Train_SgdOp : Train_OptimizerOp<"sgd", []> {
  let summary = "gradient descent";
  let description = [{
    `g = gradient + norm_coefficient * variable`; `new_variable = variable - learning_rate * g`.

    Example:
    ```mlir
    %w1 = train.sgd %w gradient %g rate %lr {norm_coefficient = 1.0e-4 : f32} : tensor<64x10xf32>, tensor<f32>
    ```
  }];
  let arguments = !con(variableOperands, scheduleOperands, (ins Train_F32Attr<"0.0f">:$norm_coefficient));
  let results = (outs Train_FloatTensor:$new_variable);
  let assemblyFormat = "$variable `gradient` $gradient" # schedule;
  let declarations = [{ ::llvm::SmallVector<::mlir::Value> getStates() { return {}; } }];
}

def Train_MomentumOp : Train_OptimizerOp<"momentum", ["velocity"]> {
  let summary = "gradient descent with momentum";
  let description = [{
    `Momentum` of ai.onnx.preview.training, version 1, which is PyTorch's SGD with `momentum = alpha` and
    `dampening = 1 - beta`. With `g = gradient + norm_coefficient * variable` and `b = beta` if `step > 0`,
    else 1: `new_velocity = alpha * velocity + b * g`. `standard` moves the variable by
    `-learning_rate * new_velocity`, `nesterov` by `-learning_rate * (g + alpha * new_velocity)`.

    **Constraints**
    - (C1) `step` is present unless `beta` is 1.

    Example:
    ```mlir
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 9.0e-1 : f32} : tensor<64x10xf32>, tensor<f32>
    ```
  }];
  let arguments = !con(variableOperands, (ins Train_FloatTensor:$velocity), scheduleOperands,
      (ins F32Attr:$alpha, Train_F32Attr<"1.0f">:$beta, Train_F32Attr<"0.0f">:$norm_coefficient,
           DefaultValuedAttr<Train_MomentumMode, "::tutti::train::MomentumMode::Standard">:$mode));
  let results = (outs Train_FloatTensor:$new_variable, Train_FloatTensor:$new_velocity);
  let assemblyFormat = "$variable `gradient` $gradient `velocity` $velocity" # schedule;
  let hasVerifier = 1;
  let declarations = [{ ::llvm::SmallVector<::mlir::Value> getStates() { return {getVelocity()}; } }];
}

def Train_AdagradOp : Train_OptimizerOp<"adagrad", ["accumulator"]> {
  let summary = "gradient descent scaled by the sum of squared gradients";
  let description = [{
    `Adagrad` of ai.onnx.preview.training, version 1 (Duchi, Hazan, Singer 2011). With
    `r = learning_rate / (1 + step * decay_factor)` and `g = gradient + norm_coefficient * variable`:
    `new_accumulator = accumulator + g * g`;
    `new_variable = variable - r * g / (sqrt(new_accumulator) + epsilon)`.

    **Constraints**
    - (C1) `step` is present unless `decay_factor` is 0.

    Example:
    ```mlir
    %w1, %h1 = train.adagrad %w gradient %g accumulator %h rate %lr : tensor<64x10xf32>, tensor<f32>
    ```
  }];
  let arguments = !con(variableOperands, (ins Train_FloatTensor:$accumulator), scheduleOperands,
      (ins Train_F32Attr<"0.0f">:$decay_factor, Train_F32Attr<"1.0e-6f">:$epsilon,
           Train_F32Attr<"0.0f">:$norm_coefficient));
  let results = (outs Train_FloatTensor:$new_variable, Train_FloatTensor:$new_accumulator);
  let assemblyFormat = "$variable `gradient` $gradient `accumulator` $accumulator" # schedule;
  let hasVerifier = 1;
  let declarations = [{ ::llvm::SmallVector<::mlir::Value> getStates() { return {getAccumulator()}; } }];
}

def Train_RowwiseAdagradOp : Train_Op<"rowwise_adagrad",
    [Pure, OptimizerOpInterface, RowwiseOp, AllTypesMatch<["variable", "gradient", "new_variable"]>,
     AllTypesMatch<["accumulator", "new_accumulator"]>]> {
  let summary = "Adagrad that keeps one number of each row";
  let sharding = "v d^.., v d.., v, () -> v d.., v";
  let description = [{
    Adagrad for embedding tables: the state of a row of D elements is one number, not D. It is FBGEMM's
    `exact_row_wise_adagrad`. With `g = gradient + norm_coefficient * variable`, of each row:
    `new_accumulator = accumulator + (sum of g * g) / D`;
    `new_variable = variable - learning_rate / (sqrt(new_accumulator) + epsilon) * g`.

    **Constraints**
    - (C1) `variable` has at least two dimensions, `accumulator` one, of as many entries as `variable` has rows, and of its element type.

    Example:
    ```mlir
    %w1, %h1 = train.rowwise_adagrad %w gradient %g accumulator %h rate %lr : tensor<1000x16xf32>, tensor<1000xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$variable, Train_FloatTensor:$gradient, Train_FloatTensor:$accumulator,
                       Train_FloatScalar:$learning_rate, Train_F32Attr<"1.0e-10f">:$epsilon, Train_F32Attr<"0.0f">:$norm_coefficient);
  let results = (outs Train_FloatTensor:$new_variable, Train_FloatTensor:$new_accumulator);
  let assemblyFormat = [{
    $variable `gradient` $gradient `accumulator` $accumulator `rate` $learning_rate attr-dict
    `:` type($variable) `,` type($accumulator) `,` type($learning_rate)
  }];
  let hasVerifier = 1;
  let declarations = [{ ::llvm::SmallVector<::mlir::Value> getStates() { return {getAccumulator()}; } }];
}

def Train_AdamOp : Train_OptimizerOp<"adam", ["first_moment", "second_moment"]> {
  let summary = "Adam";
  let description = [{
    Adam (Kingma, Ba 2015). With `g = gradient + norm_coefficient * variable`:
    `m = alpha * first_moment + (1 - alpha) * g`; `v = beta * second_moment + (1 - beta) * g * g`. Let t be
    `step`, and the corrections `a = 1 - alpha^t`, `b = 1 - beta^t`, both 1 where t is not positive. Then
    `x = variable - learning_rate * (m / a) / (sqrt(v / b) + epsilon)`, or, with `epsilon_before_correction`,
    as `Adam` of ai.onnx.preview.training says,
    `x = variable - learning_rate * sqrt(b) / a * m / (sqrt(v) + epsilon)`. Last,
    `new_variable = x * (1 - norm_coefficient_post)`.

    **Constraints**
    - (C1) `step` is present.

    Example:
    ```mlir
    %w1, %m1, %v1 = train.adam %w gradient %g moments %m, %v rate %lr step %t : tensor<64x10xf32>, tensor<f32>
    ```
  }];
  let arguments = !con(variableOperands,
      (ins Train_FloatTensor:$first_moment, Train_FloatTensor:$second_moment), scheduleOperands,
      (ins Train_F32Attr<"0.9f">:$alpha, Train_F32Attr<"0.999f">:$beta, Train_F32Attr<"1.0e-8f">:$epsilon,
           Train_F32Attr<"0.0f">:$norm_coefficient, Train_F32Attr<"0.0f">:$norm_coefficient_post,
           UnitAttr:$epsilon_before_correction));
  let results = (outs Train_FloatTensor:$new_variable, Train_FloatTensor:$new_first_moment,
                      Train_FloatTensor:$new_second_moment);
  let assemblyFormat = "$variable `gradient` $gradient `moments` $first_moment `,` $second_moment" # schedule;
  let hasVerifier = 1;
  let declarations = [{
    ::llvm::SmallVector<::mlir::Value> getStates() { return {getFirstMoment(), getSecondMoment()}; }
  }];
}

def Train_AdamWOp : Train_OptimizerOp<"adamw", ["first_moment", "second_moment"]> {
  let summary = "Adam with decoupled weight decay";
  let description = [{
    AdamW (Loshchilov, Hutter 2019) as PyTorch computes it: the variable is first multiplied by
    `1 - learning_rate * weight_decay`, then moved as `train.adam` does without `norm_coefficient`. With `decay_last`
    it is multiplied after it was moved. Hugging Face's AdamW, which is mode 1 of ONNX Runtime's AdamWOptimizer, has
    both `decay_last` and `epsilon_before_correction`, which means what it means in `train.adam`.

    **Constraints**
    - (C1) `step` is present.

    Example:
    ```mlir
    %w1, %m1, %v1 = train.adamw %w gradient %g moments %m, %v rate %lr step %t : tensor<64x10xf32>, tensor<f32>
    ```
  }];
  let arguments = !con(variableOperands,
      (ins Train_FloatTensor:$first_moment, Train_FloatTensor:$second_moment), scheduleOperands,
      (ins Train_F32Attr<"0.9f">:$alpha, Train_F32Attr<"0.999f">:$beta, Train_F32Attr<"1.0e-8f">:$epsilon,
           Train_F32Attr<"1.0e-2f">:$weight_decay, UnitAttr:$epsilon_before_correction, UnitAttr:$decay_last));
  let results = (outs Train_FloatTensor:$new_variable, Train_FloatTensor:$new_first_moment,
                      Train_FloatTensor:$new_second_moment);
  let assemblyFormat = "$variable `gradient` $gradient `moments` $first_moment `,` $second_moment" # schedule;
  let hasVerifier = 1;
  let declarations = [{
    ::llvm::SmallVector<::mlir::Value> getStates() { return {getFirstMoment(), getSecondMoment()}; }
  }];
}

def Train_LambOp : Train_OptimizerOp<"lamb", ["first_moment", "second_moment"], []> {
  let summary = "Adam with a learning rate of each variable's own";
  let sharding = "a^.., a.., a.., a.., (), () -> a.., a.., a..";
  let shardingNote = "norms of the whole variable decide";
  let description = [{
    LAMB (You and others 2020): the moments and corrections of `train.adam`, and the direction
    `u = (m / a) / (sqrt(v / b) + epsilon) + weight_decay * variable`. With the 2-norms of the variable and of u, computed in
    f32, the trust ratio is `norm(variable) / norm(u)`, or 1 where one of them is 0. Then
    `new_variable = variable - learning_rate * ratio * u`. It looks at the whole variable, so it is not divided among ranks.

    **Constraints**
    - (C1) `step` is present.

    Example:
    ```mlir
    %w1, %m1, %v1 = train.lamb %w gradient %g moments %m, %v rate %lr step %t : tensor<64x10xf32>, tensor<f32>
    ```
  }];
  let arguments = !con(variableOperands,
      (ins Train_FloatTensor:$first_moment, Train_FloatTensor:$second_moment), scheduleOperands,
      (ins Train_F32Attr<"0.9f">:$alpha, Train_F32Attr<"0.999f">:$beta, Train_F32Attr<"1.0e-6f">:$epsilon,
           Train_F32Attr<"1.0e-2f">:$weight_decay));
  let results = (outs Train_FloatTensor:$new_variable, Train_FloatTensor:$new_first_moment,
                      Train_FloatTensor:$new_second_moment);
  let assemblyFormat = "$variable `gradient` $gradient `moments` $first_moment `,` $second_moment" # schedule;
  let hasVerifier = 1;
  let declarations = [{
    ::llvm::SmallVector<::mlir::Value> getStates() { return {getFirstMoment(), getSecondMoment()}; }
  }];
}

#endif
