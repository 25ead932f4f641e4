// The shape of the code that operators become; what it computes is tested by running it (test/lib/execution).
// RUN: dist-opt %s --lower-onnx --split-input-file | FileCheck %s

// Broadcast dimensions do not appear in the maps.
// CHECK-DAG: #[[$FULL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @broadcasting
func.func @broadcasting(%a: tensor<8x4xf32>, %b: tensor<1x4xf32>) -> tensor<8x4xf32> {
  // CHECK: tensor.collapse_shape %{{.*}} : tensor<1x4xf32> into tensor<4xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[$FULL]], #[[$ROW]], #[[$FULL]]], iterator_types = ["parallel", "parallel"]}
  // CHECK: arith.addf %{{.*}} : f32
  %0 = onnx.Add %a, %b : (tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// The reduced dimension stays where memory has it: the loop over columns inside it vectorises.
// CHECK-LABEL: @sum_of_rows
func.func @sum_of_rows(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.fill ins(%{{.*}} : f32)
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
  // CHECK: arith.addf %{{.*}} : f32
  %0 = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<8x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// alpha as the bits of 2.0; the bias is added outside.
// CHECK-LABEL: @gemm
func.func @gemm(%a: tensor<3x8xf32>, %b: tensor<4x3xf32>, %c: tensor<4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[P:.*]] = kernel.matmul({{.*}}) into({{.*}}) {alpha = 2.000000e+00 : f32, k = 3 : i64, m = 8 : i64, n = 4 : i64, transpose_a, transpose_b}
  // CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<8x4xf32>, tensor<4xf32>)
  %0 = onnx.Gemm %a, %b, %c {transA = 1 : i64, transB = 1 : i64, alpha = 2.0 : f32}
     : (tensor<3x8xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// One weight matrix for a batch of sequences: one tall product.
// CHECK-LABEL: @matmul_of_a_batch_with_one_matrix
func.func @matmul_of_a_batch_with_one_matrix(%a: tensor<5x8x3xf32>, %b: tensor<3x4xf32>) -> tensor<5x8x4xf32> {
  // CHECK: kernel.matmul({{.*}}) {k = 3 : i64, m = 40 : i64, n = 4 : i64}
  // CHECK: tensor.expand_shape
  %0 = onnx.MatMul %a, %b : (tensor<5x8x3xf32>, tensor<3x4xf32>) -> tensor<5x8x4xf32>
  return %0 : tensor<5x8x4xf32>
}

// -----

// CHECK-LABEL: @matmul_of_two_batches
func.func @matmul_of_two_batches(%a: tensor<5x8x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x8x4xf32> {
  // CHECK: kernel.matmul({{.*}}) {batch = 5 : i64, k = 3 : i64, m = 8 : i64, n = 4 : i64, stride_a = 24 : i64, stride_b = 12 : i64}
  %0 = onnx.MatMul %a, %b : (tensor<5x8x3xf32>, tensor<5x3x4xf32>) -> tensor<5x8x4xf32>
  return %0 : tensor<5x8x4xf32>
}

// -----

// An A without a batch is used for all: its stride is 0.
// CHECK-LABEL: @matmul_of_one_matrix_with_a_batch
func.func @matmul_of_one_matrix_with_a_batch(%a: tensor<8x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x8x4xf32> {
  // CHECK: kernel.matmul({{.*}}) {batch = 5 : i64, k = 3 : i64, m = 8 : i64, n = 4 : i64, stride_b = 12 : i64}
  %0 = onnx.MatMul %a, %b : (tensor<8x3xf32>, tensor<5x3x4xf32>) -> tensor<5x8x4xf32>
  return %0 : tensor<5x8x4xf32>
}

// -----

// A bias that is not there is not passed.
// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32> {
  // CHECK: kernel.convolution(%{{[a-z0-9]*}}, %{{[a-z0-9]*}}) into(%{{.*}}) {dilations = array<i64: 1, 1>, group = 1 : i64, kernel = array<i64: 3, 3>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
  %0 = onnx.Conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
     : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}

// -----

// Only the results that are used are computed.
// CHECK-LABEL: @gradient_of_weights_only
func.func @gradient_of_weights_only(%dy: tensor<2x4x8x8xf32>, %x: tensor<2x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<4x3x1x1xf32> {
  // CHECK-NOT: backward_data
  // CHECK: kernel.convolution_backward_weights
  // CHECK-NOT: linalg.generic
  %0:3 = onnx.ConvGrad %dy, %x, %w : (tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>)
       -> (tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>, tensor<4xf32>)
  return %0#1 : tensor<4x3x1x1xf32>
}

// -----

// With ceil_mode the last window (of 3, stride 2, on 4) reaches one element beyond: padding for the kernel.
// CHECK-LABEL: @ceil_mode
func.func @ceil_mode(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32> {
  // CHECK: kernel.pool({{.*}}) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, kind = 0 : i64, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
  %0 = onnx.MaxPool %x {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, ceil_mode = 1 : i64}
     : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

// -----

// A mean counts the padding, but not what the last window sees beyond it: the padding becomes zeros of the operand.
// CHECK-LABEL: @mean_beyond_the_padding
func.func @mean_beyond_the_padding(%x: tensor<1x1x4xf32>) -> tensor<1x1x3xf32> {
  // CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<1x1x6xf32>
  // CHECK: %[[X:.*]] = kernel.copy_blocks(%arg0) into(%[[ZEROS]]) {{.*}}output_offset = 4
  // CHECK: kernel.pool(%[[X]]) {{.*}}kind = 1 : i64, pads_begin = array<i64: 0>, pads_end = array<i64: 1>
  %0 = onnx.AveragePool %x {kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, ceil_mode = 1 : i64,
                            count_include_pad = 1 : i64} : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// -----

// CHECK-LABEL: @gradient_of_a_mean_beyond_the_padding
func.func @gradient_of_a_mean_beyond_the_padding(%dy: tensor<1x1x3xf32>, %x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  // CHECK: %[[DX:.*]] = kernel.pool_backward(%arg0, %{{.*}}) {{.*}}kind = 1 : i64, {{.*}} -> tensor<1x1x6xf32>
  // CHECK: %[[PART:.*]] = kernel.copy_blocks(%[[DX]]) {{.*}}input_offset = 4
  // CHECK: return %[[PART]]
  %0 = onnx.AveragePoolGrad %dy, %x {kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, ceil_mode = 1 : i64,
                                     count_include_pad = 1 : i64} : (tensor<1x1x3xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}

// -----

// Statistics from outside are used in place of the batch's own.
// CHECK-LABEL: @normalization_with_given_statistics
func.func @normalization_with_given_statistics(%x: tensor<8x3x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>,
                                               %bm: tensor<3xf32>, %bv: tensor<3xf32>) -> tensor<8x3x4xf32> {
  // CHECK-NOT: "reduction"
  // CHECK: return
  %0:5 = onnx.BatchNormInternal %x, %s, %b, %m, %v mean %bm variance %bv
     : (tensor<8x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    -> (tensor<8x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<8x3x4xf32>
}

// -----

// Random nodes are numbered in the order of the function; initialization draws from a range of its own.
// CHECK-LABEL: @initialize
func.func @initialize() -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: kernel.random() into({{.*}}) {a = 0.000000e+00 : f64, b = 1.000000e+00 : f64, distribution = 0 : i64, node = 0 : i64}
  %0 = onnx.RandomNormal {shape = array<i64: 4>} : tensor<4xf32>
  // CHECK: kernel.random() into({{.*}}) {a = 0.000000e+00 : f64, b = 1.000000e+00 : f64, distribution = 1 : i64, node = 1 : i64, seed = 4619567317775286272 : i64}
  %1 = onnx.RandomUniform {shape = array<i64: 4>, seed = 7.0 : f32} : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @dropout_in_training
func.func @dropout_in_training(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xi1>) {
  %r = onnx.Constant dense<2.5e-1> : tensor<f32>
  %t = onnx.Constant dense<true> : tensor<i1>
  // CHECK: kernel.dropout({{.*}}) {node = 1048576 : i64}
  // CHECK-SAME: (tensor<8x4xf32>, tensor<f32>) -> (tensor<8x4xf32>, tensor<8x4xi1>)
  %0:2 = onnx.Dropout %x ratio %r training %t : (tensor<8x4xf32>, tensor<f32>, tensor<i1>) -> (tensor<8x4xf32>, tensor<8x4xi1>)
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xi1>
}

// -----

// Where the samples are not along dimension 0 the kernel is told how many blocks of them there are, or that there are none.
// CHECK-LABEL: @dropout_of_samples_elsewhere
func.func @dropout_of_samples_elsewhere(%x: tensor<3x8x4xf32>) -> (tensor<3x8x4xf32>, tensor<3x8x4xf32>, tensor<3x8x4xf32>) {
  %t = onnx.Constant dense<true> : tensor<i1>
  // CHECK: kernel.dropout({{.*}}) {blocks = 3 : i64, node = {{[0-9]+}} : i64}
  %0:2 = onnx.Dropout %x training %t {samples = array<i64: 1, 1>} : (tensor<3x8x4xf32>, tensor<i1>) -> (tensor<3x8x4xf32>, tensor<3x8x4xi1>)
  // CHECK: kernel.dropout({{.*}}) {blocks = 6 : i64, node = {{[0-9]+}} : i64}
  %1:2 = onnx.Dropout %x training %t {samples = array<i64: 1, 2>} : (tensor<3x8x4xf32>, tensor<i1>) -> (tensor<3x8x4xf32>, tensor<3x8x4xi1>)
  // CHECK: kernel.dropout({{.*}}) {blocks = -1 : i64, node = {{[0-9]+}} : i64}
  %2:2 = onnx.Dropout %x training %t {samples = array<i64>} : (tensor<3x8x4xf32>, tensor<i1>) -> (tensor<3x8x4xf32>, tensor<3x8x4xi1>)
  return %0#0, %1#0, %2#0 : tensor<3x8x4xf32>, tensor<3x8x4xf32>, tensor<3x8x4xf32>
}

// -----

// In a loop over micro-batches the kernel is told which one it is.
// CHECK-LABEL: @dropout_of_a_micro_batch
func.func @dropout_of_a_micro_batch(%x: tensor<8x4xf32>, %i: index) -> (tensor<2x4xf32>, tensor<2x4xi1>) {
  %r = onnx.Constant dense<2.5e-1> : tensor<f32>
  %t = onnx.Constant dense<true> : tensor<i1>
  %part = train.micro_batch %i of 4 in %x : tensor<8x4xf32> -> tensor<2x4xf32>
  // CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK: %[[PART:.*]] = tensor.from_elements %[[I]] : tensor<i64>
  // CHECK: kernel.dropout(%{{.*}}, %{{.*}}, %[[PART]]) {{.*}}node = 1048576 : i64, parts = 4 : i64
  %0:2 = onnx.Dropout %part ratio %r training %t : (tensor<2x4xf32>, tensor<f32>, tensor<i1>) -> (tensor<2x4xf32>, tensor<2x4xi1>)
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<2x4xi1>
}

// -----

// CHECK-LABEL: @dropout_outside_training
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>)
func.func @dropout_outside_training(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xi1>) {
  // CHECK: %[[M:.*]] = arith.constant dense<true>
  // CHECK: return %[[X]], %[[M]]
  %0:2 = onnx.Dropout %x : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xi1>)
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xi1>
}

// -----

// CHECK-LABEL: @nothing_to_do
func.func @nothing_to_do(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK-NEXT: arith.negf %{{.*}} : tensor<?x4xf32>
  // CHECK-NEXT: return
  %0 = arith.negf %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Running sums of few entries are sums over all; those of many are sums of blocks.
// CHECK-LABEL: @few_running_sums
func.func @few_running_sums(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]{{.*}} ins(%arg0 : tensor<64xf32>) outs(%{{.*}} : tensor<64xf32>)
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %0 = onnx.CumSum %x {axis = 0 : i64} : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// CHECK-LABEL: @many_running_sums
func.func @many_running_sums(%x: tensor<95xf32>) -> tensor<95xf32> {
  // CHECK: kernel.copy_blocks(%arg0) {{.*}} : (tensor<95xf32>) -> tensor<100xf32>
  // CHECK: tensor.expand_shape {{.*}} : tensor<100xf32> into tensor<10x10xf32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]{{.*}} ins(%{{.*}} : tensor<10x10xf32>) outs(%{{.*}} : tensor<10xf32>)
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]{{.*}} ins(%{{.*}} : tensor<10xf32>) outs(%{{.*}} : tensor<10xf32>)
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]{{.*}} ins(%{{.*}} : tensor<10x10xf32>) outs(%{{.*}} : tensor<10x10xf32>)
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<10x10xf32>, tensor<10xf32>) outs(%{{.*}} : tensor<10x10xf32>)
  // CHECK: kernel.copy_blocks{{.*}} : (tensor<100xf32>) -> tensor<95xf32>
  %0 = onnx.CumSum %x {axis = 0 : i64} : (tensor<95xf32>) -> tensor<95xf32>
  return %0 : tensor<95xf32>
}
