// What neighbours exchange is computed and sent in chunks, as far back as a chunk depends on a chunk.
// RUN: dist-opt %s --distribute-chunks="chunks=2 min-bytes=1" | FileCheck %s
// RUN: dist-opt %s --distribute-chunks="chunks=2 min-bytes=1" --remarks --remarks-filter=distribute-chunks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dist-opt %s --distribute-chunks="chunks=1" | FileCheck %s --check-prefix=SAME
// RUN: dist-opt %s --distribute-chunks="chunks=2" 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: dist-opt %s --distribute-chunks="chunks=2 min-bytes=1" --collective-overlap | FileCheck %s --check-prefix=OVERLAP

// REMARK-NOT: warning
// REMARK: distribute-chunks.mlir:[[#S:]]: all_reduce is made in 2 chunks along dimension 0
// REMARK-NEXT: distribute-chunks.mlir:[[#S+4]]: all_reduce is made in 2 chunks along dimension 0
// REMARK-NEXT: all_reduce is made in 2 chunks along dimension 0
// REMARK-NEXT: all_gather is made in 2 chunks along dimension 0
// REMARK-NEXT: reduce_scatter is made in 2 chunks along dimension 0
// REMARK-COUNT-3: all_reduce is made in 2 chunks along dimension 0
// REMARK-COUNT-4: all_reduce stays whole: no product leads to it by rows that 2 chunks divide
// REMARK-NOT: remark
// SAME-NOT: tensor.concat
// SMALL: warning: chunks has no effect: no product leads to what neighbours exchange, of a size that 2 chunks divide
// SMALL-NOT: tensor.concat

