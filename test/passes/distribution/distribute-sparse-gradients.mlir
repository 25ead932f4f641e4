// Gradients of lookups travel as rows where that moves fewer bytes; the remark names the variable and both numbers.
// RUN: dist-opt %s --distribute-sparse-gradients --remarks=text 2>%t.remarks | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: dist-opt %s --distribute-sparse-gradients="mode=dense" | FileCheck %s --check-prefix=DENSE
// RUN: dist-opt %s --distribute-sparse-gradients="mode=rows" | FileCheck %s --check-prefixes=CHECK,ROWS
// A second time there is nothing left to do.
// RUN: dist-opt %s --distribute-sparse-gradients -o %t.once.mlir
// RUN: dist-opt %t.once.mlir --distribute-sparse-gradients | diff %t.once.mlir -
// What stands in its place is a reduction, and one only.
// RUN: dist-opt %t.once.mlir --distribute-verify-replication
// On one rank nothing is left of it.
// RUN: dist-opt %t.once.mlir --specialize-world="ranks=1" | FileCheck %s --check-prefix=ONE

// REMARK: gradient of "big" is reduced as rows: its rows take 4608 bytes, the table 128000, each times (N-1)/N for N ranks
// REMARK: gradient of "small" is reduced as a whole table: its rows take 4608 bytes, the table 1280, each times (N-1)/N
// REMARK: gradient of "fixed" is reduced as a whole table: the rows that it touches are the same in every step

#big = #train.variable<"big", trainable>
#small = #train.variable<"small", trainable>
#fixed = #train.variable<"fixed", trainable>
#bias = #train.variable<"bias", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<1000x16xf32> {train.variable = #big}, tensor<10x16xf32> {train.variable = #small}, tensor<90x16xf32> {train.variable = #fixed}, tensor<16xf32> {train.variable = #bias}) {
    %a = arith.constant dense<1.0> : tensor<1000x16xf32>
    %b = arith.constant dense<1.0> : tensor<10x16xf32>
    %c = arith.constant dense<1.0> : tensor<90x16xf32>
    %d = arith.constant dense<1.0> : tensor<16xf32>
    return %a, %b, %c, %d : tensor<1000x16xf32>, tensor<10x16xf32>, tensor<90x16xf32>, tensor<16xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[I:[a-z0-9]*]]: tensor<?xi64>
  // DENSE-LABEL: func.func @step
  // ONE-LABEL: func.func @step
  func.func @step(%a: tensor<1000x16xf32> {train.variable = #big}, %b: tensor<10x16xf32> {train.variable = #small}, %c: tensor<90x16xf32> {train.variable = #fixed}, %d: tensor<16xf32> {train.variable = #bias},
                  %i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %samples: tensor<?x16xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<1000x16xf32> {train.variable = #big}, tensor<10x16xf32> {train.variable = #small}, tensor<90x16xf32> {train.variable = #fixed}, tensor<16xf32> {train.variable = #bias}) {
    %c0 = arith.constant 0 : index
    %count = tensor.dim %samples, %c0 : tensor<?x16xf32>
    %integer = arith.index_cast %count : index to i64
    %float = arith.sitofp %integer : i64 to f32
    %divisor = tensor.from_elements %float : tensor<f32>
    %x = onnx.Div %samples, %divisor : (tensor<?x16xf32>, tensor<f32>) -> tensor<?x16xf32>
    %some = arith.constant dense<[1, 2]> : tensor<2xi64>
    %two = tensor.extract_slice %x[0, 0] [2, 16] [1, 1] : tensor<?x16xf32> to tensor<2x16xf32>
    %one = tensor.extract_slice %x[0, 0] [1, 16] [1, 1] : tensor<?x16xf32> to tensor<16xf32>
    %ga = train.scatter_rows %i, %x : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32>
    %gb = train.scatter_rows %i, %x : tensor<?xi64>, tensor<?x16xf32> -> tensor<10x16xf32>
    %gc = train.scatter_rows %some, %two : tensor<2xi64>, tensor<2x16xf32> -> tensor<90x16xf32>
    // CHECK: %[[LI:.*]], %[[LR:.*]] = train.merge_rows %[[I]], %[[X:.*]] of 1000 : tensor<?xi64>, tensor<?x16xf32>
    // CHECK-DAG: %[[GI:.*]] = collective.all_gather %[[LI]] along 0 on @world : tensor<?xi64>
    // CHECK-DAG: %[[GR:.*]] = collective.all_gather %[[LR]] along 0 on @world : tensor<?x16xf32>
    // CHECK: %[[N:.*]] = tensor.from_elements
    // CHECK: %[[MI:.*]], %[[MR:.*]] = train.merge_rows %[[GI]], %[[GR]] of 1000 over %[[N]]
    // CHECK: %[[G:.*]] = train.scatter_rows %[[MI]], %[[MR]] : {{.*}} -> tensor<1000x16xf32>
    // The others stay in their bucket.
    // AUTO: collective.all_reduce mean %{{.*}}, %{{.*}}, %{{.*}} on @world : tensor<10x16xf32>, tensor<90x16xf32>, tensor<16xf32>
    // ROWS: train.merge_rows {{.*}} of 10 over
    // ROWS: collective.all_reduce mean %{{.*}}, %{{.*}} on @world : tensor<90x16xf32>, tensor<16xf32>
    // CHECK: train.sgd %{{.*}} gradient %[[G]]
    // DENSE-NOT: all_gather
    // DENSE: collective.all_reduce mean %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} on
    // ONE-NOT: merge_rows
    // ONE: %[[G:.*]] = train.scatter_rows %{{.*}}, %{{.*}} -> tensor<1000x16xf32>
    // ONE: train.sgd %{{.*}} gradient %[[G]]
    %r:4 = collective.all_reduce mean %ga, %gb, %gc, %one on @world : tensor<1000x16xf32>, tensor<10x16xf32>, tensor<90x16xf32>, tensor<16xf32>
    %a1 = train.sgd %a gradient %r#0 rate %lr : tensor<1000x16xf32>, tensor<f32>
    %b1 = train.sgd %b gradient %r#1 rate %lr : tensor<10x16xf32>, tensor<f32>
    %c1 = train.sgd %c gradient %r#2 rate %lr : tensor<90x16xf32>, tensor<f32>
    %d1 = train.sgd %d gradient %r#3 rate %lr : tensor<16xf32>, tensor<f32>
    return %a1, %b1, %c1, %d1 : tensor<1000x16xf32>, tensor<10x16xf32>, tensor<90x16xf32>, tensor<16xf32>
  }
}
