// What a loop calls is counted on each of its trips: four micro-batches, each reducing its mean.
// RUN: dist-opt %s --collective-emit-plan="file=%t.json table=%t.txt cluster=%S/Inputs/cluster.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.txt

// JSON: "op": "all_reduce"
// JSON: "times": 4
// JSON: "step": {
// JSON-NEXT: "bytes": 320,
// JSON-NEXT: "calls": 5,
// JSON-NEXT: "predicted_seconds": 0.01128

// TABLE: id function operation kind group type buffers bytes times bucket predicted us way what
// TABLE-NEXT: 0 step all_reduce mean world f32 1 64 4 0 2256.0 slices mean
// TABLE-NEXT: 1 step all_reduce mean world f32 1 64 1 1 2256.0 slices w
// TABLE-NEXT: a step: 5 calls, 320 bytes of a rank, 11280.0 us predicted

// Five calls of 2.256 ms: the step that is played counts them too.
// TABLE: communicating 11.280 ms

module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 32 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<16xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = onnx.Constant dense<1.0> : tensor<16xf32>
    return %w : tensor<16xf32>
  }
  func.func @step(%w: tensor<16xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<?x16xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 2.5e-1 : f64>})
      -> (tensor<16xf32> {train.variable = #train.variable<"w", trainable>}) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x16xf32>) -> tensor<16xf32>
    %sum = scf.for %i = %zero to %four step %one iter_args(%last = %g) -> tensor<16xf32> {
      %next = onnx.Neg %last : (tensor<16xf32>) -> tensor<16xf32> loc("mean")
      %mean = collective.all_reduce mean %next on @world : tensor<16xf32>
      scf.yield %mean : tensor<16xf32>
    }
    %r = collective.all_reduce mean %sum on @world : tensor<16xf32>
    %n = train.sgd %w gradient %r rate %lr : tensor<16xf32>, tensor<f32>
    return %n : tensor<16xf32>
  }
}
