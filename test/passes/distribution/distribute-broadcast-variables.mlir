// Initial variables come from one rank, one bucket for each element type; a second application changes nothing.
// RUN: dist-opt %s --distribute-broadcast-variables | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: dist-opt %s --distribute-broadcast-variables --distribute-broadcast-variables | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: dist-opt %s --distribute-broadcast-variables="root=2 trainable-only" | FileCheck %s --check-prefixes=CHECK,ONLY
// RUN: dist-opt %s --distribute-broadcast-variables="trainable-only" --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Missed] distribute-broadcast-variables{{.*}}Function=initialize{{.*}}variable "w.velocity" is not trainable, and trainable-only is set
// REMARK: variable "count" is not trainable

#w = #train.variable<"w", trainable>
#b = #train.variable<"b", trainable>
#velocity = #train.variable<"w.velocity", state>
#count = #train.variable<"count", other>

// CHECK: module attributes {train.program}
module attributes {train.program} {
  // CHECK: collective.group @world{{$}}
  // CHECK-LABEL: func.func @initialize
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #b},
                              tensor<4xf32> {train.variable = #velocity}, tensor<i64> {train.variable = #count}) {
    // CHECK-DAG: %[[W:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
    %w = arith.constant dense<1.0> : tensor<4xf32>
    // CHECK-DAG: %[[B:.*]] = arith.constant dense<2.000000e+00> : tensor<2xf32>
    %b = arith.constant dense<2.0> : tensor<2xf32>
    // CHECK-DAG: %[[V:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<4xf32>
    // CHECK-DAG: %[[N:.*]] = arith.constant dense<0> : tensor<i64>
    %n = arith.constant dense<0> : tensor<i64>
    // ALL: %[[F:.*]]:3 = collective.broadcast %[[W]], %[[B]], %[[V]] from 0 on @world : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
    // ALL: %[[I:.*]] = collective.broadcast %[[N]] from 0 on @world : tensor<i64>
    // ALL: return %[[F]]#0, %[[F]]#1, %[[F]]#2, %[[I]]
    // ONLY: %[[F:.*]]:2 = collective.broadcast %[[W]], %[[B]] from 2 on @world : tensor<4xf32>, tensor<2xf32>
    // ONLY: return %[[F]]#0, %[[F]]#1, %[[V]], %[[N]]
    return %w, %b, %v, %n : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<i64>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-NOT: collective
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %b: tensor<2xf32> {train.variable = #b},
                  %v: tensor<4xf32> {train.variable = #velocity}, %n: tensor<i64> {train.variable = #count})
      -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #b},
          tensor<4xf32> {train.variable = #velocity}, tensor<i64> {train.variable = #count}) {
    return %w, %b, %v, %n : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<i64>
  }
}
