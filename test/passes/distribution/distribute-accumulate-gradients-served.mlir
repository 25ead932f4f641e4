// Servers are asked for the rows of the whole batch in front of the loop over micro-batches, and told the gradient of all after it.
// RUN: dist-opt %s --distribute-accumulate-gradients="micro-batches=4" --split-input-file | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --distribute-accumulate-gradients="micro-batches=4 reduction=sum" --split-input-file | FileCheck %s --check-prefixes=CHECK,SUM
// RUN: dist-opt %s --distribute-accumulate-gradients="micro-batches=4" --split-input-file --remarks=text -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dist-opt %s --distribute-accumulate-gradients="micro-batches=4" --split-input-file --distribute-verify-replication --collective-verify-order -o /dev/null

// Two tables, one looked up three times by each sample, and a whole variable.
// REMARK-NOT: for each micro-batch
// REMARK: 3 gradients are accumulated over 4 micro-batches
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[I:.*]]: tensor<?xi64> {{.*}}, %[[J:.*]]: tensor<?x3xi64> {{.*}}, %[[R:.*]]: tensor<f32>
// CHECK-NEXT: %[[W:.*]] = ps.pull @w
// CHECK-NEXT: %[[A:.*]] = ps.pull_rows @a at %[[I]] : tensor<?xi64> -> tensor<?x2xf32>
// CHECK-NEXT: %[[B:.*]] = ps.pull_rows @b at %[[J]] : tensor<?x3xi64> -> tensor<?x3x2xf32>
// The list of the second has as many entries as that of the whole batch.
// CHECK-NEXT: %[[FLAT:.*]] = onnx.Reshape %[[J]]
// CHECK-NEXT: %[[K0:.*]] = train.zero_batch like %[[FLAT]] : tensor<?xi64> -> tensor<?xi64>
// CHECK-NEXT: %[[B0:.*]] = train.zero_batch like %[[FLAT]] : tensor<?xi64> -> tensor<?x2xf32>
// CHECK-NEXT: %[[W0:.*]] = arith.constant dense<0.000000e+00> : tensor<2x2xf32>
// CHECK-NEXT: %[[A0:.*]] = train.zero_batch like %[[I]] : tensor<?xi64> -> tensor<?x2xf32>
// CHECK: %[[L:.*]]:4 = scf.for %[[N:.*]] = %{{.*}} iter_args(%[[K:.*]] = %[[K0]], %[[BS:.*]] = %[[B0]], %[[WS:.*]] = %[[W0]], %[[AS:.*]] = %[[A0]])
// CHECK-NEXT: %[[JP:.*]] = train.micro_batch %[[N]] of 4 in %[[J]]
// CHECK-NEXT: %[[AP:.*]] = train.micro_batch %[[N]] of 4 in %[[A]] : tensor<?x2xf32>
// CHECK-NEXT: %[[BP:.*]] = train.micro_batch %[[N]] of 4 in %[[B]] : tensor<?x3x2xf32>
// CHECK-NEXT: onnx.MatMul %[[BP]], %[[W]]
// CHECK-NEXT: %[[KP:.*]] = onnx.Reshape %[[JP]]
// CHECK: %[[AG:.*]] = onnx.Tanh %[[AP]]
// CHECK-NEXT: train.put_micro_batch %[[KP]] into %[[K]] at %[[N]] of 4
// MEAN-NEXT: %[[BM:.*]] = train.scale
// MEAN-NEXT: train.put_micro_batch %[[BM]] into %[[BS]] at %[[N]] of 4
// MEAN-NEXT: %[[WM:.*]] = train.scale
// MEAN-NEXT: arith.addf %[[WS]], %[[WM]]
// MEAN-NEXT: %[[AM:.*]] = train.scale %[[AG]]
// MEAN-NEXT: train.put_micro_batch %[[AM]] into %[[AS]] at %[[N]] of 4
// SUM-NEXT: train.put_micro_batch %{{.*}} into %[[BS]] at %[[N]] of 4
// SUM-NEXT: arith.addf %[[WS]], %{{.*}}
// SUM-NEXT: train.put_micro_batch %[[AG]] into %[[AS]] at %[[N]] of 4
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[BI:.*]], %[[BR:.*]] = train.merge_rows %[[L]]#0, %[[L]]#1 of 9
// CHECK-NEXT: ps.push @w, %[[L]]#2 with %[[R]]
// CHECK-NEXT: %[[AI:.*]], %[[AR:.*]] = train.merge_rows %[[I]], %[[L]]#3 of 9
// CHECK-NEXT: ps.push_rows @a at %[[AI]], %[[AR]] with %[[R]]
// CHECK-NEXT: ps.push_rows @b at %[[BI]], %[[BR]] with %[[R]]
// CHECK-NEXT: return
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  ps.table @w whole : tensor<2x2xf32> {initial = dense<0.5> : tensor<2x2xf32>, update = @w.update}
  ps.table @a : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @a.update}
  ps.table @b : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @a.update}
  func.func @initialize() {
    return
  }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %j: tensor<?x3xi64> {train.input = #train.input<"j", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>}) {
    %w = ps.pull @w : tensor<2x2xf32>
    %a = ps.pull_rows @a at %i : tensor<?xi64> -> tensor<?x2xf32>
    %b = ps.pull_rows @b at %j : tensor<?x3xi64> -> tensor<?x3x2xf32>
    %y = onnx.MatMul %b, %w : (tensor<?x3x2xf32>, tensor<2x2xf32>) -> tensor<?x3x2xf32>
    %k = onnx.Reshape %j {shape = array<i64: -1>} : (tensor<?x3xi64>) -> tensor<?xi64>
    %db = onnx.Reshape %y {shape = array<i64: -1, 2>} : (tensor<?x3x2xf32>) -> tensor<?x2xf32>
    // A push in the midst of the backward pass.
    %bi, %br = train.merge_rows %k, %db of 9 : tensor<?xi64>, tensor<?x2xf32> -> tensor<?xi64>, tensor<?x2xf32>
    %dw = onnx.Gemm %db, %db {transA = 1 : i64} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>
    ps.push @w, %dw with %r : tensor<2x2xf32>, tensor<f32>
    %da = onnx.Tanh %a : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %ai, %ar = train.merge_rows %i, %da of 9 : tensor<?xi64>, tensor<?x2xf32> -> tensor<?xi64>, tensor<?x2xf32>
    ps.push_rows @a at %ai, %ar with %r : tensor<?xi64>, tensor<?x2xf32>, tensor<f32>
    ps.push_rows @b at %bi, %br with %r : tensor<?xi64>, tensor<?x2xf32>, tensor<f32>
    return
  }
  func.func private @w.update(%w: tensor<?x2x2xf32>, %g: tensor<?x2x2xf32>, %r: tensor<f32>) -> tensor<?x2x2xf32> {
    %n = train.sgd %w gradient %g rate %r : tensor<?x2x2xf32>, tensor<f32>
    return %n : tensor<?x2x2xf32>
  }
  func.func private @a.update(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> {
    %n = train.sgd %w gradient %g rate %r : tensor<?x2xf32>, tensor<f32>
    return %n : tensor<?x2xf32>
  }
}

