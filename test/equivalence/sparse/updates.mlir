// Updating the rows that occur gives the bits of updating the whole table: each table stands here twice, once with a mark on
// its gradient, after which the list of rows is not seen. Rows occur never, once and often; in "one" a single row is all.
// RUN: dist-run -n 1 %s --steps 12 --seed 3 --dataset %data/clicks_train.npz --save %t.safetensors
// RUN: %python %S/equal_variables.py %t.safetensors sgd.rows sgd.table
// RUN: %python %S/equal_variables.py %t.safetensors adagrad.rows adagrad.table
// RUN: %python %S/equal_variables.py %t.safetensors sum.rows sum.table
// RUN: %python %S/equal_variables.py %t.safetensors one.rows one.table
// RUN: dist-opt %s --train-specialize-batch --train-update-rows | FileCheck %s
// CHECK-COUNT-4: train.scatter_update_rows
// CHECK-NOT: train.scatter_update_rows

#a = #train.variable<"sgd.rows", trainable>
#b = #train.variable<"sgd.table", trainable>
#c = #train.variable<"adagrad.rows", trainable>
#d = #train.variable<"adagrad.table", trainable>
#e = #train.variable<"sum.rows", state>
#f = #train.variable<"sum.table", state>
#g = #train.variable<"one.rows", trainable>
#h = #train.variable<"one.table", trainable>
!table = tensor<1000x4xf32>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (!table {train.variable = #a}, !table {train.variable = #b}, !table {train.variable = #c}, !table {train.variable = #d},
                              !table {train.variable = #e}, !table {train.variable = #f}, !table {train.variable = #g}, !table {train.variable = #h}) {
    %w = onnx.RandomNormal {shape = array<i64: 1000, 4>, seed = 5.0 : f32} : !table
    %z = arith.constant dense<0.0> : !table
    return %w, %w, %w, %w, %z, %z, %w, %w : !table, !table, !table, !table, !table, !table, !table, !table
  }
  func.func @step(%a: !table {train.variable = #a}, %b: !table {train.variable = #b}, %c: !table {train.variable = #c}, %d: !table {train.variable = #d},
                  %e: !table {train.variable = #e}, %f: !table {train.variable = #f}, %g: !table {train.variable = #g}, %h: !table {train.variable = #h},
                  %i: tensor<?xi64> {train.input = #train.input<"user", @data>}, %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 0.3 : f64>})
      -> (!table {train.variable = #a}, !table {train.variable = #b}, !table {train.variable = #c}, !table {train.variable = #d},
          !table {train.variable = #e}, !table {train.variable = #f}, !table {train.variable = #g}, !table {train.variable = #h}) {
    // The gradient of half the squares of what is looked up.
    %ra = onnx.Gather %a, %i : (!table, tensor<?xi64>) -> tensor<?x4xf32>
    %ga = train.scatter_rows %i, %ra : tensor<?xi64>, tensor<?x4xf32> -> !table
    %rb = onnx.Gather %b, %i : (!table, tensor<?xi64>) -> tensor<?x4xf32>
    %sb = train.scatter_rows %i, %rb : tensor<?xi64>, tensor<?x4xf32> -> !table
    %gb = train.mark_gradient %sb : !table
    %a1 = train.sgd %a gradient %ga rate %lr : !table, tensor<f32>
    %b1 = train.sgd %b gradient %gb rate %lr : !table, tensor<f32>
    %rc = onnx.Gather %c, %i : (!table, tensor<?xi64>) -> tensor<?x4xf32>
    %sc = train.scatter_rows %i, %rc : tensor<?xi64>, tensor<?x4xf32> -> !table
    %gc = train.scale %sc by %lr : !table, tensor<f32>
    %rd = onnx.Gather %d, %i : (!table, tensor<?xi64>) -> tensor<?x4xf32>
    %sd = train.scatter_rows %i, %rd : tensor<?xi64>, tensor<?x4xf32> -> !table
    %md = train.mark_gradient %sd : !table
    %gd = train.scale %md by %lr : !table, tensor<f32>
    %c1, %e1 = train.adagrad %c gradient %gc accumulator %e rate %lr : !table, tensor<f32>
    %d1, %f1 = train.adagrad %d gradient %gd accumulator %f rate %lr : !table, tensor<f32>
    %zero = onnx.Sub %i, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %rg = onnx.Gather %g, %zero : (!table, tensor<?xi64>) -> tensor<?x4xf32>
    %sg = train.scatter_rows %zero, %rg : tensor<?xi64>, tensor<?x4xf32> -> !table
    %small = arith.constant dense<0.01> : tensor<f32>
    %g1 = train.sgd %g gradient %sg rate %small : !table, tensor<f32>
    %rh = onnx.Gather %h, %zero : (!table, tensor<?xi64>) -> tensor<?x4xf32>
    %sh = train.scatter_rows %zero, %rh : tensor<?xi64>, tensor<?x4xf32> -> !table
    %mh = train.mark_gradient %sh : !table
    %h1 = train.sgd %h gradient %mh rate %small : !table, tensor<f32>
    return %a1, %b1, %c1, %d1, %e1, %f1, %g1, %h1 : !table, !table, !table, !table, !table, !table, !table, !table
  }
}
