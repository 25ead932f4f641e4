// The plan of a program for any number of ranks, as JSON and as a table.
// RUN: dist-opt %s --collective-emit-plan="file=%t.json table=%t.txt" | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.txt
// With a cluster each entry has a time, and the step for many ranks.
// RUN: dist-opt %s --collective-emit-plan="file=%t.json table=%t.txt cluster=%S/Inputs/cluster.json"
// RUN: FileCheck %s --check-prefix=PREDICTED --input-file=%t.json
// RUN: FileCheck %s --check-prefix=TIMES --input-file=%t.txt
// RUN: dist-opt %s --collective-emit-plan="table=%t.txt cluster=%S/Inputs/cluster.json ranks=4"
// RUN: FileCheck %s --check-prefix=FOUR --input-file=%t.txt
// A program that is made for its ranks has a plan, and one step.
// RUN: dist-opt %s --specialize-world=ranks=2 --collective-emit-plan="table=%t.txt cluster=%S/Inputs/cluster.json"
// RUN: FileCheck %s --check-prefix=MADE --input-file=%t.txt

// SAME: collective.all_reduce mean

// JSON: "plan": [
// JSON: "async": false
// JSON: "bucket": 0
// JSON: "bytes": 64
// JSON: "elements": [
// JSON-NEXT: 16
// JSON: "function": "initialize"
// JSON: "op": "broadcast"
// JSON: "function": "step"
// JSON: "group": "world"
// JSON: "op": "all_reduce"
// JSON-NOT: predicted
// JSON: "reduction": "mean"
// JSON: "source": [
// JSON-NEXT: "w"
// JSON: "type": "f32"
// JSON-NEXT: "wire": "f32"
// The batch is not known.
// JSON: "bytes": null
// JSON: "ranks": null

// TABLE: id function operation kind group type buffers bytes times bucket predicted us what
// TABLE: 0 initialize broadcast from 0 world f32 1 64 1 0 - w
// TABLE: 1 step all_reduce mean world f32 1 64 1 0 - w
// TABLE: 2 step all_gather world f32 1 ? 1 1 - y
// TABLE-NEXT: a step: 2 calls, ? bytes of a rank

// PREDICTED: "predicted_seconds"
// PREDICTED: "prediction": {
// PREDICTED-NEXT: "communication_seconds"
// PREDICTED-NEXT: "compute_seconds"
// PREDICTED-NEXT: "exposed_seconds"
// PREDICTED-NEXT: "step_seconds"
// PREDICTED: "ranks": 8
// PREDICTED: "scaling": [
// PREDICTED: "nodes": 1
// PREDICTED-NEXT: "ranks": 1
// PREDICTED: "nodes": 4096
// PREDICTED-NEXT: "ranks": 16384
// PREDICTED-NEXT: "strong": null
// PREDICTED-NEXT: "weak": {

// Two exchanges of a millisecond, 2 * 4 ranks * 64 bytes / 2 at a microsecond a byte: 2256 us.
// TIMES: 1 step all_reduce mean world f32 1 64 1 0 2256.0 slices w
// TIMES: predicted step on 8 ranks: {{[0-9.]+}} ms, computing {{[0-9.]+}} ms, communicating {{[0-9.]+}} ms of which {{[0-9.]+}} ms show
// TIMES: ranks nodes batch step comm. exposed batch step comm. exposed
// TIMES-NEXT: {{^ *}}1 1 32 {{[0-9.]+}} 0.000 0.000 4 {{[0-9.]+}} 0.000 0.000
// TIMES-NEXT: {{^ *}}2 1 16
// TIMES: {{^ *}}16384 4096 - - - - 4

// FOUR: 1 step all_reduce mean world f32 1 64 1 0 1.3 w
// FOUR: predicted step on 4 ranks

// MADE: predicted step on 2 ranks
// MADE-NOT: same global batch

module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 32 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<16xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = onnx.Constant dense<1.0> : tensor<16xf32>
    %0 = collective.broadcast %w from 0 on @world : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func @step(%w: tensor<16xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<?x16xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 2.5e-1 : f64>})
      -> (tensor<16xf32> {train.variable = #train.variable<"w", trainable>}, tensor<?x16xf32> {train.output = "y"}) {
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x16xf32>) -> tensor<16xf32>
    %r = collective.all_reduce mean %g on @world : tensor<16xf32>
    %n = train.sgd %w gradient %r rate %lr : tensor<16xf32>, tensor<f32>
    %y = collective.all_gather %x along 0 on @world : tensor<?x16xf32> -> tensor<?x16xf32>
    return %n, %y : tensor<16xf32>, tensor<?x16xf32>
  }
}
