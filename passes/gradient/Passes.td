// Passes that turn a model into an explicit training step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_PASSES_TD
#define TUTTI_PASSES_GRADIENT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApplyRecipePass : Pass<"train-apply-recipe", "::mlir::ModuleOp"> {
  let summary = "Make a training step of a forward graph: loss, gradient, optimizer";
  let description = [{
    Turns `@forward` of a training program into `@step` and `@evaluate`, and extends `@initialize` by the
    optimizer's states, which start at zero and are named as PyTorch names them (`fc.weight.momentum`,
    `.sum`, `.exp_avg`, `.exp_avg_sq`).

    - `@step` computes the loss of the forward graph in training mode (dropout drops, batch normalization uses
      the batch and updates its running statistics), differentiates it by all variables that are trained,
      and lets the optimizer move them. The learning rate becomes the hyperparameter
      `learning_rate`. Optimizers that depend on the step count it in the variable `step`.
    - `@evaluate` computes the loss of each sample in inference mode. Of a cross entropy it computes the accuracy too; of
      `bce-with-logits` with one logit a sample, `auc`, the area under the ROC curve. Where a
      sample has several labels (each token of a text, each pixel) there is a value for each label, and the perplexity; labels
      that the loss ignores have weight 0, and the loss of a label has the weight of its class.

    | `loss` | the graph's only output | the input `label` that is added | the loss to minimize |
    | --- | --- | --- | --- |
    | `softmax-cross-entropy` | scores, [batch, classes, ...], or with `class-axis=last` [batch, ..., classes] | int64 [batch, ...] | the mean cross entropy of the label and the softmax; with `label-smoothing=E`, of 1 - E of the label and E / classes of each class; with `class-weights` the weighted mean, without the labels that are `ignore-index` |
    | `nll` | logarithms of probabilities, [batch, classes, ...] | int64 [batch, ...] | the mean of what stands at the label, negated |
    | `bce-with-logits` | logits, [batch, ...] | probabilities of that shape | the mean cross entropy of the label and the sigmoid, computed so that no large terms cancel |
    | `mse`, `l1` | [batch, ...] | values of that shape | the mean of the squares, or of the absolute values, of the differences |
    | `huber` | [batch, ...] | values of that shape | the mean of `d^2 / 2` of differences d up to `delta`, and of `delta * (abs(d) - delta / 2)` of larger ones |
    | `kl-div` | logarithms of probabilities, [batch, ...] | probabilities of that shape | the mean over samples of the sums of `label * (ln(label) - output)` |
    | `hinge` | scores, [batch, ...] | -1 or 1, of that shape | the mean of `max(0, margin - label * score)` |
    | `cosine` | [batch, ..., size] | vectors of that shape | the mean of 1 - the cosine of the angle between each two |
    | `triplet-margin` | three of them, [batch, ..., size] | none | the mean of `max(0, margin + d(first, second) - d(first, third))`, d being distances |
    | `output`, `output:NAME` | any; one is a float scalar, or NAME is | none | that output |

    With `loss=output` the loss is taken apart so if it is the mean or sum of an `onnx.SoftmaxCrossEntropyLoss` whose labels come
    from an input, sample after sample. Otherwise `@evaluate` returns it as it is: one number of a batch, which is the mean, sum,
    maximum or minimum over its samples, or else that of a whole global batch; a remark says what joins samples then.

    Trainable are the variables that the model says are trainable (of an ONNX model: float initializers, but scalars and those of
    one element that are only calculated with), or those that `trainable` chooses, without those that `freeze` chooses and those
    that the loss does not depend on. All others stay variables, of class `other`. `no-decay` takes variables out of the weight
    decay, `learning-rate-scale` gives some another learning rate. All take globs, as does `padding`, whose tables have a row of zeros
    (`train.zero_rows`) that lookups give without a gradient; of such a table a recipe must say this, or that it is `trainable`. A glob
    that matches nothing is an error.
    Remarks (`--remarks=text`) list what is trained, frozen and unused.

    With a `schedule` or `warmup-steps` the learning rate of a step is computed in the step, from the variable `step` and the
    hyperparameter, so that a resumed run goes on with the same rates; it is the metric `learning_rate`, before groups and the number of
    ranks scale it.

    In a program that has `@step` already (a model with training information, or training artifacts), `global-batch`,
    `learning-rate`, `clip-norm`, `gradient-norm`, `ema` and the keys of the loss scale are the only ones that can be set.

    With `loss-scale` the loss is multiplied by a number before it is differentiated, and its gradients are divided
    by it, so that small gradients keep their bits in a narrow type (f16 on the wire). A step whose gradients are not
    finite is skipped: every variable stays as it was, the optimizer's states, running statistics and the step
    counter included; the metric `skipped` is 1 then. `dynamic` starts at 65536, halves the scale after a skipped
    step and doubles it after `loss-scale-growth-interval` steps in a row that were not; the scale is the variable
    `loss_scale`, and a metric.

    With `compute=bf16` or `f16` the `narrow` operators of `@step` run in 16 bits, with their gradients: automatic mixed
    precision. Casts stand around them, and not between them. Variables, optimizers, all other operators and
    `@evaluate` stay in f32. A remark names each operator that is narrow.

    Its options are the keys of the recipe: see [docs/options.md](options.md), or `dist-opt --help-train`.

    With `clip-norm` all gradients together are scaled down to this 2-norm where they are longer, as `clip_grad_norm_`
    of PyTorch does. With `gradient-norm` this norm, before it is clipped, is the metric `gradient_norm` of the step.

    With `ema=DECAY` each trainable variable `w` has a mean, the variable `w.ema`, which begins as `w` does; after each step it is
    `DECAY * w.ema + (1 - DECAY) * w`. `@evaluate` takes the means. A skipped step leaves them as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tutti::onnx::OnnxDialect",
                           "::tutti::train::TrainDialect"];
}

