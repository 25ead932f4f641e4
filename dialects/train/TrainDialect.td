// The train dialect: the contract of a training program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_DIALECT_TD
#define TUTTI_TRAIN_DIALECT_TD

include "mlir/IR/OpBase.td"

def Train_Dialect : Dialect {
  let name = "train";
  let cppNamespace = "::tutti::train";
  let summary = "What makes a program a training program: variables, batches, gradients, optimizers.";
  let description = [{
    A training program is a module marked `train.program`. It holds pure functions of tensors; roles are
    written as attributes of arguments and results, so that a pass needs to know neither the dialect of the
    computation nor where state lives.

    - `func.func @initialize() -> (variables...)` gives every variable its first value, once each.
    - `func.func @step(variables..., inputs..., hyperparameters...) -> (variables..., metrics..., outputs...)`
      is one training step. It takes and returns every variable, in the order of `@initialize`.
    - `func.func @evaluate(variables..., inputs...) -> (metrics...)` takes some of the variables and returns metrics with one
      value per sample, or more; the runtime averages over the samples that count, and weighs what has a weight.
    - `func.func @forward(variables..., inputs...) -> (outputs...)` is a model before a recipe turns it into
      the other two.

    | attribute | stands on | meaning |
    | --- | --- | --- |
    | `train.program` | module, unit | the module is a training program |
    | `train.at_launch = ["collective-hierarchy"]` | module | passes that `specialize-world` runs, in order, once the number of ranks is known |
    | `train.at_batch = ["collective-overlap"]` | module | passes that `train-specialize-batch` runs, in order, once it is known how many samples a rank takes |
    | `train.deterministic = ["acme", "lab.swirl"]` | module | dialects and operations of which nothing else says that equal operands give equal bits on every rank |
    | `train.deterministic` | operation, unit | the same of one operation |
    | `train.sums_gradients` | module, unit | gradients are sums over ranks, not means |
    | `train.doubtful = {pe = "sines and cosines"}` | module | variables of which a recipe must say whether they are trained, and what makes them doubtful |
    | `train.zero_rows = {emb.weight = 0}` | module | tables that are looked up, and their only row of zeros: a recipe must say whether it is padding |
    | `train.variable = #train.variable<"fc.weight", trainable>` | argument, result | state kept between steps |
    | `train.input = #train.input<"image", @data>` | argument | bound to an array of the dataset, dimension 0 is the batch |
    | `train.input = #train.input<"tokens", @data, axis = 1>` | argument | the same, dimension 1 is the batch |
    | `train.gradient = "fc.weight"`, `train.gradient` | argument, result, operation | the gradient of the variable, or of one that is not named |
    | `train.gradient = ["fc.weight", "", unit]` | operation with several results | the same of each result; `""` is no gradient |
    | `train.random = #train.random<per_rank>` | argument, operation | a source of random numbers |
    | `train.draw = 3` | operation | the number of a draw of random numbers in its function: copies have the same, and draw the same |
    | `train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1>` | argument | a scalar that is set for each run |
    | `train.metric = "loss"` | result | a number to report |
    | `train.exponential_metric = "perplexity"` | result of `@evaluate` | a metric whose mean is reported as the exponent of e |
    | `train.sum_metric = "loss"` | result of `@evaluate` | a metric whose sum over all samples is reported, not its mean |
    | `train.batch_mean`, `train.batch_sum`, `train.batch_max`, `train.batch_min` `= "loss"` | result of `@evaluate` | one number, which is the mean, sum, maximum or minimum over the samples of its batch: reported is that over all samples |
    | `train.whole_batch_metric = "loss"` | result of `@evaluate` | one number that the samples of a batch make together: `@evaluate` takes whole global batches on each rank, and the mean over these is reported |
    | `train.area_metric = "auc"`, `train.metric_label = ["auc"]` | results of `@evaluate` | scores, of which the area under the ROC curve is reported, and their labels: 1 is positive, 0 negative, what is between both in parts |
    | `train.metric_weight = ["loss", "accuracy"]` | result of `@evaluate` | how much each value of these metrics counts in their means or sums |
    | `train.output = "logits"` | result | any other result of the model |

    **Constraints** of a program
    - (C1) an argument has at most one role, and roles stand only where the table says.
    - (C2) a variable's name is unique among the arguments, and among the results, of its function.
    - (C3) `@step` takes and returns the variables of `@initialize`, in its order, with equal attributes and types.
    - (C4) the dataset that an input names exists.
    - (C5) a hyperparameter is a scalar float tensor.
    - (C6) a sharded variable is a tensor of one dimension, not longer than the value it is a part of.
    - (C7) `train.at_launch` and `train.at_batch` are arrays of strings.
    - (C8) `train.deterministic` is an array of names of dialects or operations on a module, and without a value on an operation.
    - (C9) `train.sums_gradients` is a unit attribute of a module.
    - (C10) what the table says of results of `@evaluate` stands only there; a weight names metrics there, of its shape, none with two weights.
    - (C11) a `train.metric_label` names `train.area_metric`s there, of its shape; each of these has one label.
    - (C12) an input whose `axis` is not 0 is a tensor that has this dimension.
    - (C13) `train.gradient` is a name or has no value, on an operation with several results an array with an entry for
      each; what it stands on is a float tensor.
    - (C14) a gradient that is named is of the type of that variable of the program, and each name stands on one argument, one
      result and one operation of a function at most.
    - (C15) `train.random` is a `#train.random`, on operations with results, which are not declared `train.deterministic` if
      each rank draws its own.
    - (C16) `train.doubtful` is a dictionary of strings on a module.
    - (C18) `train.zero_rows` is a dictionary of numbers from 0 on, on a module.
    - (C19) `train.draw` is a number of at least 0, as i64.
    - (C17) `train.fixed_batch` is a location on a module: of an operation that takes all samples of a fixed batch together.
    - (C17) a metric that is one number of a batch is a scalar float tensor.

    Roles of values (`train.gradient`, `train.random`) may stand on functions and operations of any dialect. A gradient
    that has a role needs neither an operation of this dialect nor an optimizer that is known: whatever uses the value
    in `@step` uses its reduction over the ranks. Distribution writes `train.mark_gradient` where a role stood on an
    operation, on an argument of `@step`, or on a result of a function that `@step` calls.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kProgram = "train.program";
    static constexpr ::llvm::StringLiteral kAtLaunch = "train.at_launch";
    static constexpr ::llvm::StringLiteral kVariable = "train.variable";
    static constexpr ::llvm::StringLiteral kInput = "train.input";
    static constexpr ::llvm::StringLiteral kHyperparameter = "train.hyperparameter";
    static constexpr ::llvm::StringLiteral kMetric = "train.metric";
    static constexpr ::llvm::StringLiteral kOutput = "train.output";
    static constexpr ::llvm::StringLiteral kGradient = "train.gradient";
    static constexpr ::llvm::StringLiteral kRandom = "train.random";
  }];
}

#endif