module attributes {train.tensor_parts = 2 : i64} {
  collective.group @tp members(#collective.blocks<2>) {size = 2 : i64}
  collective.group @world {size = 2 : i64}

  // The sums of one pair of products go on in chunks to the next pair; what others take is joined.
  // CHECK-LABEL: func.func @layers
  // CHECK-DAG: %[[X0:.*]] = tensor.extract_slice %arg0[0, 0] [2, 6] [1, 1]
  // CHECK-DAG: %[[X1:.*]] = tensor.extract_slice %arg0[2, 0] [2, 6] [1, 1]
  // CHECK: %[[H0:.*]] = onnx.MatMul %[[X0]], %arg1
  // CHECK: %[[H1:.*]] = onnx.MatMul %[[X1]], %arg1
  // CHECK: %[[R0:.*]] = onnx.Relu %[[H0]]
  // CHECK: %[[R1:.*]] = onnx.Relu %[[H1]]
  // CHECK: %[[R:.*]] = tensor.concat dim(0) %[[R0]], %[[R1]]
  // CHECK: %[[Y0:.*]] = onnx.MatMul %[[R0]], %arg2
  // CHECK: %[[Y1:.*]] = onnx.MatMul %[[R1]], %arg2
  // CHECK: %[[S0:.*]] = collective.all_reduce sum %[[Y0]] on @tp : tensor<2x6xf32>
  // CHECK: %[[S1:.*]] = collective.all_reduce sum %[[Y1]] on @tp : tensor<2x6xf32>
  // CHECK: %[[B0:.*]] = onnx.Add %[[S0]], %arg3
  // CHECK: %[[B1:.*]] = onnx.Add %[[S1]], %arg3
  // CHECK: onnx.MatMul %[[B0]], %arg1
  // CHECK: onnx.MatMul %[[B1]], %arg1
  // CHECK: %[[T0:.*]] = collective.all_reduce
  // CHECK: %[[T1:.*]] = collective.all_reduce
  // CHECK: %[[T:.*]] = tensor.concat dim(0) %[[T0]], %[[T1]]
  // CHECK: return %[[T]], %[[R]]

  // Each sum travels while the other chunk is computed.
  // OVERLAP-LABEL: func.func @layers
  // OVERLAP: %[[F0:.*]] = collective.async
  // OVERLAP: onnx.MatMul
  // OVERLAP: onnx.MatMul
  // OVERLAP: %[[F1:.*]] = collective.async
  // OVERLAP: tensor.concat
  // OVERLAP: collective.await %[[F0]]
  // OVERLAP: onnx.MatMul
  // OVERLAP: onnx.MatMul
  // OVERLAP: collective.async
  // OVERLAP: collective.await %[[F1]]
  func.func @layers(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>, %v: tensor<8x6xf32>, %bias: tensor<6xf32>) -> (tensor<4x6xf32>, tensor<4x8xf32>) {
    %h = onnx.MatMul %x, %w : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    %r = onnx.Relu %h : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %y = onnx.MatMul %r, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %s = collective.all_reduce sum %y on @tp : tensor<4x6xf32>
    %b = onnx.Add %s, %bias : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    %h2 = onnx.MatMul %b, %w : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    %y2 = onnx.MatMul %h2, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %s2 = collective.all_reduce sum %y2 on @tp : tensor<4x6xf32>
    return %s2, %r : tensor<4x6xf32>, tensor<4x8xf32>
  }

  // Of one sample the tokens are cut: queries in chunks, keys and values joined, a mask sliced.
  // CHECK-LABEL: func.func @attention
  // CHECK-DAG: %[[M0:.*]] = tensor.extract_slice %arg3[0, 0] [2, 4] [1, 1]
  // CHECK-DAG: %[[Z0:.*]] = tensor.extract_slice %arg0[0, 0, 0] [1, 2, 6] [1, 1, 1]
  // CHECK: %[[QKV0:.*]] = onnx.MatMul %[[Z0]], %arg1
  // CHECK: %[[P0:.*]]:3 = onnx.Split %[[QKV0]] {axis = 2 : i64, split = array<i64: 3, 3, 3>}
  // CHECK: %[[P1:.*]]:3 = onnx.Split
  // CHECK-DAG: %[[V:.*]] = tensor.concat dim(1) %[[P0]]#2, %[[P1]]#2
  // CHECK-DAG: %[[K:.*]] = tensor.concat dim(1) %[[P0]]#1, %[[P1]]#1
  // CHECK: %[[KT:.*]] = onnx.Transpose %[[K]]
  // CHECK: %[[A0:.*]] = onnx.MatMul %[[P0]]#0, %[[KT]] : {{.*}} -> tensor<1x2x4xf32>
  // CHECK: onnx.Add %[[A0]], %[[M0]]
  // CHECK: %[[E0:.*]] = onnx.Softmax
  // CHECK: %[[C0:.*]] = onnx.MatMul %[[E0]], %[[V]] : {{.*}} -> tensor<1x2x3xf32>
  // CHECK: onnx.Reshape %[[C0]] {shape = array<i64: 2, 3>}
  // CHECK-COUNT-2: collective.all_reduce sum %{{.*}} on @tp : tensor<2x6xf32>
  func.func @attention(%z: tensor<1x4x6xf32>, %w: tensor<6x9xf32>, %o: tensor<3x6xf32>, %mask: tensor<4x4xf32>) -> tensor<1x4x6xf32> {
    %qkv = onnx.MatMul %z, %w : (tensor<1x4x6xf32>, tensor<6x9xf32>) -> tensor<1x4x9xf32>
    %q, %k, %v = onnx.Split %qkv {axis = 2 : i64, split = array<i64: 3, 3, 3>} : (tensor<1x4x9xf32>) -> (tensor<1x4x3xf32>, tensor<1x4x3xf32>, tensor<1x4x3xf32>)
    %t = onnx.Transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<1x4x3xf32>) -> tensor<1x3x4xf32>
    %scores = onnx.MatMul %q, %t : (tensor<1x4x3xf32>, tensor<1x3x4xf32>) -> tensor<1x4x4xf32>
    %masked = onnx.Add %scores, %mask : (tensor<1x4x4xf32>, tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %p = onnx.Softmax %masked : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %a = onnx.MatMul %p, %v : (tensor<1x4x4xf32>, tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
    %rows = onnx.Reshape %a {shape = array<i64: 4, 3>} : (tensor<1x4x3xf32>) -> tensor<4x3xf32>
    %y = onnx.MatMul %rows, %o : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
    %s = collective.all_reduce sum %y on @tp : tensor<4x6xf32>
    %r = onnx.Reshape %s {shape = array<i64: 1, 4, 6>} : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    return %r : tensor<1x4x6xf32>
  }

  // Tokens that neighbours divide: a chunk has rows of each neighbour.
  // CHECK-LABEL: func.func @tokens
  // CHECK: %[[RANGES:.*]] = tensor.expand_shape %arg3 {{\[\[}}0, 1], [2]] output_shape [2, 4, 8]
  // CHECK: %[[N:.*]] = tensor.extract_slice %[[RANGES]][0, 0, 0] [2, 2, 8] [1, 1, 1]
  // CHECK: %[[N0:.*]] = tensor.collapse_shape %[[N]]
  // CHECK: %[[OWN0:.*]] = tensor.extract_slice %arg0[0, 0] [2, 6] [1, 1]
  // CHECK: %[[G0:.*]] = collective.all_gather %[[OWN0]] along 0 on @tp : tensor<2x6xf32> -> tensor<4x6xf32>
  // CHECK: %[[G1:.*]] = collective.all_gather
  // CHECK: %[[H0:.*]] = onnx.MatMul %[[G0]], %arg1
  // CHECK: onnx.Mul %[[H0]], %[[N0]]
  // CHECK: %[[S0:.*]] = collective.reduce_scatter sum %{{.*}} along 0 on @tp : tensor<4x6xf32> -> tensor<2x6xf32>
  // CHECK: %[[S1:.*]] = collective.reduce_scatter
  // CHECK: tensor.concat dim(0) %[[S0]], %[[S1]]
  func.func @tokens(%own: tensor<4x6xf32>, %w: tensor<6x8xf32>, %v: tensor<8x6xf32>, %noise: tensor<8x8xf32>) -> tensor<4x6xf32> {
    %x = collective.all_gather %own along 0 on @tp : tensor<4x6xf32> -> tensor<8x6xf32>
    %h = onnx.MatMul %x, %w : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
    %n = onnx.Mul %h, %noise : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = onnx.MatMul %n, %v : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %s = collective.reduce_scatter sum %y along 0 on @tp : tensor<8x6xf32> -> tensor<4x6xf32>
    return %s : tensor<4x6xf32>
  }

  // Noise is that of an element: it is drawn whole, and cut.
  // CHECK-LABEL: func.func @noise
  // CHECK: %[[NOISE:.*]] = onnx.RandomUniformLike %arg0
  // CHECK: tensor.extract_slice %[[NOISE]][0, 0] [2, 6] [1, 1]
  // CHECK-COUNT-2: collective.all_reduce
  func.func @noise(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>) -> tensor<4x8xf32> {
    %noise = onnx.RandomUniformLike %x {high = 1.0 : f32, low = 0.0 : f32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %n = onnx.Mul %x, %noise : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %y = onnx.MatMul %n, %w : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    %s = collective.all_reduce sum %y on @tp : tensor<4x8xf32>
    return %s : tensor<4x8xf32>
  }

  // Through a loss: means of chunks are added up, each gradient is divided by all samples, and what
  // has only the shape of the loss does not wait for it.
  // CHECK-LABEL: func.func @loss
  // CHECK: %[[S0:.*]] = collective.all_reduce
  // CHECK: %[[S1:.*]] = collective.all_reduce
  // CHECK: %[[L0:.*]], %[[P0:.*]] = onnx.SoftmaxCrossEntropyLoss %[[S0]], %{{.*}} : (tensor<2x6xf32>, tensor<2xi64>)
  // CHECK: %[[H:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
  // CHECK: %[[M0:.*]] = train.scale %[[L0]] by %[[H]]
  // CHECK: %[[L1:.*]], %[[P1:.*]] = onnx.SoftmaxCrossEntropyLoss %[[S1]]
  // CHECK: %[[M1:.*]] = train.scale %[[L1]] by
  // CHECK: %[[M:.*]] = arith.addf %[[M0]], %[[M1]] : tensor<f32>
  // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: %[[G0:.*]] = onnx.SoftmaxCrossEntropyLossGrad %[[ONE]], %[[P0]]
  // CHECK: %[[D0:.*]] = train.scale %[[G0]] by
  // CHECK: onnx.MatMul %[[D0]], %arg3
  // CHECK-COUNT-2: collective.all_reduce
  // CHECK: return %{{.*}}, %[[M]] : tensor<4x8xf32>, tensor<f32>
  func.func @loss(%x: tensor<4x8xf32>, %labels: tensor<4xi64>, %w: tensor<8x6xf32>, %t: tensor<6x8xf32>) -> (tensor<4x8xf32>, tensor<f32>) {
    %y = onnx.MatMul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %s = collective.all_reduce sum %y on @tp : tensor<4x6xf32>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %s, %labels : (tensor<4x6xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4x6xf32>)
    %one = train.full_like %loss, 1.0 : tensor<f32>
    %g = onnx.SoftmaxCrossEntropyLossGrad %one, %p, %labels : (tensor<f32>, tensor<4x6xf32>, tensor<4xi64>) -> tensor<4x6xf32>
    %d = onnx.MatMul %g, %t : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    %s2 = collective.all_reduce sum %d on @tp : tensor<4x8xf32>
    return %s2, %loss : tensor<4x8xf32>, tensor<f32>
  }

  // What stays whole: what comes of no product, rows that are odd, vectors, and what all ranks
  // exchange.
  // CHECK-LABEL: func.func @whole
  // CHECK-NOT: tensor.concat
  func.func @whole(%x: tensor<4x6xf32>, %odd: tensor<5x6xf32>, %w: tensor<6x8xf32>, %g: tensor<6xf32>) -> (tensor<4x6xf32>, tensor<5x8xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4x8xf32>) {
    %mean = onnx.ReduceMeanGrad %g, %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %s0 = collective.all_reduce sum %mean on @tp : tensor<4x6xf32>
    %y1 = onnx.MatMul %odd, %w : (tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
    %s1 = collective.all_reduce sum %y1 on @tp : tensor<5x8xf32>
    %s2 = collective.all_reduce sum %g on @tp : tensor<6xf32>
    %y3 = onnx.Exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %s3 = collective.all_reduce sum %y3 on @tp : tensor<4x6xf32>
    %y4 = onnx.MatMul %x, %w : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    %s4 = collective.all_reduce sum %y4 on @world : tensor<4x8xf32>
    return %s0, %s1, %s2, %s3, %s4 : tensor<4x6xf32>, tensor<5x8xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4x8xf32>
  }
}
