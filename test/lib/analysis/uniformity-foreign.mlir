// Operations of dialects that nobody here knows vary, and so does what is computed from them, until the program declares that
// they compute the same on every rank.
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-print-uniformity -o /dev/null | FileCheck %s

// CHECK-LABEL: @not_declared
func.func @not_declared(%u: tensor<4xf32> {train.variable = #train.variable<"u", other>}) {
  // CHECK: varying %{{.*}} = "acme.replica_id"
  %0 = "acme.replica_id"() : () -> index
  // CHECK: varying %{{.*}} = "acme.add_replica_id"
  %1 = "acme.add_replica_id"(%u) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: varying %{{.*}} = arith.negf
  %2 = arith.negf %1 : tensor<4xf32>
  return
}

// CHECK-LABEL: @declared_one_by_one
func.func @declared_one_by_one(%u: tensor<4xf32> {train.variable = #train.variable<"u", other>}, %v: tensor<4xf32>) {
  // CHECK: uniform %{{.*}} = "acme.table"
  %0 = "acme.table"() {train.deterministic} : () -> tensor<4xf32>
  // CHECK: uniform %{{.*}} = "acme.add"
  %1 = "acme.add"(%u, %0) {train.deterministic} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: varying %{{.*}} = "acme.add"
  %2 = "acme.add"(%u, %v) {train.deterministic} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // A declaration speaks of operations that nothing is known of, not of those that answer for themselves.
  // CHECK: varying %{{.*}} = collective.local_rank
  %3 = collective.local_rank {train.deterministic} : index
  return
}

module attributes {train.deterministic = ["acme", "lab.swirl"]} {
  // CHECK-LABEL: @declared_for_the_module
  func.func @declared_for_the_module(%u: tensor<4xf32> {train.variable = #train.variable<"u", other>}, %v: tensor<4xf32>, %m: memref<4xf32>) {
    // CHECK: uniform %{{.*}} = "acme.add"
    %0 = "acme.add"(%u, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK: uniform %{{.*}} = "lab.swirl"
    %1 = "lab.swirl"(%0) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: varying %{{.*}} = "lab.swirl"
    %2 = "lab.swirl"(%v) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: varying %{{.*}} = "lab.roll"
    %3 = "lab.roll"(%u) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: varying %{{.*}} = "acmeish.add"
    %4 = "acmeish.add"(%u) : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}
