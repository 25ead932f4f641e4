// What collective-choose takes where the right answer is plain.
//
// Nodes that are far apart and share memory inside: hierarchy. One node: none.
// RUN: dist-opt %s --specialize-world=ranks=8 --collective-choose="cluster=%S/Inputs/cluster.json buckets=none hierarchy=auto" --remarks=text --remarks-filter=collective-choose -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=HIERARCHY --input-file=%t.mlir
// REMARK: remark: {{.*}}step: chose no buckets, hierarchy of 4 ranks a node for 8 ranks, {{[0-9.]+}} ms predicted, {{[0-9.]+}} ms of it exposed communication; no buckets, flat: {{[0-9.]+}} ms
// HIERARCHY: collective.reduce_scatter
// HIERARCHY-NOT: collective.async
// RUN: dist-opt %s --specialize-world=ranks=4 --collective-choose="cluster=%S/Inputs/cluster.json buckets=none hierarchy=auto" | FileCheck %s --check-prefix=ONE-NODE
// ONE-NODE-NOT: collective.reduce_scatter

// With overlap every alternative communicates beside computation.
// RUN: dist-opt %s --specialize-world=ranks=8 --collective-choose="cluster=%S/Inputs/near.json buckets=none overlap=true" | FileCheck %s --check-prefix=NEAR
// NEAR: collective.async
// NEAR: collective.all_reduce mean %{{[0-9a-z#]+}} on @world
// NEAR: collective.async

// What is asked for and cannot be done is named in the remark, and something else is chosen.
// RUN: dist-opt %s --specialize-world=ranks=8 --collective-choose="cluster=%S/Inputs/near.json buckets=none hierarchy=auto shard-optimizer=auto" --remarks=text --remarks-filter=collective-choose -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: step: chose {{.*}}dense gradients{{.*}}sharded optimizer

// As a key of --distribute it waits for the number of ranks.
// RUN: dist-opt %models/digits_mlp.onnx --train="loss=softmax-cross-entropy optimizer=sgd global-batch=64" --distribute="cluster=%S/Inputs/cluster.json hierarchy=auto" -o %t.distributed.mlir
// RUN: dist-opt %t.distributed.mlir --specialize-world=ranks=8 | FileCheck %s --check-prefix=HIERARCHY
// RUN: dist-opt %t.distributed.mlir --specialize-world=ranks=1 > %t.one.mlir
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t.one.mlir
// ONE-NOT: collective
// ONE-NOT: at_launch

// On one rank there is nothing to choose: the text is as before.
// RUN: dist-opt %s --specialize-world=ranks=1 > %t.one.mlir
// RUN: dist-opt %s --specialize-world=ranks=1 --collective-choose="cluster=%S/Inputs/far.json" | diff %t.one.mlir -

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
