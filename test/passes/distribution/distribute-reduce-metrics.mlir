// Metrics that differ between ranks become means over all samples; what has no mean stays, with a remark.
// RUN: dist-opt %s --distribute-reduce-metrics | FileCheck %s
// RUN: dist-opt %s --distribute-reduce-metrics --distribute-reduce-metrics | FileCheck %s
// RUN: sed 's/strided, error/strided, weighted/' %s | dist-opt --distribute-reduce-metrics | FileCheck %s --check-prefix=WEIGHTED
// RUN: sed 's/ {shard = .*}//' %s | dist-opt --distribute-reduce-metrics | FileCheck %s --check-prefix=WHOLE
// RUN: dist-opt %s --distribute-reduce-metrics --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: metric "right" is not a scalar float: it has no mean over ranks and stays this rank's own
// REMARK: metric "each" is not a scalar float
// WHOLE-NOT: all_reduce

module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() {
    return
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[LOSS:.*]]: tensor<f32> {{{.*}}}, %[[ACCURACY:.*]]: tensor<f32> {{{.*}}}, %[[NORM:.*]]: tensor<f64> {{{.*}}}, %[[RIGHT:.*]]: tensor<i64> {{{.*}}}, %[[EACH:.*]]: tensor<8xf32> {{{.*}}}, %[[LR:.*]]: tensor<f32>
  func.func @step(%loss: tensor<f32> {train.input = #train.input<"a", @data>}, %accuracy: tensor<f32> {train.input = #train.input<"b", @data>},
                  %norm: tensor<f64> {train.input = #train.input<"c", @data>}, %right: tensor<i64> {train.input = #train.input<"d", @data>},
                  %each: tensor<8xf32> {train.input = #train.input<"e", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<f32> {train.metric = "loss"}, tensor<f64> {train.metric = "norm"}, tensor<f32> {train.metric = "accuracy"}, tensor<i64> {train.metric = "right"},
          tensor<8xf32> {train.metric = "each"}, tensor<f32> {train.metric = "rate"}, tensor<f32> {train.output = "local"}) {
    // CHECK-NEXT: %[[F:.*]]:2 = collective.all_reduce mean %[[LOSS]], %[[ACCURACY]] on @world : tensor<f32>, tensor<f32>
    // CHECK-NEXT: %[[D:.*]] = collective.all_reduce mean %[[NORM]] on @world : tensor<f64>
    // CHECK-NEXT: return %[[F]]#0, %[[D]], %[[F]]#1, %[[RIGHT]], %[[EACH]], %[[LR]], %[[LOSS]]
    // WEIGHTED: %[[W:.*]] = train.batch_weight @data : tensor<f32>
    // WEIGHTED: %[[A:.*]] = train.scale %{{.*}} by %[[W]]
    // WEIGHTED: %[[B:.*]] = train.scale %{{.*}} by %[[W]]
    // WEIGHTED: collective.all_reduce sum %[[A]], %[[B]] on @world
    return %loss, %norm, %accuracy, %right, %each, %lr, %loss : tensor<f32>, tensor<f64>, tensor<f32>, tensor<i64>, tensor<8xf32>, tensor<f32>, tensor<f32>
  }
}
