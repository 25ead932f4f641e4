// Integer arithmetic has a result for every operand, or an error that names its node; the machine never traps.
// RUN: dist-opt %s --lower-to-llvm | FileCheck %s

// A report has the name of its node and the message, of 6 and 26 letters, eight to a number.
// CHECK-DAG: llvm.mlir.global internal constant @[[DIVIDE:parameters_[0-9]+]](dense<[6, 111481940502884, 26, {{[0-9, ]+}}]> : tensor<{{[0-9]+}}xi64>)
// CHECK-DAG: llvm.func @tutti_report(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// A division by 0 is told, and goes on with 1; one by -1 is a subtraction, because the smallest number has no opposite.
// CHECK-LABEL: llvm.func @divide(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32, %[[CONTEXT:.*]]: !llvm.ptr)
// CHECK-DAG: %[[MINUS:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[RIGHT:.*]] = llvm.icmp "ne" %[[B]], %[[ZERO]]
// CHECK-NEXT: llvm.cond_br %[[RIGHT]], ^[[AFTER:.*]], ^[[FAILING:.*]]
// CHECK-NEXT: ^[[FAILING]]:
// CHECK-NEXT: %[[WORDS:.*]] = llvm.mlir.addressof @parameters
// CHECK-NEXT: %[[NONE:.*]] = llvm.mlir.zero
// CHECK-NEXT: llvm.call @tutti_report(%[[CONTEXT]], %[[NONE]], %[[WORDS]])
// CHECK-NEXT: llvm.br ^[[AFTER]]
// CHECK-NEXT: ^[[AFTER]]:
// CHECK-NEXT: %[[NOT_ZERO:.*]] = llvm.select %[[RIGHT]], %[[B]], %[[ONE]]
// CHECK-NEXT: %[[SPECIAL:.*]] = llvm.icmp "eq" %[[B]], %[[MINUS]]
// CHECK-NEXT: %[[SAFE:.*]] = llvm.select %[[SPECIAL]], %[[ONE]], %[[NOT_ZERO]]
// CHECK-NEXT: %[[Q:.*]] = llvm.sdiv %[[A]], %[[SAFE]]
// CHECK-NEXT: %[[NEGATIVE:.*]] = llvm.sub %[[ZERO]], %[[A]]
// CHECK-NEXT: %[[R:.*]] = llvm.select %[[SPECIAL]], %[[NEGATIVE]], %[[Q]]
// CHECK-NEXT: llvm.return %[[R]]
func.func @divide(%a: i32, %b: i32, %context: !llvm.ptr) -> i32 {
  %0 = arith.divsi %a, %b : i32 loc("divide")
  return %0 : i32
}

// Without a sign nothing is special but 0.
// CHECK-LABEL: llvm.func @divide_unsigned(
// CHECK-SAME: %[[A:.*]]: i64, %[[B:.*]]: i64
// CHECK: %[[RIGHT:.*]] = llvm.icmp "ne" %[[B]]
// CHECK: llvm.call @tutti_report
// CHECK: %[[SAFE:.*]] = llvm.select %[[RIGHT]], %[[B]], %{{.*}}
// CHECK-NEXT: %[[Q:.*]] = llvm.udiv %[[A]], %[[SAFE]]
// CHECK-NEXT: llvm.return %[[Q]]
func.func @divide_unsigned(%a: i64, %b: i64, %context: !llvm.ptr) -> i64 {
  %0 = arith.divui %a, %b : i64
  return %0 : i64
}

// What is left of a division by -1 is 0.
// CHECK-LABEL: llvm.func @remainder(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @tutti_report
// CHECK: %[[SPECIAL:.*]] = llvm.icmp "eq" %[[B]], %{{.*}}
// CHECK: %[[REST:.*]] = llvm.srem %[[A]], %{{.*}}
// CHECK-NEXT: %[[R:.*]] = llvm.select %[[SPECIAL]], %[[ZERO]], %[[REST]]
// CHECK-NEXT: llvm.return %[[R]]
func.func @remainder(%a: i32, %b: i32, %context: !llvm.ptr) -> i32 {
  %0 = arith.remsi %a, %b : i32
  return %0 : i32
}

