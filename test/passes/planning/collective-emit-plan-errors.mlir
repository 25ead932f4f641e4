// RUN: not dist-opt %s --collective-emit-plan="file=%t.missing/plan.json" 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: the plan cannot be written: {{.*}}plan.json

// RUN: not dist-opt %s --collective-emit-plan="cluster=%t.missing.json" 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: cluster file '{{.*}}.missing.json': No such file or directory

// RUN: sed 's/"latency": 1e-3, //' %S/Inputs/cluster.json > %t.lacking.json
// RUN: not dist-opt %s --collective-emit-plan="cluster=%t.lacking.json" 2>&1 | FileCheck %s --check-prefix=LACKING
// LACKING: error: cluster file '{{.*}}.lacking.json': key 'levels.network.latency': expected a number of seconds, 0 or more, found nothing

// RUN: not dist-opt %s --collective-emit-plan="cluster=%S/Inputs/cluster.json ranks=4" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: a plan for 4 ranks was asked for, but the program is made for 8

// One node, and no way to others.
// RUN: echo '{"nodes": 1, "ranks_per_node": 4, "levels": {"node": {"transport": "memory", "latency": 0, "bandwidth": 1}}, "compute": {"matmul": 1, "convolution": 1, "loop": 1, "memory": 1, "kernel_overhead": 0}}' > %t.one.json
// RUN: not dist-opt %s --collective-emit-plan="cluster=%t.one.json" 2>&1 | FileCheck %s --check-prefix=NETWORK
// NETWORK: error: 8 ranks need 2 nodes, but the cluster file describes no network between nodes: it lacks the key 'levels.network'

// What cannot be lowered has a plan, but no time.
// RUN: dist-opt %s --collective-emit-plan="table=%t.txt cluster=%S/Inputs/cluster.json" 2>&1 | FileCheck %s --check-prefix=NO-TIME
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.txt
// NO-TIME: warning: the step's time is not predicted: {{.*}}
// PLAN: 0 step all_reduce sum world f32 1 16 1 0
// PLAN-NOT: predicted step

module {
  collective.group @world {size = 8 : i64}
  func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = onnx.custom "com.acme" "Unheard" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = collective.all_reduce sum %0 on @world : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
