// RUN: dist-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @scale_by_one
func.func @scale_by_one(%x: tensor<?xf32>) -> tensor<?xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  // CHECK-NEXT: return %arg0
  %0 = train.scale %x by %one : tensor<?xf32>, tensor<f32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @scale_by_two_stays
func.func @scale_by_two_stays(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  // CHECK: train.scale
  %0 = train.scale %x by %two : tensor<?xf32>, tensor<f32>
  return %0 : tensor<?xf32>
}

// -----

collective.group @world
train.dataset @whole {global_batch = 64 : i64}
train.dataset @unspecialised {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
train.dataset @equal {global_batch = 64 : i64, shard = #train.shard<strided, pad, @world, ranks = 4>}
train.dataset @equal_by_chance {global_batch = 64 : i64, shard = #train.shard<strided, weighted, @world, ranks = 4>}
train.dataset @unequal {global_batch = 65 : i64, shard = #train.shard<strided, weighted, @world, ranks = 4>}
train.dataset @one_rank {shard = #train.shard<strided, weighted, @world, ranks = 1>}

// A share is a constant as soon as it is the same on every rank.
// CHECK-LABEL: func.func @shares_of_a_batch
func.func @shares_of_a_batch() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f16>, tensor<f32>, tensor<f32>) {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[QUARTER:.*]] = arith.constant dense<2.500000e-01> : tensor<f32>
  // CHECK-DAG: %[[HALF_TYPE:.*]] = arith.constant dense<2.500000e-01> : tensor<f16>
  %whole = train.batch_weight @whole : tensor<f32>
  // CHECK-DAG: %[[LATER:.*]] = train.batch_weight @unspecialised
  %unspecialised = train.batch_weight @unspecialised : tensor<f32>
  %equal = train.batch_weight @equal : tensor<f32>
  %by_chance = train.batch_weight @equal_by_chance : tensor<f16>
  // CHECK-DAG: %[[UNEQUAL:.*]] = train.batch_weight @unequal
  %unequal = train.batch_weight @unequal : tensor<f32>
  %one_rank = train.batch_weight @one_rank : tensor<f32>
  // CHECK: return %[[ONE]], %[[LATER]], %[[QUARTER]], %[[HALF_TYPE]], %[[UNEQUAL]], %[[ONE]]
  return %whole, %unspecialised, %equal, %by_chance, %unequal, %one_rank : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f16>, tensor<f32>, tensor<f32>
}
