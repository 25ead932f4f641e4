// What an operation of another dialect says that it costs is in the time of a step.
// RUN: %foreign %s --specialize-world=ranks=8 --collective-emit-plan="file=%t.json cluster=%source/test/passes/planning/Inputs/cluster.json" -o /dev/null
// RUN: sed 's/steps 1.000000e+09/steps 2.000000e+09/' %s | %foreign --specialize-world=ranks=8 --collective-emit-plan="file=%t.twice.json cluster=%source/test/passes/planning/Inputs/cluster.json" -o /dev/null
// RUN: %python -c "import json; one, two = (json.load(open('%t.' + name))['prediction']['compute_seconds'] for name in ('json', 'twice.json')); print('twice' if 1.9 < two / one < 2.1 else (one, two))" | FileCheck %s
// CHECK: twice

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  exchange.ring @world ranks 8
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<16xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<16xf32>
    return %w : tensor<16xf32>
  }
  func.func @step(%w: tensor<16xf32> {train.variable = #w}) -> (tensor<16xf32> {train.variable = #w}) {
    %g = exchange.work %w steps 1.000000e+09 touched 1.000000e+03 : tensor<16xf32> -> tensor<16xf32>
    %r = exchange.share all_reduce by mean (%g) around @world : (tensor<16xf32>) -> tensor<16xf32>
    return %r : tensor<16xf32>
  }
}