def ExpandGradientsPass : Pass<"train-expand-gradients", "::mlir::func::FuncOp"> {
  let summary = "Replace each train.gradient by the operations that compute it";
  let description = [{
    Differentiates in reverse mode, through `DifferentiableOpInterface`. Only operations on a path from a variable to
    the value are visited, last one first; where several gradients meet they are added (`arith.addf`) in that
    order, so the result does not depend on anything but the program. A variable that does not reach the value
    gets zeros and a warning. A variable is independent: the gradient does not pass through what computes it.

    Gradients are expanded in program order, so a value may contain gradients that stand before it. Gradients of one
    value that stand apart repeat operations; `cse` joins them.

    An operation on a path that has no gradient is an error, which names the operation and the variable.

    The gradient of a trainable variable that a model uses in operators of its own (`Sub(w, Mul(rate, gradient))`)
    is marked by `train.mark_gradient`, so that the distribution passes find it.
  }];
  let options = [Option<"clean", "clean", "bool", "false",
                        "canonicalize the function and join equal operations, where gradients were expanded">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tutti::train::TrainDialect"];
  let statistics = [
    Statistic<"expanded", "expanded", "train.gradient operations expanded">,
    Statistic<"differentiated", "differentiated", "operations differentiated">,
    Statistic<"sums", "sums", "additions of gradients that meet">,
    Statistic<"zeros", "zeros", "variables without gradient">
  ];
}

def GlobalDivisorsPass : Pass<"train-global-divisors", "::mlir::ModuleOp"> {
  let summary = "Divide a loss by the count of the whole batch, whoever holds which part";
  let description = [{
    A loss that is divided by what it counts (labels that are not ignored, weights of classes) is not the mean of the
    same loss of the parts of the batch, because parts count unequal numbers. In `@step`, `onnx.SoftmaxCrossEntropyLoss`
    with `weights` or `ignore_index`, and its gradient, become the sum, divided by the sum of the weights.

    What is counted passes through `train.batch_total`, and what is divided by through `train.batch_share`. On one
    device both are their operand. `distribute-verify-samples` does the same for quotients that a model writes out.
  }];
  let dependentDialects = ["::tutti::onnx::OnnxDialect", "::tutti::train::TrainDialect"];
}

def PlaceDrawsPass : Pass<"train-place-draws", "::mlir::ModuleOp"> {
  let summary = "Say where the samples lie that a dropout draws for";
  let description = [{
    What `onnx.Dropout` drops of a sample follows from the place of the sample in the global batch. In `@step`, each whose samples
    are not along dimension 0, one after the other, gets the attribute `samples`, which says where they are: of PyTorch's
    transformers, for example, sequence first. What does not depend on the batch, as a weight, holds none: of it all ranks and
    micro-batches drop the same. The layouts are those that `distribute-verify-samples` follows.

    Where operations without a rule of sharding make the operand, nobody knows; a warning says so.
  }];
}

#endif // TUTTI_PASSES_GRADIENT_PASSES_TD
