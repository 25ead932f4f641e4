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

// A name in C++: `norm_coefficient` as `NormCoefficient`.
class Train_CppName<string name> {
  string padded = "_" # name;
  string text = !foldl("", !range(1, !size(padded)), done, i, done #
                       !if(!eq(!substr(padded, i, 1), "_"), "",
                           !if(!eq(!substr(padded, !sub(i, 1), 1), "_"), !toupper(!substr(padded, i, 1)), !substr(padded, i, 1))));
}

// A number that an update needs once a step: a formula of `learning_rate` and `step`; and what it is without.
class Train_OfStep<string aName, code aFormula, code anOtherwise = "1"> {
  string name = aName;
  code formula = aFormula;
  code otherwise = anOtherwise;
}

// An optimizer of one variable, whose states are the operands and results named in `states`, each of the variable's type. It is one
// row: the next value of each element is the formula `update`, and lowering, export to ONNX and the description follow from it. It
// works element by element but for those with other `traits`.
//
// A formula is C++ (see Expression.h) that names `variable`, `gradient`, `learning_rate`, the states, attributes, and the numbers
// `ofStep`. It defines `new_variable` and `new_` with each state's name; where `isScaledByNorms`, it defines `direction` in place of
// `new_variable`, and the variable moves against it by the learning rate times norm(variable) / norm(direction).
class Train_OptimizerOp<string mnemonic, list<string> states, list<Trait> traits = [PointwiseOp]>
    : Train_Op<mnemonic, !listconcat([
    Pure, OptimizerOpInterface,
    AllTypesMatch<!listconcat(["variable", "gradient", "new_variable"], states,
                              !foreach(state, states, "new_" # state))>], traits)> {
  let sharding = "a.., a.." # !foldl("", states, text, state, text # ", a..") # ", (), () -> a.." #
                 !foldl("", states, text, state, text # ", a..");
  // Attributes that formulas name, with their defaults; one without a default must be given.
  dag numbers = (ins);
  dag options = (ins);
  list<Train_OfStep> ofStep = [];
  // Whether the numbers of the step are needed, as an expression of attributes.
  code dependsOnStep = "true";
  code update = "";
  bit isScaledByNorms = 0;
  string statesFormat = "";

  string intro = "";
  string constraints = "";
  string example = "";
  let description = intro # "\n\n```c++\n" #
      !foldl("", ofStep, text, number, text # number.name # " = " # number.formula # ";" #
             !if(!eq(number.otherwise, "1"), "", " // or " # number.otherwise # " without a step") # "\n") #
      !subst("    ", "", !subst("Number ", "", update)) # "```\n\n" # constraints # "\nExample:\n```mlir\n" # example # "\n```\n";

  let arguments = !con((ins Train_FloatTensor:$variable, Train_FloatTensor:$gradient),
                       !dag(ins, !listsplat(Train_FloatTensor, !size(states)), states),
                       (ins Train_FloatScalar:$learning_rate, Optional<Train_StepCounter>:$step), numbers, options);
  let results = !con((outs Train_FloatTensor:$new_variable),
                     !dag(outs, !listsplat(Train_FloatTensor, !size(states)), !foreach(state, states, "new_" # state)));
  let assemblyFormat = "$variable `gradient` $gradient" # statesFormat #
                       " `rate` $learning_rate (`step` $step^)? attr-dict `:` type($variable) `,` type($learning_rate)";

  code numbersCode = !foldl("", !range(!size(numbers)), text, i, text # "    [[maybe_unused]] double " # !getdagname(numbers, i) #
                            " = get" # Train_CppName<!getdagname(numbers, i)>.text # "().convertToDouble();\n");
  let declarations = [{
    ::llvm::SmallVector<::mlir::Value> getStates() {
      return ::llvm::to_vector(getOperation()->getOperands().slice(2, }] # !size(states) # [{));
    }
    static constexpr bool isScaledByNorms = }] # isScaledByNorms # [{;
    static constexpr unsigned numbersOfStep = }] # !size(ofStep) # [{;

    /// Whether `computeOfStep` has something to say.
    bool hasNumbersOfStep() {
  }] # numbersCode # "    return " # !if(!empty(ofStep), "false", "getStep() && (" # dependsOnStep # ")") # [{;
    }

    /// The numbers that an update needs once a step.
    template <typename Number>
    ::llvm::SmallVector<Number> computeOfStep([[maybe_unused]] Number learning_rate, [[maybe_unused]] Number step) {
  }] # numbersCode # "    return {" # !foldl("", ofStep, text, number, text # !if(!empty(text), "", ", ") # number.formula) # [{};
    }

    /// The next values of the variable and its states, of one element of each. `in` are the gradient, the learning rate,
    /// the numbers of the step if there are any, the variable and its states.
    template <typename Number> ::llvm::SmallVector<Number> computeUpdate(::llvm::ArrayRef<Number> in) {
      [[maybe_unused]] Number gradient = in[0], learning_rate = in[1];
      bool hasNumbers = in.size() > }] # !add(3, !size(states)) # [{;
      unsigned first = hasNumbers ? }] # !add(2, !size(ofStep)) # [{ : 2;
      [[maybe_unused]] Number variable = in[first];
  }] # !foldl("", !range(!size(ofStep)), text, i, text # "    [[maybe_unused]] Number " # ofStep[i].name # " = hasNumbers ? in[" #
              !add(i, 2) # "] : Number(" # ofStep[i].otherwise # ");\n")
     # !foldl("", !range(!size(states)), text, i, text # "    [[maybe_unused]] Number " # states[i] # " = in[first + " #
              !add(i, 1) # "];\n")
     # numbersCode # update # "    return {" # !if(isScaledByNorms, "direction", "new_variable") #
     !foldl("", states, text, state, text # ", new_" # state) # [{};
    }
  }];
}

