// One negative test for each way to break the contract of a training program.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{argument 0 of @program_c1_two_roles: has more than one role}}
func.func private @program_c1_two_roles(tensor<f32> {train.variable = #train.variable<"a", other>, train.metric = "a"})

// -----
// expected-error @below {{argument 0 of @program_c1_argument_is_metric: an argument cannot be train.metric}}
func.func private @program_c1_argument_is_metric(tensor<f32> {train.metric = "loss"})

// -----
// expected-error @below {{result 0 of @program_c1_result_is_hyperparameter: a result cannot be train.hyperparameter}}
func.func private @program_c1_result_is_hyperparameter() -> (tensor<f32> {train.hyperparameter = #train.hyperparameter<"a", 1.0 : f64>})

// -----
// expected-error @below {{argument 0 of @variable_is_a_string: train.variable must be a #train.variable, got "a"}}
func.func private @variable_is_a_string(tensor<f32> {train.variable = "a"})

// -----
// expected-error @below {{result 0 of @metric_is_a_number: train.metric must be a string, got 1 : i64}}
func.func private @metric_is_a_number() -> (tensor<f32> {train.metric = 1})

// -----
// expected-error @below {{train.metric is not an attribute of operations}}
func.func private @metric_on_operation() attributes {train.metric = "loss"}

// -----
// expected-error @below {{train.program must be a unit attribute of a module}}
func.func private @program_on_function() attributes {train.program}

// -----
module attributes {train.program} {
  // expected-error @below {{argument 1 of @program_c2_same_name: there is another variable "a"}}
  func.func private @program_c2_same_name(tensor<f32> {train.variable = #train.variable<"a", other>},
                                          tensor<f32> {train.variable = #train.variable<"a", other>})
}

// -----
module attributes {train.program} {
  func.func private @initialize() -> (tensor<f32> {train.variable = #train.variable<"a", other>})
  // expected-error @below {{@step must take the 1 variables of @initialize, but has 0}}
  func.func private @step()
}

// -----
module attributes {train.program} {
  func.func private @initialize() -> (tensor<f32> {train.variable = #train.variable<"a", other>})
  // expected-error @below {{@step must return the variables of @initialize in its order: expected #train.variable<"a", other> : 'tensor<f32>', found #train.variable<"a", other> : 'tensor<1xf32>'}}
  func.func private @step(tensor<f32> {train.variable = #train.variable<"a", other>}) -> (tensor<1xf32> {train.variable = #train.variable<"a", other>})
}

// -----
// expected-error @below {{argument 0 of @program_c4_no_dataset: its dataset @data is not a train.dataset of this module}}
func.func private @program_c4_no_dataset(tensor<?xf32> {train.input = #train.input<"x", @data>})

// -----
// expected-error @below {{argument 0 of @program_c5_vector: a hyperparameter must be a scalar float tensor, got 'tensor<1xf32>'}}
func.func private @program_c5_vector(tensor<1xf32> {train.hyperparameter = #train.hyperparameter<"a", 1.0 : f64>})

// -----
// expected-error @below {{argument 0 of @program_c6_sharded_matrix: a sharded variable must be a tensor of one dimension, got 'tensor<2x2xf32>'}}
func.func private @program_c6_sharded_matrix(tensor<2x2xf32> {train.variable = #train.variable<"a", state, shard<4x2>>})

// -----
// expected-error @below {{result 0 of @program_c6_part_above_whole: a part of 8 elements cannot have 9}}
func.func private @program_c6_part_above_whole() -> (tensor<9xf32> {train.variable = #train.variable<"a", state, shard<4x2>>})

// -----
// expected-error @+1 {{expected replicate, shard or per_rank, got everywhere}}
func.func private @placement_unknown(tensor<2xf32> {train.variable = #train.variable<"a", state, everywhere>})

// -----
// expected-error @+1 {{expected '<'}}
func.func private @placement_without_shape(tensor<2xf32> {train.variable = #train.variable<"a", state, shard>})

// -----
// expected-error @below {{train.at_launch must be an array of strings, one pass each, on a module}}
module @program_c7_passes_are_strings attributes {train.program, train.at_launch = "cse"} {
}

// -----
// expected-error @below {{train.deterministic must be an array of names of dialects or operations on a module, and without a value on an operation}}
module attributes {train.deterministic} {}

// -----
// expected-error @below {{train.deterministic must be an array of names of dialects or operations on a module}}
module attributes {train.deterministic = ["acme", 3]} {}

// -----
// expected-error @below {{train.deterministic must be an array of names of dialects or operations on a module}}
func.func private @program_c8_names_on_an_operation() attributes {train.deterministic = ["acme"]}

// -----

// expected-error @below {{train.sums_gradients must be a unit attribute of a module}}
func.func private @program_c9_on_a_function() attributes {train.sums_gradients}

// -----
// expected-error @below {{train.doubtful must be a dictionary of strings on a module}}
module @program_c16_no_text attributes {train.doubtful = {pe = 3}} {}

// -----
// expected-error @below {{train.zero_rows must be a dictionary of numbers from 0 on, on a module}}
module @program_c18_negative attributes {train.zero_rows = {emb = -1 : i64}} {}

// -----
func.func @program_c19_negative() {
  // expected-error @below {{train.draw must be a number of at least 0, as i64}}
  %0 = arith.constant {train.draw = -1 : i64} 1.0 : f32
  return
}

// -----

// expected-error @below {{train.doubtful must be a dictionary of strings on a module}}
func.func private @program_c16_on_a_function() attributes {train.doubtful = {pe = "sines and cosines"}}

// -----
// expected-error @below {{result 0 of @program_c10_not_evaluate: train.exponential_metric stands only on @evaluate}}
func.func private @program_c10_not_evaluate() -> (tensor<2xf32> {train.exponential_metric = "perplexity"})

// -----
// expected-error @below {{result 0 of @evaluate: train.exponential_metric must be a string, got 3}}
func.func private @evaluate() -> (tensor<2xf32> {train.exponential_metric = 3})

// -----
// expected-error @below {{result 1 of @evaluate: train.metric_weight must be an array of names of metrics, got "loss"}}
func.func private @evaluate() -> (tensor<2xf32> {train.metric = "loss"}, tensor<2xf32> {train.metric_weight = "loss"})

// -----
// expected-error @below {{result 1 of @evaluate: a weight of type 'tensor<2xf32>' cannot weigh "los", which must be a metric of this function and shape}}
func.func private @evaluate() -> (tensor<2xf32> {train.metric = "loss"}, tensor<2xf32> {train.metric_weight = ["los"]})

// -----
// expected-error @below {{result 1 of @evaluate: a weight of type 'tensor<2xf32>' cannot weigh "loss"}}
func.func private @evaluate() -> (tensor<2x3xf32> {train.metric = "loss"}, tensor<2xf32> {train.metric_weight = ["loss"]})

// -----
// expected-error @below {{result 1 of @evaluate: the metric "loss" has two weights}}
func.func private @evaluate() -> (tensor<2xf32> {train.metric = "loss"}, tensor<2xf32> {train.metric_weight = ["loss"]},
                                  tensor<2xf32> {train.metric_weight = ["loss"]})

// -----
// expected-error @below {{result 0 of @evaluate: train.batch_sum must be a scalar float tensor, got 'tensor<2xf32>'}}
func.func private @evaluate() -> (tensor<2xf32> {train.batch_sum = "loss"})

// -----
// expected-error @below {{result 0 of @evaluate: train.whole_batch_metric must be a string, got 3}}
func.func private @evaluate() -> (tensor<f32> {train.whole_batch_metric = 3})

// -----
// expected-error @below {{result 0 of @program_c17_not_evaluate: train.batch_mean stands only on @evaluate}}
func.func private @program_c17_not_evaluate() -> (tensor<f32> {train.batch_mean = "loss"})

// -----
// expected-error @below {{result 0 of @program_c11_not_evaluate: train.area_metric stands only on @evaluate}}
func.func private @program_c11_not_evaluate() -> (tensor<2xf32> {train.area_metric = "auc"})

// -----
// expected-error @below {{result 0 of @evaluate: the metric "auc" has 0 labels; it needs one train.metric_label}}
func.func private @evaluate() -> (tensor<2xf32> {train.area_metric = "auc"})

// -----
// expected-error @below {{result 0 of @evaluate: the metric "auc" has 2 labels; it needs one train.metric_label}}
func.func private @evaluate() -> (tensor<2xf32> {train.area_metric = "auc"}, tensor<2xf32> {train.metric_label = ["auc"]},
                                  tensor<2xf32> {train.metric_label = ["auc"]})

// -----
// expected-error @below {{result 1 of @evaluate: labels of type 'tensor<2xf32>' cannot be those of "loss", which must be a train.area_metric of this shape}}
func.func private @evaluate() -> (tensor<2xf32> {train.metric = "loss"}, tensor<2xf32> {train.metric_label = ["loss"]})

// -----
// expected-error @below {{result 1 of @evaluate: labels of type 'tensor<2xf32>' cannot be those of "auc"}}
func.func private @evaluate() -> (tensor<2x1xf32> {train.area_metric = "auc"}, tensor<2xf32> {train.metric_label = ["auc"]})

// -----
// expected-error @below {{result 1 of @evaluate: train.metric_label must be an array of names of metrics, got "auc"}}
func.func private @evaluate() -> (tensor<2xf32> {train.metric = "auc"}, tensor<2xf32> {train.metric_label = "auc"})

// -----

// expected-error @below {{train.fixed_batch must be a location on a module}}
module @program_c17 attributes {train.fixed_batch = "MatMul"} {}

// -----

// expected-error @below {{train.mesh must be two numbers on a module: groups, 0 if that is open, and ranks of each, at least 1}}
module @mesh_of_no_neighbours attributes {train.mesh = array<i64: 2, 0>} {}

// -----

// expected-error @below {{train.tensor_parts must be a number above 1 on a module}}
module @one_part attributes {train.tensor_parts = 1 : i64} {}

// -----

module @no_block attributes {train.tensor_parts = 2 : i64} {
  // expected-error @below {{a variable in 2 parts must be one of as many equal blocks of a dimension, or of each of its ranges, got 'tensor<4x3xf32>'}}
  func.func private @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable, shard<4x8>>})
}

// -----

module @no_block_of_ranges attributes {train.tensor_parts = 2 : i64, train.tensor_ranges = {w = 3 : i64}} {
  // expected-error @below {{or of each of its ranges, got 'tensor<4x4xf32>'}}
  func.func private @initialize() -> (tensor<4x4xf32> {train.variable = #train.variable<"w", trainable, shard<4x8>>})
}

// -----

// expected-error @below {{train.tensor_ranges must be numbers above 1 by the names of variables, on a module that has train.tensor_parts}}
module @ranges_of_no_parts attributes {train.tensor_ranges = {w = 3 : i64}} {}

// -----

// expected-error @below {{train.tensor_ranges must be numbers above 1 by the names of variables, on a module that has train.tensor_parts}}
module @no_ranges attributes {train.tensor_parts = 2 : i64, train.tensor_ranges = {w = 1 : i64}} {}

// -----

// expected-error @below {{train.tensor_blocks must be shapes, as arrays of i64, by the names of variables, on a module that has train.tensor_parts}}
module @blocks_of_no_parts attributes {train.tensor_blocks = {w = array<i64: 4, 4>}} {}

// -----

module @no_such_block attributes {train.tensor_parts = 2 : i64, train.tensor_blocks = {w = array<i64: 4, 3>}} {
  // expected-error @below {{a block of shape [4, 3] is none of 2 equal ones of [4, 8]}}
  func.func private @initialize() -> (tensor<6xf32> {train.variable = #train.variable<"w", trainable, shard<4x8>>})
}

// -----

module @more_than_a_block attributes {train.tensor_parts = 2 : i64, train.tensor_blocks = {w = array<i64: 4, 4>}} {
  // expected-error @below {{a part of 16 elements cannot have 17}}
  func.func private @initialize() -> (tensor<17xf32> {train.variable = #train.variable<"w", trainable, shard<4x8>>})
}