// -----
// Indices that are computed: those of the whole batch are put together of those of the micro-batches, whatever computes them. Those of
// which dimension 0 is no sample's are asked for by each micro-batch.
// REMARK: 4 gradients are accumulated over 4 micro-batches
// REMARK: rows of "b" are pulled for each micro-batch, and not asked for ahead: its index does not have one entry, or several, for each sample in dimension 0
// CHECK: ps.table @a prefetch :
// CHECK: ps.table @b :
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[I:.*]]: tensor<?xi64> {{.*}}, %[[J:.*]]: tensor<?x3xi64> {{.*}}, %[[R:.*]]: tensor<f32>
// CHECK: %[[WHOLE:.*]] = onnx.Abs %[[I]]
// CHECK: %[[LIKE:.*]] = onnx.Abs %[[I]]
// CHECK: %[[ZEROS:.*]] = train.zero_batch like %[[LIKE]] : tensor<?xi64> -> tensor<?xi64>
// CHECK: %[[INDICES:.*]] = scf.for %[[N:.*]] = {{.*}} iter_args(%[[OLD:.*]] = %[[ZEROS]])
// CHECK-NEXT: %[[PART:.*]] = train.micro_batch %[[N]] of 4 in %[[I]]
// CHECK-NEXT: %[[INDEX:.*]] = onnx.Abs %[[PART]]
// CHECK-NEXT: %[[NEXT:.*]] = train.put_micro_batch %[[INDEX]] into %[[OLD]] at %[[N]] of 4
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[A:.*]] = ps.pull_rows @a at %[[INDICES]]
// CHECK-NEXT: %[[POSITIONS:.*]] = arith.constant dense<[0, 1, 2]>
// What no sample decides is the same for all micro-batches.
// CHECK-NEXT: %[[P:.*]] = ps.pull_rows @p at %[[POSITIONS]]
// CHECK: %[[L:.*]]:5 = scf.for %[[M:.*]] = {{.*}} iter_args({{.*}}) -> (tensor<?xi64>, tensor<?xi64>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<3x2xf32>)
// CHECK: train.micro_batch %[[M]] of 4 in %[[A]]
// CHECK: %[[T:.*]] = onnx.Transpose
// CHECK-NEXT: ps.pull_rows @b at %[[T]] : tensor<3x?xi64> -> tensor<3x?x2xf32>
// CHECK: scf.yield
// Each of the lists of a push is put together; then they are joined.
// CHECK: tensor.concat dim(0) %[[L]]#0, %[[I]]
// CHECK-NEXT: tensor.concat dim(0) %[[L]]#2, %[[L]]#2
// CHECK: ps.push_rows @a
// CHECK-NEXT: train.merge_rows %[[L]]#1, %[[L]]#3 of 9
// CHECK-NEXT: ps.push_rows @b
// CHECK-NEXT: train.merge_rows %[[POSITIONS]], %[[L]]#4 of 3
// CHECK-NEXT: ps.push_rows @p
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  ps.table @a prefetch : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @a.update}
  ps.table @b prefetch : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @a.update}
  ps.table @p : tensor<3x2xf32> {initial = dense<0.5> : tensor<3x2xf32>, update = @a.update}
  func.func @initialize() {
    return
  }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %j: tensor<?x3xi64> {train.input = #train.input<"j", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>}) {
    %i1 = onnx.Abs %i : (tensor<?xi64>) -> tensor<?xi64>
    %a = ps.pull_rows @a at %i1 : tensor<?xi64> -> tensor<?x2xf32>
    %positions = arith.constant dense<[0, 1, 2]> : tensor<3xi64>
    %p = ps.pull_rows @p at %positions : tensor<3xi64> -> tensor<3x2xf32>
    %t = onnx.Transpose %j {perm = array<i64: 1, 0>} : (tensor<?x3xi64>) -> tensor<3x?xi64>
    %b = ps.pull_rows @b at %t : tensor<3x?xi64> -> tensor<3x?x2xf32>
    %k = onnx.Reshape %t {shape = array<i64: -1>} : (tensor<3x?xi64>) -> tensor<?xi64>
    %da = onnx.Tanh %a : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %db = onnx.Reshape %b {shape = array<i64: -1, 2>} : (tensor<3x?x2xf32>) -> tensor<?x2xf32>
    %s = onnx.ReduceSum %b {axes = array<i64: 1>, keepdims = 0 : i64} : (tensor<3x?x2xf32>) -> tensor<3x2xf32>
    %dp = onnx.Mul %s, %p : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %al = tensor.concat dim(0) %i1, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %ag = tensor.concat dim(0) %da, %da : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %ai, %ar = train.merge_rows %al, %ag of 9 : tensor<?xi64>, tensor<?x2xf32> -> tensor<?xi64>, tensor<?x2xf32>
    ps.push_rows @a at %ai, %ar with %r : tensor<?xi64>, tensor<?x2xf32>, tensor<f32>
    %bi, %br = train.merge_rows %k, %db of 9 : tensor<?xi64>, tensor<?x2xf32> -> tensor<?xi64>, tensor<?x2xf32>
    ps.push_rows @b at %bi, %br with %r : tensor<?xi64>, tensor<?x2xf32>, tensor<f32>
    %pi, %pr = train.merge_rows %positions, %dp of 3 : tensor<3xi64>, tensor<3x2xf32> -> tensor<3xi64>, tensor<3x2xf32>
    ps.push_rows @p at %pi, %pr with %r : tensor<3xi64>, tensor<3x2xf32>, tensor<f32>
    return
  }
  func.func private @a.update(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> {
    %n = train.sgd %w gradient %g rate %r : tensor<?x2xf32>, tensor<f32>
    return %n : tensor<?x2xf32>
  }
}