defvar decay = (ins Train_F32Attr<"0.0f">:$norm_coefficient);
defvar moments = ["first_moment", "second_moment"];
defvar momentsFormat = " `moments` $first_moment `,` $second_moment";
class Train_MomentsNumbers<string epsilon> {
  dag of = (ins Train_F32Attr<"0.9f">:$alpha, Train_F32Attr<"0.999f">:$beta, Train_F32Attr<epsilon>:$epsilon);
}
defvar corrections = [Train_OfStep<"first_correction", "correction(alpha, step)">,
                      Train_OfStep<"second_correction", "correction(beta, step)">];
defvar newMoments = [{
    Number new_first_moment = alpha * first_moment + (1 - alpha) * g;
    Number new_second_moment = beta * second_moment + (1 - beta) * (g * g);
}];
defvar hasStep = "**Constraints**\n- (C1) `step` is present.\n";

def Train_SgdOp : Train_OptimizerOp<"sgd", []> {
  let summary = "gradient descent";
  let intro = "The gradient times the learning rate.";
  let numbers = decay;
  let update = [{
    Number g = decayed(gradient, norm_coefficient, variable);
    Number new_variable = variable - learning_rate * g;
}];
  let example = "%w1 = train.sgd %w gradient %g rate %lr {norm_coefficient = 1.0e-4 : f32} : tensor<64x10xf32>, tensor<f32>";
}

def Train_MomentumOp : Train_OptimizerOp<"momentum", ["velocity"]> {
  let summary = "gradient descent with momentum";
  let intro = [{
    `Momentum` of ai.onnx.preview.training, version 1, which is PyTorch's SGD with `momentum = alpha` and
    `dampening = 1 - beta`. `isNesterov` is the mode `nesterov`.}];
  let numbers = !con((ins F32Attr:$alpha, Train_F32Attr<"1.0f">:$beta), decay);
  let options = (ins DefaultValuedAttr<Train_MomentumMode, "::tutti::train::MomentumMode::Standard">:$mode);
  let ofStep = [Train_OfStep<"weight", "select(0 < real(step), beta, 1)">];
  let dependsOnStep = "beta != 1";
  let update = [{
    bool isNesterov = getMode() == MomentumMode::Nesterov;
    Number g = decayed(gradient, norm_coefficient, variable);
    Number new_velocity = alpha * velocity + weight * g;
    Number new_variable = variable - learning_rate * (isNesterov ? g + alpha * new_velocity : new_velocity);
}];
  let statesFormat = " `velocity` $velocity";
  let constraints = "**Constraints**\n- (C1) `step` is present unless `beta` is 1.\n";
  let example = "%w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 9.0e-1 : f32} : tensor<64x10xf32>, tensor<f32>";
  let hasVerifier = 1;
}

