// The flags that people know from mlir-opt: several programs in a file, times, pipelines as text, reproducers of crashes.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(collective-fuse)" | FileCheck %s
// RUN: dist-opt %s --split-input-file --verify-diagnostics --collective-fuse --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMES
// Tests ask for --verify-each; a program is verified once, after all passes, where nobody does (the quotes hide the name from lit).
// RUN: dist''-opt %s --split-input-file --verify-diagnostics --collective-fuse --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: dist-opt %s --split-input-file --verify-diagnostics --collective-fuse --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: rm -f %t.reproducer
// RUN: split-file %s %t
// RUN: not dist-opt %t/fails.mlir --specialize-world="ranks=0" --mlir-pass-pipeline-crash-reproducer=%t.reproducer 2> %t.said
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t.reproducer
// RUN: not dist-opt %t.reproducer --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN

// CHECK-LABEL: func.func @two_sums
// CHECK: collective.all_reduce sum %{{.*}}, %{{.*}} on @world
// TIMES: {{[0-9.]+}} ( {{.*}}%) {{.*}}CollectiveFuse
// ONCE: VerifyProgram
// EACH-NOT: VerifyProgram
// REPRODUCER: mlir_reproducer
// REPRODUCER: specialize-world
// AGAIN: error: specialize-world needs a number of ranks

func.func @two_sums(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %x = collective.all_reduce sum %a on @world : tensor<4xf32>
  %y = collective.all_reduce sum %b on @world : tensor<2xf32>
  return %x, %y : tensor<4xf32>, tensor<2xf32>
}
collective.group @world

// -----

func.func @nobody_is_the_group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{@nobody}}
  %x = collective.all_reduce sum %a on @nobody : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

//--- fails.mlir
module attributes {train.program} {
  collective.group @world
  func.func @initialize() { return }
  func.func @step() { return }
}
