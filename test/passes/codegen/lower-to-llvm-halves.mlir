// Arithmetic on 16-bit floats is done in f32 and rounded once an operation: no processor needs
// instructions, or functions in their place, that another lacks.
// RUN: dist-opt %s --lower-to-llvm | FileCheck %s --implicit-check-not="fptrunc{{.*}} to bf16" --implicit-check-not="llvm.fmul{{.*}}: bf16" --implicit-check-not="llvm.fadd{{.*}}: f16"

// CHECK-LABEL: llvm.func @bf16
// CHECK: llvm.fmul {{.*}} : f32
// CHECK: llvm.fadd {{.*}} : f32
// CHECK: llvm.fcmp "olt" {{.*}} : f32
func.func @bf16(%a: bf16, %b: bf16) -> (bf16, i1) {
  %product = arith.mulf %a, %b : bf16
  %sum = arith.addf %product, %b : bf16
  %less = arith.cmpf olt, %a, %sum : bf16
  return %sum, %less : bf16, i1
}

// CHECK-LABEL: llvm.func @f16
// CHECK: llvm.fadd {{.*}} : vector<8xf32>
// CHECK: llvm.fptrunc {{.*}} : vector<8xf32> to vector<8xf16>
func.func @f16(%a: vector<8xf16>, %b: vector<8xf16>) -> vector<8xf16> {
  %sum = arith.addf %a, %b : vector<8xf16>
  return %sum : vector<8xf16>
}

// Functions of mathematics, and numbers from integers.
// CHECK-LABEL: llvm.func @functions
// CHECK: llvm.intr.sqrt({{.*}}) : (f32) -> f32
// CHECK: llvm.sitofp {{.*}} : i64 to f32
func.func @functions(%a: bf16, %n: i64) -> (bf16, bf16) {
  %root = math.sqrt %a : bf16
  %number = arith.sitofp %n : i64 to bf16
  return %root, %number : bf16, bf16
}

// From f64 by way of f32, as PyTorch does.
// CHECK-LABEL: llvm.func @from_f64
// CHECK: llvm.fptrunc {{.*}} : f64 to f32
func.func @from_f64(%a: f64) -> bf16 {
  %narrow = arith.truncf %a : f64 to bf16
  return %narrow : bf16
}
