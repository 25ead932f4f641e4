// What waits for the batch of a rank runs when that is fixed, as what waits for the ranks does.
// RUN: dist-opt %s --distribute-at-batch="passes=distribute-chunks{chunks=2 min-bytes=1},collective-overlap" | FileCheck %s --check-prefix=WAITS
// RUN: dist-opt %s --distribute-at-batch="passes=distribute-chunks{chunks=2 min-bytes=1}" --train-specialize-batch | FileCheck %s
// RUN: dist-opt %s --distribute-at-batch="passes=cse" --distribute-at-batch="passes=symbol-dce" | FileCheck %s --check-prefix=BOTH
// RUN: not dist-opt %s --distribute-at-batch="passes=cheaper" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed 's/train.program/train.program, train.at_batch = ["collective-emit-plan{file=written}"]/' %s | not dist-opt - --train-specialize-batch 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: sed 's/train.program/train.program, train.at_batch = "cse"/' %s | not dist-opt - 2>&1 | FileCheck %s --check-prefix=FORM
// WAITS: train.at_batch = ["distribute-chunks{chunks=2 min-bytes=1}", "collective-overlap"]
// BOTH: train.at_batch = ["cse", "symbol-dce"]
// UNKNOWN: error: 'cheaper' cannot be run once the batch is known: the pass 'cheaper' is not one of those that may wait
// WRITES: error: 'collective-emit-plan{file=written}' cannot be run once the batch is known: the pass 'collective-emit-plan' is not one of those that may wait
// FORM: error: train.at_batch must be an array of strings, one pass each, on a module

// CHECK-NOT: train.at_batch
// CHECK-COUNT-2: collective.all_reduce sum %{{.*}} on @tp : tensor<2x6xf32>
module attributes {train.program, train.tensor_parts = 2 : i64} {
  collective.group @world {size = 2 : i64}
  collective.group @tp members(#collective.blocks<2>) {size = 2 : i64}
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<?x6xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?x6xf32> {train.output = "y"}) {
    %w = arith.constant dense<0.5> : tensor<6x6xf32>
    %y = onnx.MatMul %x, %w : (tensor<?x6xf32>, tensor<6x6xf32>) -> tensor<?x6xf32>
    %s = collective.all_reduce sum %y on @tp : tensor<?x6xf32>
    return %s : tensor<?x6xf32>
  }
}
