// Rows that are added up before they could travel are whole tables; the remark names the nodes that look them up.
// RUN: dist-opt %s --distribute-sparse-gradients --remarks=text 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: not dist-opt %s --distribute-sparse-gradients="mode=rows" 2>&1 | FileCheck %s --check-prefix=ERROR

// REMARK: gradient of "twice" is reduced as a whole table: nodes "first" and "second" look it up, and the sum of several lists of rows is a table [distribute-sparse-gradients, missed]
// REMARK: gradient of "shared" is reduced as a whole table: node "lookup" looks it up, and something else has a gradient of it too [distribute-sparse-gradients, missed]
// REMARK: gradient of "parts" is reduced as a whole table: node "micro" looks it up, and the rows of micro-batches are added up in a table [distribute-sparse-gradients, missed]
// REMARK-NOT: gradient of "bias"
// ERROR: error: sparse=rows: no gradient that is reduced is a list of rows; only those of lookups (Gather) are; gradient of "twice" is reduced as a whole table: nodes "first" and "second" look it up, and the sum of several lists of rows is a table

#twice = #train.variable<"twice", trainable>
#shared = #train.variable<"shared", trainable>
#parts = #train.variable<"parts", trainable>
#bias = #train.variable<"bias", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<1000x16xf32> {train.variable = #twice}, tensor<1000x16xf32> {train.variable = #shared}, tensor<1000x16xf32> {train.variable = #parts}, tensor<1000x16xf32> {train.variable = #bias}) {
    %a = arith.constant dense<1.0> : tensor<1000x16xf32>
    return %a, %a, %a, %a : tensor<1000x16xf32>, tensor<1000x16xf32>, tensor<1000x16xf32>, tensor<1000x16xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-NOT: all_gather
  // CHECK: collective.all_reduce mean %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} on @world
  func.func @step(%a: tensor<1000x16xf32> {train.variable = #twice}, %b: tensor<1000x16xf32> {train.variable = #shared}, %c: tensor<1000x16xf32> {train.variable = #parts}, %d: tensor<1000x16xf32> {train.variable = #bias},
                  %i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %x: tensor<?x16xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<1000x16xf32> {train.variable = #twice}, tensor<1000x16xf32> {train.variable = #shared}, tensor<1000x16xf32> {train.variable = #parts}, tensor<1000x16xf32> {train.variable = #bias}) {
    %first = train.scatter_rows %i, %x : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32> loc("first")
    %second = train.scatter_rows %i, %x : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32> loc("second")
    %ga = arith.addf %first, %second : tensor<1000x16xf32>
    %lookup = train.scatter_rows %i, %x : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32> loc("lookup")
    %other = onnx.Neg %b : (tensor<1000x16xf32>) -> tensor<1000x16xf32>
    %sum = arith.addf %other, %lookup : tensor<1000x16xf32>
    %gb = train.scale %sum by %lr : tensor<1000x16xf32>, tensor<f32>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %none = arith.constant dense<0.0> : tensor<1000x16xf32>
    %gc = scf.for %k = %zero to %four step %one iter_args(%last = %none) -> tensor<1000x16xf32> {
      %micro = train.scatter_rows %i, %x : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32> loc("micro")
      %scaled = train.scale %micro by %lr : tensor<1000x16xf32>, tensor<f32>
      %next = arith.addf %last, %scaled : tensor<1000x16xf32>
      scf.yield %next : tensor<1000x16xf32>
    }
    %gd = onnx.Neg %d : (tensor<1000x16xf32>) -> tensor<1000x16xf32>
    %r:4 = collective.all_reduce mean %ga, %gb, %gc, %gd on @world : tensor<1000x16xf32>, tensor<1000x16xf32>, tensor<1000x16xf32>, tensor<1000x16xf32>
    %a1 = train.sgd %a gradient %r#0 rate %lr : tensor<1000x16xf32>, tensor<f32>
    %b1 = train.sgd %b gradient %r#1 rate %lr : tensor<1000x16xf32>, tensor<f32>
    %c1 = train.sgd %c gradient %r#2 rate %lr : tensor<1000x16xf32>, tensor<f32>
    %d1 = train.sgd %d gradient %r#3 rate %lr : tensor<1000x16xf32>, tensor<f32>
    return %a1, %b1, %c1, %d1 : tensor<1000x16xf32>, tensor<1000x16xf32>, tensor<1000x16xf32>, tensor<1000x16xf32>
  }
}
