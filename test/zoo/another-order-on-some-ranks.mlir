// Ranks reduce the same values in another order.
// Thread: https://github.com/pytorch/pytorch/issues/64629
// Gradients became ready in another order on some ranks, which reduced them in that order.
// RUN: not dist-opt %s --split-input-file --collective-verify-order="ranks=4" 2>&1 | FileCheck %s

module @bug {
collective.group @world
func.func @step(%v: tensor<4xf32>, %u: tensor<2xf32>) {
    %rank = collective.rank on @world : index
    %zero = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %rank, %zero : index
    scf.if %isFirst {
      // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: {{.*}}'collective.all_reduce'{{.*}}
      %0 = collective.all_reduce mean %v on @world : tensor<4xf32>
      %1 = collective.all_reduce mean %u on @world : tensor<2xf32>
    } else {
      %2 = collective.all_reduce mean %u on @world : tensor<2xf32>
      %3 = collective.all_reduce mean %v on @world : tensor<4xf32>
    }
    return
}
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
module @repaired {
collective.group @world
func.func @step(%v: tensor<4xf32>, %u: tensor<2xf32>) {
      %0 = collective.all_reduce mean %v on @world : tensor<4xf32>
      %1 = collective.all_reduce mean %u on @world : tensor<2xf32>
    return
}
}