def Train_AdagradOp : Train_OptimizerOp<"adagrad", ["accumulator"]> {
  let summary = "gradient descent scaled by the sum of squared gradients";
  let intro = "`Adagrad` of ai.onnx.preview.training, version 1 (Duchi, Hazan, Singer 2011).";
  let numbers = !con((ins Train_F32Attr<"0.0f">:$decay_factor, Train_F32Attr<"1.0e-6f">:$epsilon), decay);
  let ofStep = [Train_OfStep<"rate", "learning_rate / (1 + real(step) * decay_factor)", "learning_rate">];
  let dependsOnStep = "decay_factor != 0";
  let update = [{
    Number g = decayed(gradient, norm_coefficient, variable);
    Number new_accumulator = accumulator + g * g;
    Number new_variable = variable - rate * g / (sqrt(new_accumulator) + epsilon);
}];
  let statesFormat = " `accumulator` $accumulator";
  let constraints = "**Constraints**\n- (C1) `step` is present unless `decay_factor` is 0.\n";
  let example = "%w1, %h1 = train.adagrad %w gradient %g accumulator %h rate %lr : tensor<64x10xf32>, tensor<f32>";
  let hasVerifier = 1;
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

def Train_AdamOp : Train_OptimizerOp<"adam", moments> {
  let summary = "Adam";
  let intro = [{
    Adam (Kingma, Ba 2015). `correction(d, step)` is `1 - d^step`, and 1 where the step is not positive.
    `epsilon_before_correction` is as `Adam` of ai.onnx.preview.training has it.}];
  let numbers = !con(Train_MomentsNumbers<"1.0e-8f">.of, decay, (ins Train_F32Attr<"0.0f">:$norm_coefficient_post));
  let options = (ins UnitAttr:$epsilon_before_correction);
  let ofStep = corrections;
  let update = !strconcat([{
    Number g = decayed(gradient, norm_coefficient, variable);
}], newMoments, [{
    Number move = getEpsilonBeforeCorrection()
        ? learning_rate * sqrt(second_correction) / first_correction * new_first_moment / (sqrt(new_second_moment) + epsilon)
        : learning_rate / first_correction * new_first_moment / (sqrt(new_second_moment / second_correction) + epsilon);
    Number new_variable = norm_coefficient_post == 0 ? variable - move : (variable - move) * (1 - norm_coefficient_post);
}]);
  let statesFormat = momentsFormat;
  let constraints = hasStep;
  let example = "%w1, %m1, %v1 = train.adam %w gradient %g moments %m, %v rate %lr step %t : tensor<64x10xf32>, tensor<f32>";
  let hasVerifier = 1;
}

def Train_AdamWOp : Train_OptimizerOp<"adamw", moments> {
  let summary = "Adam with decoupled weight decay";
  let intro = [{
    AdamW (Loshchilov, Hutter 2019) as PyTorch computes it: the variable shrinks before it moves, or after it with
    `decay_last`. Hugging Face's AdamW, which is mode 1 of ONNX Runtime's AdamWOptimizer, has both `decay_last` and
    `epsilon_before_correction`.}];
  let numbers = !con(Train_MomentsNumbers<"1.0e-8f">.of, (ins Train_F32Attr<"1.0e-2f">:$weight_decay));
  let options = (ins UnitAttr:$epsilon_before_correction, UnitAttr:$decay_last);
  let ofStep = corrections;
  let update = !strconcat([{
    Number g = gradient;
}], newMoments, [{
    Number move = getEpsilonBeforeCorrection()
        ? learning_rate * sqrt(second_correction) / first_correction * new_first_moment / (sqrt(new_second_moment) + epsilon)
        : learning_rate / first_correction * new_first_moment / (sqrt(new_second_moment / second_correction) + epsilon);
    Number kept = 1 - learning_rate * weight_decay;
    Number new_variable = getDecayLast() ? (variable - move) * kept : variable * kept - move;
}]);
  let statesFormat = momentsFormat;
  let constraints = hasStep;
  let example = "%w1, %m1, %v1 = train.adamw %w gradient %g moments %m, %v rate %lr step %t : tensor<64x10xf32>, tensor<f32>";
  let hasVerifier = 1;
}

def Train_NAdamOp : Train_OptimizerOp<"nadam", moments> {
  let summary = "Adam with Nesterov's momentum";
  let intro = [{
    NAdam (Dozat 2016) as PyTorch computes it. `momentumOf(d, c, step)` is `d * (1 - 0.96^(step * c) / 2)`, and
    `momentaUpTo` the product of those of all steps up to this one.}];
  let numbers = !con(Train_MomentsNumbers<"1.0e-8f">.of, decay, (ins Train_F32Attr<"4.0e-3f">:$momentum_decay));
  let ofStep = [Train_OfStep<"second_correction", "correction(beta, step)">,
                Train_OfStep<"momentum", "momentumOf(alpha, momentum_decay, step)">,
                Train_OfStep<"next_momentum", "momentumOf(alpha, momentum_decay, next(step))">,
                Train_OfStep<"momenta", "momentaUpTo(alpha, momentum_decay, step)">];
  let update = !strconcat([{
    Number g = decayed(gradient, norm_coefficient, variable);
}], newMoments, [{
    Number size = sqrt(new_second_moment / second_correction) + epsilon;
    Number of_gradient = learning_rate * (1 - momentum) / (1 - momenta);
    Number of_moment = learning_rate * next_momentum / (1 - momenta * next_momentum);
    Number new_variable = variable - of_gradient * (g / size) - of_moment * (new_first_moment / size);
}]);
  let statesFormat = momentsFormat;
  let constraints = hasStep;
  let example = "%w1, %m1, %v1 = train.nadam %w gradient %g moments %m, %v rate %lr step %t : tensor<64x10xf32>, tensor<f32>";
  let hasVerifier = 1;
}

def Train_RmspropOp : Train_OptimizerOp<"rmsprop", ["square_average"]> {
  let summary = "gradient descent scaled by the mean of squared gradients";
  let intro = "RMSprop (Tieleman, Hinton 2012) as PyTorch computes it, without momentum.";
  let numbers = !con((ins Train_F32Attr<"0.99f">:$alpha, Train_F32Attr<"1.0e-8f">:$epsilon), decay);
  let update = [{
    Number g = decayed(gradient, norm_coefficient, variable);
    Number new_square_average = alpha * square_average + (1 - alpha) * (g * g);
    Number new_variable = variable - learning_rate * (g / (sqrt(new_square_average) + epsilon));
}];
  let statesFormat = " `average` $square_average";
  let example = "%w1, %s1 = train.rmsprop %w gradient %g average %s rate %lr : tensor<64x10xf32>, tensor<f32>";
}

def Train_RmspropMomentumOp : Train_OptimizerOp<"rmsprop_momentum", ["square_average", "velocity"]> {
  let summary = "RMSprop with momentum";
  let intro = "RMSprop (Tieleman, Hinton 2012) as PyTorch computes it with momentum.";
  let numbers = !con((ins F32Attr:$momentum, Train_F32Attr<"0.99f">:$alpha, Train_F32Attr<"1.0e-8f">:$epsilon), decay);
  let update = [{
    Number g = decayed(gradient, norm_coefficient, variable);
    Number new_square_average = alpha * square_average + (1 - alpha) * (g * g);
    Number new_velocity = momentum * velocity + g / (sqrt(new_square_average) + epsilon);
    Number new_variable = variable - learning_rate * new_velocity;
}];
  let statesFormat = " `average` $square_average `velocity` $velocity";
  let example = "%w1, %s1, %v1 = train.rmsprop_momentum %w gradient %g average %s velocity %v rate %lr {momentum = 9.0e-1 : f32} : tensor<64x10xf32>, tensor<f32>";
}

def Train_LionOp : Train_OptimizerOp<"lion", ["moment"]> {
  let summary = "moves by the sign of a mean of gradients";
  let intro = "Lion (Chen and others 2023): every element moves by the learning rate, up or down.";
  let numbers = (ins Train_F32Attr<"0.9f">:$alpha, Train_F32Attr<"0.99f">:$beta, Train_F32Attr<"0.0f">:$weight_decay);
  let update = [{
    Number kept = weight_decay == 0 ? variable : variable * (1 - learning_rate * weight_decay);
    Number new_variable = kept - learning_rate * sign(alpha * moment + (1 - alpha) * gradient);
    Number new_moment = beta * moment + (1 - beta) * gradient;
}];
  let statesFormat = " `moment` $moment";
  let example = "%w1, %m1 = train.lion %w gradient %g moment %m rate %lr : tensor<64x10xf32>, tensor<f32>";
}

def Train_LambOp : Train_OptimizerOp<"lamb", moments, []> {
  let summary = "Adam with a learning rate of each variable's own";
  let sharding = "a^.., a.., a.., a.., (), () -> a.., a.., a..";
  let shardingNote = "norms of the whole variable decide";
  let intro = [{
    LAMB (You and others 2020). With the 2-norms of the variable and of `direction`, computed in f32, the trust ratio is
    `norm(variable) / norm(direction)`, or 1 where one of them is 0, and
    `new_variable = variable - learning_rate * ratio * direction`. It looks at the whole variable, so it is not divided among ranks.}];
  let isScaledByNorms = 1;
  let numbers = !con(Train_MomentsNumbers<"1.0e-6f">.of, (ins Train_F32Attr<"1.0e-2f">:$weight_decay));
  let ofStep = corrections;
  let update = !strconcat([{
    Number g = gradient;
}], newMoments, [{
    Number move = 1 / first_correction * new_first_moment / (sqrt(new_second_moment / second_correction) + epsilon);
    Number direction = decayed(move, weight_decay, variable);
}]);
  let statesFormat = momentsFormat;
  let constraints = hasStep;
  let example = "%w1, %m1, %v1 = train.lamb %w gradient %g moments %m, %v rate %lr step %t : tensor<64x10xf32>, tensor<f32>";
  let hasVerifier = 1;
}

#endif
