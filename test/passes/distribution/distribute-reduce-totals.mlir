// What a loss is divided by is counted on all ranks, and each gets its share of it.
// RUN: dist-opt %s --distribute-reduce-totals | FileCheck %s
// RUN: sed 's/strided, error/strided, weighted/' %s | dist-opt --distribute-reduce-totals | FileCheck %s --check-prefix=WEIGHTED
// RUN: dist-opt %s --distribute-reduce-totals=reduction=sum | FileCheck %s --check-prefix=SUM
// RUN: dist-opt %s --distribute-reduce-totals --specialize-world=ranks=1 | FileCheck %s --check-prefix=ONE
// RUN: dist-opt %s --distribute-reduce-totals --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: it is added up over all ranks

module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() {
    return
  }
  // CHECK-LABEL: func.func @step
  // ONE-LABEL: func.func @step
  // ONE-SAME: %[[COUNT:.*]]: tensor<f32> {
  func.func @step(%count: tensor<f32> {train.input = #train.input<"a", @data>}, %labels: tensor<i64> {train.input = #train.input<"b", @data>})
      -> (tensor<f32>, tensor<i64>) {
    // CHECK: %[[TOTAL:.*]] = collective.all_reduce sum %{{.*}} on @world : tensor<f32>
    // CHECK: %[[RANKS:.*]] = arith.{{.*}} : {{.*}} to f32
    // CHECK: %[[SHARE:.*]] = arith.divf %{{.*}}, %[[RANKS]] : f32
    // CHECK: %[[FACTOR:.*]] = tensor.from_elements %[[SHARE]]
    // CHECK: %[[DIVISOR:.*]] = train.scale %[[TOTAL]] by %[[FACTOR]]
    // CHECK: %[[LABELS:.*]] = collective.all_reduce sum %{{.*}} on @world : tensor<i64>
    // CHECK: return %[[DIVISOR]], %[[LABELS]]
    // WEIGHTED: %[[TOTAL:.*]] = collective.all_reduce sum
    // WEIGHTED: %[[WEIGHT:.*]] = train.batch_weight @data
    // WEIGHTED: train.scale %[[TOTAL]] by %[[WEIGHT]]
    // SUM: %[[TOTAL:.*]] = collective.all_reduce sum
    // SUM: %[[LABELS:.*]] = collective.all_reduce sum
    // SUM: return %[[TOTAL]], %[[LABELS]]
    // ONE-NEXT: return %[[COUNT]]
    %total = train.batch_total %count : tensor<f32>
    %share = train.batch_share %total : tensor<f32>
    %all = train.batch_total %labels : tensor<i64>
    return %share, %all : tensor<f32>, tensor<i64>
  }
}
