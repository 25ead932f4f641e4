// Operations on the parts of a batch, as they are on one device.
// One operation of each kind on small tensors, whose sizes 2 and 3 divide: what rules of sharding are tested on. The last
// operation of a function is meant; `test.low` and `test.high` bound what its operands hold. A size `?` is 6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!m = tensor<6x12xf32>
!s = tensor<f32>

func.func @micro_batch(%0: index, %1: !m) -> tensor<3x12xf32> {
  %r = train.micro_batch %0 of 2 in %1 : !m -> tensor<3x12xf32>
  return %r : tensor<3x12xf32>
}

func.func @put_micro_batch(%0: tensor<3x12xf32>, %1: !m, %2: index) -> !m {
  %r = train.put_micro_batch %0 into %1 at %2 of 2 : tensor<3x12xf32> into !m
  return %r : !m
}

train.dataset @data {global_batch = 12 : i64}

func.func @batch_weight() -> !s {
  %r = train.batch_weight @data : !s
  return %r : !s
}

func.func @batch_total(%0: !m) -> !m {
  %r = train.batch_total %0 : !m
  return %r : !m
}

func.func @batch_share(%0: !m) -> !m {
  %r = train.batch_share %0 : !m
  return %r : !m
}

func.func @batch_sum(%0: !m) -> !m {
  %r = train.batch_sum %0 : !m
  return %r : !m
}

func.func @batch_gather(%0: tensor<?x12xf32>) -> tensor<?x12xf32> {
  %r = train.batch_gather %0 : tensor<?x12xf32>
  return %r : tensor<?x12xf32>
}

func.func @batch_piece(%0: tensor<12x?xf32>) -> tensor<12x?xf32> {
  %r = train.batch_piece %0 {axis = 1 : i64} : tensor<12x?xf32>
  return %r : tensor<12x?xf32>
}

func.func @batch_scatter(%0: tensor<?x12xf32>) -> tensor<?x12xf32> {
  %r = train.batch_scatter %0 : tensor<?x12xf32>
  return %r : tensor<?x12xf32>
}

func.func @piece(%0: index, %1: index {test.low = 3.0, test.high = 4.0}, %2: !m) -> tensor<2x12xf32> {
  %r = train.piece %0 of %1 in %2 along 0 : !m -> tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}
