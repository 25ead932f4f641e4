// A program of our dialects becomes smaller while it still has what a script looks for.
// RUN: dist-reduce %s --reduction-tree="traversal-mode=0 test=%S/keep.sh" | FileCheck %s

// CHECK-NOT: @unrelated
// CHECK: collective.all_reduce
func.func @unrelated(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = arith.addf %a, %a : tensor<4xf32>
  return %b : tensor<4xf32>
}
func.func @sums(%a: tensor<4xf32>) -> tensor<4xf32> {
  %x = collective.all_reduce sum %a on @world : tensor<4xf32>
  return %x : tensor<4xf32>
}
collective.group @world
