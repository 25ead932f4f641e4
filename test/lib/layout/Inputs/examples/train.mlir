// Operations of train that stand on one device as well.
// One operation of each kind on small tensors, whose sizes 2 and 3 divide: what rules of sharding are tested on. The last
// operation of a function is meant; `test.low` and `test.high` bound what its operands hold. A size `?` is 6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!v = tensor<12xf32>
!m = tensor<6x12xf32>
!s = tensor<f32>

func.func @mark_gradient(%0: !m) -> !m {
  %r = train.mark_gradient %0 : !m
  return %r : !m
}

func.func @full_like(%0: !m) -> !m {
  %r = train.full_like %0, 2.0 : !m
  return %r : !m
}

func.func @scale(%0: !m, %1: !s) -> !m {
  %r = train.scale %0 by %1 : !m, !s
  return %r : !m
}

func.func @accuracy(%0: !m, %1: tensor<6xi64> {test.high = 12.0}) -> tensor<6xf32> {
  %r = train.accuracy %0, %1 : !m, tensor<6xi64> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @unscale(%0: !m, %1: !s {test.low = 1.0, test.high = 2.0}) -> !m {
  %r = train.unscale %0 by %1 : !m
  return %r : !m
}

func.func @all_finite(%0: !m, %1: !v) -> tensor<i1> {
  %r = train.all_finite %0, %1 : !m, !v
  return %r : tensor<i1>
}

func.func @global_norm(%0: !m, %1: !v) -> !s {
  %r = train.global_norm %0, %1 : !m, !v
  return %r : !s
}

func.func @sum_of_squares(%0: !m, %1: !v) -> !s {
  %r = train.sum_of_squares %0, %1 : !m, !v
  return %r : !s
}

func.func @clip_norm(%0: !m, %1: !s {test.low = 1.0, test.high = 2.0}) -> !m {
  %r = train.clip %0 norm %1 {max_norm = 1.0 : f32} : !m
  return %r : !m
}

func.func @select(%0: tensor<i1>, %1: !m, %2: !m) -> !m {
  %r = train.select %0, %1, %2 : !m
  return %r : !m
}

func.func @sgd(%0: !m, %1: !m, %2: !s) -> !m {
  %r = train.sgd %0 gradient %1 rate %2 : !m, !s
  return %r : !m
}

func.func @momentum(%0: !m, %1: !m, %2: !m, %3: !s) -> (!m, !m) {
  %r0, %r1 = train.momentum %0 gradient %1 velocity %2 rate %3 {alpha = 9.0e-1 : f32} : !m, !s
  return %r0, %r1 : !m, !m
}

func.func @rowwise_adagrad(%0: !m, %1: !m, %2: tensor<6xf32> {test.low = 0.5}, %3: !s) -> (!m, tensor<6xf32>) {
  %r0, %r1 = train.rowwise_adagrad %0 gradient %1 accumulator %2 rate %3 : !m, tensor<6xf32>, !s
  return %r0, %r1 : !m, tensor<6xf32>
}

func.func @adam(%0: !m, %1: !m, %2: !m, %3: !m {test.low = 0.5}, %4: !s, %5: tensor<i64> {test.low = 3.0, test.high = 4.0}) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.adam %0 gradient %1 moments %2, %3 rate %4 step %5 : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @lamb(%0: !m, %1: !m, %2: !m, %3: !m {test.low = 0.5}, %4: !s, %5: tensor<i64> {test.low = 3.0, test.high = 4.0}) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.lamb %0 gradient %1 moments %2, %3 rate %4 step %5 : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @nadam(%0: !m, %1: !m, %2: !m, %3: !m {test.low = 0.5}, %4: !s, %5: tensor<i64> {test.low = 3.0, test.high = 4.0}) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.nadam %0 gradient %1 moments %2, %3 rate %4 step %5 : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @rmsprop(%0: !m, %1: !m, %2: !m {test.low = 0.5}, %3: !s) -> (!m, !m) {
  %r0, %r1 = train.rmsprop %0 gradient %1 average %2 rate %3 : !m, !s
  return %r0, %r1 : !m, !m
}

func.func @rmsprop_momentum(%0: !m, %1: !m, %2: !m {test.low = 0.5}, %3: !m, %4: !s) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.rmsprop_momentum %0 gradient %1 average %2 velocity %3 rate %4 {momentum = 9.0e-1 : f32} : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @lion(%0: !m, %1: !m, %2: !m, %3: !s) -> (!m, !m) {
  %r0, %r1 = train.lion %0 gradient %1 moment %2 rate %3 : !m, !s
  return %r0, %r1 : !m, !m
}

func.func @scatter_rows(%0: tensor<6xi64> {test.high = 12.0}, %1: tensor<6x6xf32>) -> tensor<12x6xf32> {
  %r = train.scatter_rows %0, %1 : tensor<6xi64>, tensor<6x6xf32> -> tensor<12x6xf32>
  return %r : tensor<12x6xf32>
}

func.func @gather_rows_of_table(%0: tensor<12x6xf32>, %1: tensor<6xi64> {test.high = 12.0}) -> tensor<6x6xf32> {
  %r = train.gather_rows %0 at %1 : tensor<12x6xf32>, tensor<6xi64> -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}

func.func @zero_batch(%0: !m) -> tensor<6x18xf32> {
  %r = train.zero_batch like %0 : !m -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @adagrad(%0: !m, %1: !m, %2: !m {test.low = 0.5}, %3: !s) -> (!m, !m) {
  %r0, %r1 = train.adagrad %0 gradient %1 accumulator %2 rate %3 : !m, !s
  return %r0, %r1 : !m, !m
}

func.func @adamw(%0: !m, %1: !m, %2: !m, %3: !m {test.low = 0.5}, %4: !s, %5: tensor<i64> {test.low = 3.0, test.high = 4.0}) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.adamw %0 gradient %1 moments %2, %3 rate %4 step %5 : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @update_loss_scale(%0: !s {test.low = 1.0, test.high = 2.0}, %1: tensor<i64>, %2: tensor<i1>) -> (!s, tensor<i64>) {
  %r0, %r1 = train.update_loss_scale %0 tracker %1 finite %2 {growth_interval = 2000 : i64}
  return %r0, %r1 : !s, tensor<i64>
}

func.func @merge_rows(%0: tensor<6xi64> {test.high = 12.0}, %1: tensor<6x6xf32>, %2: !s {test.low = 1.0, test.high = 4.0}) -> (tensor<6xi64>, tensor<6x6xf32>) {
  %r0, %r1 = train.merge_rows %0, %1 of 12 over %2 : tensor<6xi64>, tensor<6x6xf32>, !s -> tensor<6xi64>, tensor<6x6xf32>
  return %r0, %r1 : tensor<6xi64>, tensor<6x6xf32>
}

func.func @scatter_update_rows(%0: tensor<6x6xf32>, %1: tensor<6xi64> {test.high = 12.0}, %2: tensor<12x6xf32>) -> tensor<12x6xf32> {
  %r = train.scatter_update_rows %0 at %1 into %2 : tensor<6x6xf32>, tensor<6xi64>, tensor<12x6xf32>
  return %r : tensor<12x6xf32>
}
