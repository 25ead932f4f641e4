// RUN: not dist-opt %s --collective-choose="cluster=%S/Inputs/cluster.json" 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: error: 'collective-choose' needs the number of ranks: run specialize-world first, or let --distribute="..." put it off until launch

// RUN: not dist-opt %s --specialize-world=ranks=8 --collective-choose 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: error: 'collective-choose' needs a description of the cluster: give cluster=FILE, as dist-run --calibrate writes it

// RUN: not dist-opt %s --specialize-world=ranks=8 --collective-choose="cluster=%t.missing.json" 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: cluster file '{{.*}}.missing.json': No such file or directory

// RUN: echo '{"nodes": 1, "ranks_per_node": 4, "levels": {"node": {"transport": "memory", "latency": 0, "bandwidth": 1}}, "compute": {"matmul": 1, "convolution": 1, "loop": 1, "memory": 1, "kernel_overhead": 0}}' > %t.one.json
// RUN: not dist-opt %s --specialize-world=ranks=8 --collective-choose="cluster=%t.one.json" 2>&1 | FileCheck %s --check-prefix=NETWORK
// NETWORK: error: 'collective-choose': 8 ranks need 2 nodes, but '{{.*}}.one.json' lacks the key 'levels.network'

// RUN: not dist-opt %s --specialize-world=ranks=8 --collective-choose="cluster=%S/Inputs/cluster.json" 2>&1 | FileCheck %s --check-prefix=NO-TIME
// NO-TIME: error: 'collective-choose' finds no way to communicate whose time it can predict: no buckets: not possible ({{.+}})

module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = onnx.Constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.custom "com.acme" "Unheard" (%w) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = collective.all_reduce sum %0 on @world : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
