// What is computed in place, what libm is called for, and how loops and promises become branches.
// RUN: dist-opt %s --lower-to-llvm | FileCheck %s

// Of f32: polynomials, so that loops over it vectorise.
// CHECK-LABEL: llvm.func @kin(
// CHECK-NOT: {{llvm.call|llvm.intr.(log|tanh|exp|erf)}}
// CHECK: llvm.return
func.func @kin(%x: f32, %context: !llvm.ptr) -> (f32, f32, f32) {
  %0 = math.log %x : f32
  %1 = math.tanh %x : f32
  %2 = math.erf %x : f32
  return %0, %1, %2 : f32, f32, f32
}

// Of f64: libm, as the launch declares it.
// CHECK-LABEL: llvm.func @wide(
// CHECK-SAME: %[[X:.*]]: f64
// CHECK: %[[EXP:.*]] = llvm.intr.exp(%[[X]]) : (f64) -> f64
// CHECK: %[[ERF:.*]] = llvm.call @erf(%[[X]]) : (f64) -> f64
func.func @wide(%x: f64, %context: !llvm.ptr) -> (f64, f64) {
  %0 = math.exp %x : f64
  %1 = math.erf %x : f64
  return %0, %1 : f64, f64
}

// bf16 is the upper half of f32: shifts, and no function of the compiler's own library.
// CHECK-LABEL: llvm.func @narrow(
// CHECK-NOT: {{llvm.(fpext|fptrunc|call)}}
// CHECK: llvm.shl %{{.*}} : i32
// CHECK-NOT: {{llvm.(fpext|fptrunc|call)}}
// CHECK: llvm.lshr %{{.*}} : i32
// CHECK-NOT: {{llvm.(fpext|fptrunc|call)}}
// CHECK: llvm.return
func.func @narrow(%x: bf16, %y: f32, %context: !llvm.ptr) -> (f32, bf16) {
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.truncf %y : f32 to bf16
  return %0, %1 : f32, bf16
}

// A loop that carries a value is a block that takes it.
// CHECK-LABEL: llvm.func @loop(
// CHECK: llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : i64, f32)
// CHECK: ^[[HEAD]](%[[I:.*]]: i64, %[[S:.*]]: f32):
// CHECK: %[[GOES_ON:.*]] = llvm.icmp "slt" %[[I]], %{{.*}}
// CHECK: llvm.cond_br %[[GOES_ON]], ^[[BODY:.*]], ^[[END:.*]]
// CHECK: ^[[BODY]]:
// CHECK: %[[T:.*]] = llvm.fadd %[[S]], %{{.*}}
// CHECK: %[[NEXT:.*]] = llvm.add %[[I]], %{{.*}}
// CHECK: llvm.br ^[[HEAD]](%[[NEXT]], %[[T]] : i64, f32)
// CHECK: ^[[END]]:
// CHECK: llvm.return %[[S]]
func.func @loop(%x: memref<8xf32>, %context: !llvm.ptr) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %start = arith.constant 0.0 : f32
  %sum = scf.for %i = %zero to %eight step %one iter_args(%s = %start) -> (f32) {
    %v = memref.load %x[%i] : memref<8xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

// A promise that is not kept is told to the runtime, which ends the step, and the program goes on until then.
// CHECK-LABEL: llvm.func @promise(
// CHECK-SAME: %[[C:.*]]: i1, %[[CONTEXT:.*]]: !llvm.ptr)
// CHECK-NEXT: llvm.cond_br %[[C]], ^[[AFTER:.*]], ^[[FAILING:.*]]
// CHECK: ^[[FAILING]]:
// CHECK: llvm.call @tutti_report(%[[CONTEXT]], %{{.*}}, %{{.*}})
// CHECK-NEXT: llvm.br ^[[AFTER]]
// CHECK: ^[[AFTER]]:
// CHECK-NEXT: llvm.return
func.func @promise(%c: i1, %context: !llvm.ptr) {
  cf.assert %c, "a promise" loc("node")
  return
}
