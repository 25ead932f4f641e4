// Ranks log other numbers, and so reduce other numbers of them.
// Thread: https://github.com/Lightning-AI/pytorch-lightning/issues/19106
// Keys that only some ranks log are reduced by those alone: a deadlock.
// RUN: not dist-opt %s --split-input-file --collective-verify-order 2>&1 | FileCheck %s

module @bug {
collective.group @world
func.func @log(%flag: i1, %v: tensor<f32>) {
    scf.if %flag {
      // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: not all ranks reach 'collective.all_reduce' equally often
      %0 = collective.all_reduce mean %v on @world : tensor<f32>
    }
    return
}
}