// With a constant nothing can go wrong, and nothing is asked.
// CHECK-LABEL: llvm.func @by_constants(
// CHECK-NOT: {{icmp|select|cond_br|tutti_report}}
// CHECK: llvm.sdiv %{{.*}}, %{{.*}}
// CHECK-NEXT: llvm.udiv %{{.*}}, %{{.*}}
// CHECK-NEXT: llvm.shl %{{.*}}, %{{.*}}
// CHECK-NOT: {{icmp|select|cond_br|tutti_report}}
// CHECK: llvm.return
func.func @by_constants(%a: i32, %context: !llvm.ptr) -> (i32, i32, i32) {
  %three = arith.constant 3 : i32
  %minus = arith.constant -1 : i32
  %0 = arith.divsi %a, %three : i32
  %1 = arith.divui %a, %minus : i32
  %2 = arith.shli %a, %three : i32
  return %0, %1, %2 : i32, i32, i32
}

// But the constant -1 is special, too.
// CHECK-LABEL: llvm.func @by_minus_one(
// CHECK-SAME: %[[A:.*]]: i32
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NOT: llvm.sdiv
// CHECK: %[[R:.*]] = llvm.sub %[[ZERO]], %[[A]]
// CHECK-NEXT: llvm.return %[[R]]
func.func @by_minus_one(%a: i32, %context: !llvm.ptr) -> i32 {
  %minus = arith.constant -1 : i32
  %0 = arith.divsi %a, %minus : i32
  return %0 : i32
}

// Shifted by its width or more a number is 0.
// CHECK-LABEL: llvm.func @shift_left(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[MOST:.*]] = llvm.mlir.constant(31 : i32)
// CHECK-DAG: %[[WIDTH:.*]] = llvm.mlir.constant(32 : i32)
// CHECK: %[[RIGHT:.*]] = llvm.icmp "ult" %[[B]], %[[WIDTH]]
// CHECK-NEXT: %[[AMOUNT:.*]] = llvm.select %[[RIGHT]], %[[B]], %[[MOST]]
// CHECK-NEXT: %[[SHIFTED:.*]] = llvm.shl %[[A]], %[[AMOUNT]]
// CHECK-NEXT: %[[R:.*]] = llvm.select %[[RIGHT]], %[[SHIFTED]], %[[ZERO]]
// CHECK-NEXT: llvm.return %[[R]]
func.func @shift_left(%a: i32, %b: i32, %context: !llvm.ptr) -> i32 {
  %0 = arith.shli %a, %b : i32
  return %0 : i32
}

// With a sign, all bits are the sign.
// CHECK-LABEL: llvm.func @shift_right(
// CHECK-SAME: %[[A:.*]]: i8, %[[B:.*]]: i8
// CHECK-DAG: %[[MOST:.*]] = llvm.mlir.constant(7 : i8)
// CHECK: %[[AMOUNT:.*]] = llvm.select %{{.*}}, %[[B]], %[[MOST]]
// CHECK-NEXT: %[[R:.*]] = llvm.ashr %[[A]], %[[AMOUNT]]
// CHECK-NEXT: llvm.return %[[R]]
func.func @shift_right(%a: i8, %b: i8, %context: !llvm.ptr) -> i8 {
  %0 = arith.shrsi %a, %b : i8
  return %0 : i8
}

// CHECK-LABEL: llvm.func @shift_too_far(
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i8)
// CHECK-NEXT: llvm.return %[[ZERO]]
func.func @shift_too_far(%a: i8, %context: !llvm.ptr) -> i8 {
  %b = arith.constant 8 : i8
  %0 = arith.shrui %a, %b : i8
  return %0 : i8
}

// What is out of range becomes the nearest integer, in lanes, too.
// CHECK-LABEL: llvm.func @convert(
// CHECK-NOT: {{llvm.fpto[su]i }}
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%{{.*}}) : (f32) -> i32
// CHECK: llvm.call_intrinsic "llvm.fptoui.sat"(%{{.*}}) : (f64) -> i64
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%{{.*}}) : (vector<4xf32>) -> vector<4xi32>
func.func @convert(%a: f32, %b: f64, %c: vector<4xf32>, %context: !llvm.ptr) -> (i32, i64, vector<4xi32>) {
  %0 = arith.fptosi %a : f32 to i32
  %1 = arith.fptoui %b : f64 to i64
  %2 = arith.fptosi %c : vector<4xf32> to vector<4xi32>
  return %0, %1, %2 : i32, i64, vector<4xi32>
}
