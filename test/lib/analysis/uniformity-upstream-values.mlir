// Operations of upstream dialects that compute values: as uniform as their operands, but for those whose result nothing
// in the program defines.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline="builtin.module(distribute-print-uniformity)" -o /dev/null | FileCheck %s

// CHECK-LABEL: @nothing_defines_these
func.func @nothing_defines_these(%m: memref<4xf32>) {
  // CHECK: varying %{{.*}} = ub.poison
  %0 = ub.poison : i32
  // CHECK: varying %{{.*}} = tensor.empty
  %1 = tensor.empty() : tensor<4xf32>
  // CHECK: varying %{{.*}} = bufferization.alloc_tensor
  %2 = bufferization.alloc_tensor() : tensor<4xf32>
  // CHECK: varying %{{.*}} = vector.vscale
  %3 = vector.vscale
  // CHECK: varying %{{.*}} = vector.step
  %4 = vector.step : vector<[4]xindex>
  // CHECK: varying %{{.*}} = bufferization.to_tensor
  %5 = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  // CHECK: uniform %{{.*}} = memref.get_global
  // CHECK: varying %{{.*}} = memref.extract_aligned_pointer_as_index
  %6 = memref.get_global @table : memref<4xf32>
  %7 = memref.extract_aligned_pointer_as_index %6 : memref<4xf32> -> index
  // CHECK: varying %{{.*}} = bufferization.to_tensor
  %8 = bufferization.to_tensor %6 : memref<4xf32> to tensor<4xf32>
  // CHECK: varying %{{.*}} = shape.any
  %s = shape.const_shape [1, 2] : !shape.shape
  %9 = shape.any %s, %s : !shape.shape, !shape.shape -> !shape.shape
  // CHECK: varying %{{.*}} = llvm.mlir.undef
  %10 = llvm.mlir.undef : i32
  // CHECK: varying %{{.*}} = gpu.thread_id
  %11 = gpu.thread_id x
  // CHECK: uniform %{{.*}} = mpi.comm_world
  // CHECK: varying %{{.*}} = mpi.comm_rank
  %12 = mpi.comm_world : !mpi.comm
  %13 = mpi.comm_rank (%12) : i32
  // CHECK: varying %{{.*}} = spirv.Undef
  %14 = spirv.Undef : f32
  // CHECK: varying %{{.*}} = emitc.literal
  %15 = emitc.literal "rand()" : i32
  // CHECK: varying %{{.*}} = shard.process_linear_index
  %16 = shard.process_linear_index on @grid : index
  // CHECK: uniform %{{.*}} = shard.grid_shape
  %17 = shard.grid_shape @grid axes = [0] : index
  // CHECK: varying %{{.*}} = nvvm.read.ptx.sreg.clock
  %18 = nvvm.read.ptx.sreg.clock : i32
  return
}
memref.global @table : memref<4xf32> = dense<0.0>
shard.grid @grid(shape = 4)

// CHECK-LABEL: @values
func.func @values(%u: tensor<4xf32> {train.variable = #train.variable<"u", other>}, %v: tensor<4xf32>) {
  // CHECK-COUNT-15: {{^}}  uniform %
  %zero = arith.constant 0.0 : f32
  %index = arith.constant 1 : index
  %1 = arith.addf %u, %u : tensor<4xf32>
  %2 = math.exp %1 : tensor<4xf32>
  %3 = tensor.extract %2[%index] : tensor<4xf32>
  %4 = complex.create %3, %zero : complex<f32>
  %5 = complex.abs %4 : complex<f32>
  %6 = index.add %index, %index
  %7 = vector.broadcast %5 : f32 to vector<4xf32>
  %8 = vector.reduction <add>, %7 : vector<4xf32> into f32
  %9 = tosa.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
  %10 = shape.shape_of %u : tensor<4xf32> -> tensor<1xindex>
  %11 = affine.apply affine_map<(d0) -> (d0 + 1)>(%index)
  %13 = vector.transfer_read %u[%index], %zero {in_bounds = [false]} : tensor<4xf32>, vector<4xf32>
  %14 = builtin.unrealized_conversion_cast %8 : f32 to i32
  // CHECK-COUNT-10: {{^}}  varying %
  %v1 = arith.addf %u, %v : tensor<4xf32>
  %v2 = math.exp %v1 : tensor<4xf32>
  %v3 = tensor.extract %v2[%index] : tensor<4xf32>
  %v4 = complex.create %v3, %zero : complex<f32>
  %v5 = complex.abs %v4 : complex<f32>
  %v7 = vector.broadcast %v5 : f32 to vector<4xf32>
  %v8 = vector.reduction <add>, %v7 : vector<4xf32> into f32
  %v9 = tosa.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
  %v13 = vector.transfer_read %v[%index], %zero {in_bounds = [false]} : tensor<4xf32>, vector<4xf32>
  %v14 = builtin.unrealized_conversion_cast %v8 : f32 to i32
  return
}

// CHECK-LABEL: @sizes
func.func @sizes(%v: tensor<4x?xf32>) {
  %zero = arith.constant 0 : index
  // CHECK: varying %{{.*}} = tensor.dim
  %0 = tensor.dim %v, %zero : tensor<4x?xf32>
  %whole = tensor.empty() : tensor<8xf32>
  // CHECK: uniform %{{.*}} = tensor.dim
  %1 = tensor.dim %whole, %zero : tensor<8xf32>
  // CHECK: varying %{{.*}} = tensor.dim
  %2 = tensor.dim %whole, %0 : tensor<8xf32>
  return
}

// A destination that is overwritten as a whole does not matter; one that is read, or has unknown sizes, does.
// CHECK-LABEL: @destinations
func.func @destinations(%u: tensor<4x4xf32> {train.variable = #train.variable<"u", other>}, %v: tensor<4x4xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  // CHECK: uniform %{{.*}} = linalg.fill
  %0 = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: uniform %{{.*}} = linalg.matmul
  %1 = linalg.matmul ins(%u, %u : tensor<4x4xf32>, tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: varying %{{.*}} = linalg.matmul
  %2 = linalg.matmul ins(%u, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: varying %{{.*}} = linalg.matmul
  %3 = linalg.matmul ins(%u, %u : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: uniform %{{.*}} = linalg.generic
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    // CHECK: uniform %{{.*}} = linalg.index
    %i = linalg.index 0 : index
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<4x4xf32>
  // CHECK: varying %{{.*}} = linalg.generic
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x4xf32>
  // Only the diagonal is written.
  // CHECK: varying %{{.*}} = linalg.generic
  %6 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]} outs(%empty : tensor<4x4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %zero : f32
  } -> tensor<4x4xf32>
  // CHECK: varying %{{.*}} = linalg.fill
  %some = tensor.empty(%n) : tensor<?xf32>
  %7 = linalg.fill ins(%zero : f32) outs(%some : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: varying %{{.*}} = linalg.generic
  %8 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<4x4xf32>) {
  ^bb0(%b: f32):
    %i0 = linalg.index 0 : index
    %at = tensor.extract %v[%i0, %i0] : tensor<4x4xf32>
    linalg.yield %at : f32
  } -> tensor<4x4xf32>
  // CHECK: varying %{{.*}} = tensor.generate
  %9 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %at = tensor.extract %v[%i, %j] : tensor<4x4xf32>
    tensor.yield %at : f32
  } : tensor<4x4xf32>
  // CHECK: uniform %{{.*}} = tensor.generate
  %10 = tensor.generate {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x4xf32>
  // CHECK: varying %{{.*}} = tensor.generate
  %11 = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32>
  return
}
