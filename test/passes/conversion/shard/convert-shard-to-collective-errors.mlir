// What has no collective, and why.
// RUN: dist-opt %s --convert-shard-to-collective --split-input-file --verify-diagnostics

shard.grid @grid(shape = 4)
func.func @annotation(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.sharding' is an annotation, not communication: run --sharding-propagation and --shard-partition first}}
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @halo(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{halos have no collective: exchange the rows with shard.shift, or shard without halo_sizes}}
  %0 = shard.update_halo %a on @grid split_axes = [[0]] halo_sizes = [1, 1] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @bits(%a: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error @+1 {{the reduction 'bitwise_or' has no collective; there are sum, average, min, max and product}}
  %0 = shard.all_reduce %a on @grid grid_axes = [0] reduction = bitwise_or : tensor<8xi32> -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

shard.grid @grid(shape = 4)
func.func @on_memrefs(%a: memref<8xf32>) -> memref<8xf32> {
  // expected-error @+1 {{expected a tensor, got 'memref<8xf32>': convert before bufferization}}
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : memref<8xf32> -> memref<8xf32>
  return %0 : memref<8xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @between_kinds(%a: tensor<8xi32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot reduce 'i32' in 'f32': convert the input before it is reduced}}
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xi32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @computed_root(%a: tensor<8xf32>, %r: index) -> tensor<8xf32> {
  // expected-error @+1 {{the root is computed, but a collective has the same root every time it runs: expected constant indices}}
  %0 = shard.broadcast %a on @grid grid_axes = [0] root = [%r] : (tensor<8xf32>, index) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @anyone(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{receives from any process; expected a source, which a message is matched by}}
  %0 = shard.recv %a on @grid grid_axes = [0] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @unknown_rows(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a static shape to shift, got 'tensor<?xf32>'}}
  %0 = shard.shift %a on @grid grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

shard.grid @grid(shape = ?)
func.func @unknown_grid(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{its grid @grid has lengths that are not known; expected shard.grid with a static shape}}
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @four(shape = 4)
shard.grid @six(shape = 2x3)
func.func @two_worlds(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @four grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  // expected-error @+1 {{its grid has 6 processes, but @world says that the world has 4 ranks}}
  %1 = shard.all_reduce %0 on @six grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2x2)
func.func @two_axes(%i: index) -> (index, index) {
  // expected-error @+1 {{expected one split axis and one index for each axis of the grid}}
  %0:2 = shard.neighbors_linear_indices on @grid[%i, %i] split_axes = [0, 1] : index, index
  return %0#0, %0#1 : index, index
}

// -----

shard.grid @grid(shape = 4)
func.func @unknown_part(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a static shape to slice, got 'tensor<?xf32>'}}
  %0 = shard.all_slice %a on @grid grid_axes = [0] slice_axis = 0 : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
