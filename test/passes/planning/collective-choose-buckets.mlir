// The buckets that collective-choose takes where the right answer is plain.
//
// Far nodes: every call costs seconds, so everything goes at once.
// RUN: dist-opt %s --specialize-world=ranks=8 --collective-choose="cluster=%S/Inputs/far.json overlap=true" --remarks=text --remarks-filter=collective-choose -o %t.far.mlir 2>&1 | FileCheck %s --check-prefix=FAR-REMARK
// RUN: FileCheck %s --check-prefix=FAR --input-file=%t.far.mlir
// FAR-REMARK: remark: {{.*}}step: chose one bucket for 8 ranks, {{[0-9.]+}} ms predicted, {{[0-9.]+}} ms of it exposed communication; no buckets: {{[0-9.]+}} ms; buckets of 64 KiB: {{[0-9.]+}} ms
// FAR: collective.all_reduce mean %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} on @world
// FAR-NOT: collective.all_reduce mean

// Near nodes of little bandwidth and computation in between: early buckets hide behind it.
// RUN: dist-opt %s --specialize-world=ranks=8 --collective-choose="cluster=%S/Inputs/near.json overlap=true" | FileCheck %s --check-prefix=NEAR
// NEAR: collective.async
// NEAR: collective.all_reduce mean %{{[0-9a-z#]+}} on @world
// NEAR: collective.async

module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<256x256xf32> {train.variable = #train.variable<"a", trainable>}, tensor<256x256xf32> {train.variable = #train.variable<"b", trainable>}, tensor<256x256xf32> {train.variable = #train.variable<"c", trainable>}) {
    %w = onnx.Constant dense<1.0> : tensor<256x256xf32>
    return %w, %w, %w : tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>
  }
  func.func @step(%a: tensor<256x256xf32> {train.variable = #train.variable<"a", trainable>},
                  %b: tensor<256x256xf32> {train.variable = #train.variable<"b", trainable>},
                  %c: tensor<256x256xf32> {train.variable = #train.variable<"c", trainable>},
                  %x: tensor<?x256xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 2.5e-1 : f64>})
      -> (tensor<256x256xf32> {train.variable = #train.variable<"a", trainable>}, tensor<256x256xf32> {train.variable = #train.variable<"b", trainable>}, tensor<256x256xf32> {train.variable = #train.variable<"c", trainable>}) {
    %t = onnx.Transpose %x {perm = array<i64: 1, 0>} : (tensor<?x256xf32>) -> tensor<256x?xf32>
    %ga = onnx.MatMul %t, %x : (tensor<256x?xf32>, tensor<?x256xf32>) -> tensor<256x256xf32>
    %ra = collective.all_reduce mean %ga on @world : tensor<256x256xf32>
    %gb = onnx.MatMul %ga, %b : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %rb = collective.all_reduce mean %gb on @world : tensor<256x256xf32>
    %gc = onnx.MatMul %gb, %c : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %rc = collective.all_reduce mean %gc on @world : tensor<256x256xf32>
    %na = train.sgd %a gradient %ra rate %lr : tensor<256x256xf32>, tensor<f32>
    %nb = train.sgd %b gradient %rb rate %lr : tensor<256x256xf32>, tensor<f32>
    %nc = train.sgd %c gradient %rc rate %lr : tensor<256x256xf32>, tensor<f32>
    return %na, %nb, %nc : tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>
  }
}
