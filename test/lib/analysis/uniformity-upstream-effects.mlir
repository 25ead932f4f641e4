// What comes from memory, from unknown functions or from devices varies, and so does what such an operation hands to its
// regions.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --allow-unregistered-dialect --pass-pipeline="builtin.module(distribute-print-uniformity)" -o /dev/null | FileCheck %s

func.func private @clock() -> i64
ml_program.global private mutable @counter(dense<0> : tensor<i64>) : tensor<i64>

// CHECK-LABEL: @memory
func.func @memory(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // CHECK: varying %{{.*}} = memref.alloc
  %0 = memref.alloc() : memref<4xi32>
  // CHECK: varying %{{.*}} = memref.load
  %1 = memref.load %0[%c0] : memref<4xi32>
  // CHECK: varying %{{.*}} = affine.load
  %2 = affine.load %m[0] : memref<4xi32>
  // CHECK: varying %{{.*}} = vector.load
  %3 = vector.load %m[%c0] : memref<4xi32>, vector<4xi32>
  // CHECK: varying %{{.*}} = memref.atomic_rmw
  %4 = memref.atomic_rmw addi %one, %m[%c0] : (i32, memref<4xi32>) -> i32
  // CHECK: varying %{{.*}} = memref.generic_atomic_rmw
  // CHECK-NEXT: varying argument
  %5 = memref.generic_atomic_rmw %m[%c0] : memref<4xi32> {
  ^bb0(%old: i32):
    memref.atomic_yield %old : i32
  }
  // CHECK: varying %{{.*}} = ml_program.global_load
  %6 = ml_program.global_load @counter : tensor<i64>
  return
}

// CHECK-LABEL: @calls
func.func @calls(%f: () -> i64) {
  // CHECK: varying %{{.*}} = func.call @clock
  %0 = func.call @clock() : () -> i64
  // CHECK: varying %{{.*}} = func.call_indirect
  %1 = func.call_indirect %f() : () -> i64
  // CHECK: varying %{{.*}} = "other.op"
  // CHECK-NEXT: varying argument
  %2 = "other.op"() ({
  ^bb0(%a: i32):
    "other.yield"(%a) : (i32) -> ()
  }) : () -> i32
  return
}

// CHECK-LABEL: @devices
func.func @devices(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: varying varying %token, %{{.*}} = async.execute
  %token, %value = async.execute -> !async.value<index> {
    async.yield %c0 : index
  }
  // CHECK: varying %{{.*}} = async.await
  %0 = async.await %value : !async.value<index>
  // CHECK: gpu.launch
  // CHECK-NEXT: varying argument
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  // CHECK: omp.parallel
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c1) step (%c1) {
        // CHECK: varying argument
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Results of asynchronous functions are one more than they return, so their calls are not followed.
// CHECK-LABEL: @waits
// CHECK: varying varying %{{.*}} = async.call
async.func @early() -> (!async.token, !async.value<i32>) {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
func.func @waits() {
  %0, %1 = async.call @early() : () -> (!async.token, !async.value<i32>)
  return
}

// A function whose address is taken, or that an opaque call enters, gets anything.
// CHECK-LABEL: @taken
// CHECK: varying argument
func.func private @taken(%a: i32) {
  return
}
// CHECK-LABEL: @takes
func.func @takes() {
  %f = constant @taken : (i32) -> ()
  return
}
