// Regions and loops of upstream dialects: what differs in how often a region runs differs in what comes out of it.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline="builtin.module(distribute-print-uniformity)" -o /dev/null | FileCheck %s

// CHECK-LABEL: @index_switch
func.func @index_switch(%v: index, %u: i32 {train.variable = #train.variable<"u", other>}) {
  %c2 = arith.constant 2 : index
  // CHECK: {{^}}  varying %{{.*}} = scf.index_switch
  // CHECK: divergent scf.yield
  %0 = scf.index_switch %v -> i32
  case 1 {
    scf.yield %u : i32
  }
  default {
    scf.yield %u : i32
  }
  // CHECK: {{^}}  uniform %{{.*}} = scf.index_switch
  %1 = scf.index_switch %c2 -> i32
  case 1 {
    scf.yield %u : i32
  }
  default {
    scf.yield %u : i32
  }
  return
}

// CHECK-LABEL: @execute_region
func.func @execute_region(%flag: i1, %u: i32 {train.variable = #train.variable<"u", other>}) {
  // CHECK: {{^}}  uniform %{{.*}} = scf.execute_region
  %0 = scf.execute_region -> i32 {
    scf.yield %u : i32
  }
  // CHECK: {{^}}  varying %{{.*}} = scf.execute_region
  %1 = scf.execute_region -> i32 {
    cf.cond_br %flag, ^a, ^b
  ^a:
    scf.yield %u : i32
  ^b:
    scf.yield %u : i32
  }
  return
}

// CHECK-LABEL: @forall
func.func @forall(%n: index, %u: tensor<8xf32> {train.variable = #train.variable<"u", other>}, %v: tensor<8xf32>) {
  // CHECK: {{^}}  uniform %{{.*}} = scf.forall
  %0 = scf.forall (%i) in (8) shared_outs(%out = %u) -> tensor<8xf32> {
    %part = tensor.extract_slice %u[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %out[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  // CHECK: {{^}}  varying %{{.*}} = scf.forall
  %1 = scf.forall (%i) in (8) shared_outs(%out = %u) -> tensor<8xf32> {
    %part = tensor.extract_slice %v[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %out[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  // CHECK: {{^}}  varying %{{.*}} = scf.forall
  %2 = scf.forall (%i) in (%n) shared_outs(%out = %u) -> tensor<8xf32> {
    %part = tensor.extract_slice %u[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %out[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return
}

// The order in which iterations are combined is not defined.
// CHECK-LABEL: @parallel
func.func @parallel(%v: index, %x: f32 {train.variable = #train.variable<"u", other>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: {{^}}  varying %{{.*}} = scf.parallel
  // CHECK-NEXT: {{^}}    uniform argument
  %0 = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      scf.reduce.return %sum : f32
    }
  }
  // CHECK: {{^}}  scf.parallel
  // CHECK-NEXT: {{^}}    varying argument
  // CHECK-NEXT: {{^}}    divergent
  scf.parallel (%i) = (%c0) to (%v) step (%c1) {
    %1 = arith.addi %i, %i : index
  }
  // CHECK: {{^}}  varying %{{.*}} = affine.parallel
  %2 = affine.parallel (%i) = (0) to (8) reduce ("addf") -> (f32) {
    affine.yield %x : f32
  }
  return
}

// CHECK-LABEL: @affine
func.func @affine(%v: index, %x: f32 {train.variable = #train.variable<"u", other>}) {
  %c8 = arith.constant 8 : index
  // CHECK: {{^}}  uniform %{{.*}} = affine.for
  %0 = affine.for %i = 0 to %c8 iter_args(%at = %x) -> f32 {
    %next = arith.addf %at, %x : f32
    affine.yield %next : f32
  }
  // CHECK: {{^}}  varying %{{.*}} = affine.for
  // CHECK-NEXT: varying argument
  // CHECK-NEXT: varying argument
  // CHECK-NEXT: divergent varying
  %1 = affine.for %i = 0 to %v iter_args(%at = %x) -> f32 {
    %next = arith.addf %at, %x : f32
    affine.yield %next : f32
  }
  // CHECK: {{^}}  varying %{{.*}} = affine.if
  // CHECK-NEXT: divergent affine.yield
  %2 = affine.if affine_set<(d0) : (d0 >= 0)>(%v) -> f32 {
    affine.yield %x : f32
  } else {
    affine.yield %x : f32
  }
  return
}

// CHECK-LABEL: @tosa
func.func @tosa(%flag: tensor<i1>, %u: tensor<4xf32> {train.variable = #train.variable<"u", other>}) {
  // CHECK: {{^}}  varying %{{.*}} = tosa.cond_if
  // CHECK: divergent uniform %{{.*}} = tosa.tanh
  %0 = tosa.cond_if %flag : tensor<i1> -> tensor<4xf32> {
    %1 = tosa.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %1 : tensor<4xf32>
  } else {
    tosa.yield %u : tensor<4xf32>
  }
  return
}

// The condition is computed inside, from something that varies.
// CHECK-LABEL: @while_on_memory
func.func @while_on_memory(%m: memref<i1>, %u: f32 {train.variable = #train.variable<"u", other>}) {
  // CHECK: {{^}}  varying %{{.*}} = scf.while
  %0 = scf.while (%at = %u) : (f32) -> f32 {
    %again = memref.load %m[] : memref<i1>
    scf.condition(%again) %at : f32
  } do {
  ^bb0(%at: f32):
    // CHECK: divergent varying %{{.*}} = arith.addf
    %next = arith.addf %at, %at : f32
    scf.yield %next : f32
  }
  return
}

// How deep the recursion goes depends on the argument.
// CHECK-LABEL: @depth
func.func private @depth(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.cmpi eq, %n, %c0 : index
  // CHECK: divergent varying %{{.*}} = scf.if
  %0 = scf.if %last -> f32 {
    scf.yield %x : f32
  } else {
    %less = arith.subi %n, %c1 : index
    %1 = func.call @depth(%less, %x) : (index, f32) -> f32
    scf.yield %1 : f32
  }
  return %0 : f32
}
// CHECK-LABEL: @descends
func.func @descends(%n: index, %x: f32 {train.variable = #train.variable<"u", other>}) {
  // CHECK: {{^}}  varying %{{.*}} = func.call @depth
  %0 = call @depth(%n, %x) : (index, f32) -> f32
  return
}

// CHECK-LABEL: @switch
func.func @switch(%v: i32, %u: i32 {train.variable = #train.variable<"u", other>}) {
  cf.switch %v : i32, [default: ^out(%u : i32), 1: ^other]
^other:
  cf.br ^out(%u : i32)
^out(%x: i32):
  // CHECK: divergent cf.br
  // CHECK: varying argument
  // CHECK-NEXT: divergent
  return
}
