// A perceptron of two layers, one step of training written out. Each value says where it lies: the hidden units are divided
// among the processes of the grid, everything else is on all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#x = affine_map<(n, j, c, h, w) -> (n, c, h, w)>
#w1 = affine_map<(n, j, c, h, w) -> (j, c, h, w)>
#h = affine_map<(n, j, c, h, w) -> (n, j)>
#x_back = affine_map<(j, c, h, w, n) -> (n, c, h, w)>
#h_back = affine_map<(j, c, h, w, n) -> (n, j)>
#w1_back = affine_map<(j, c, h, w, n) -> (j, c, h, w)>
#jchw = affine_map<(j, c, h, w) -> (j, c, h, w)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#sum = affine_map<(i, j) -> ()>
#njo_h = affine_map<(n, j, o) -> (n, j)>
#njo_d = affine_map<(n, j, o) -> (n, o)>
#njo_w = affine_map<(n, j, o) -> (j, o)>
#jon_h = affine_map<(j, o, n) -> (n, j)>
#jon_d = affine_map<(j, o, n) -> (n, o)>
#jon_w = affine_map<(j, o, n) -> (j, o)>

module attributes {train.program} {
  shard.grid @grid(shape = 4)
  train.dataset @data {global_batch = 64 : i64}

  func.func @initialize() -> (tensor<32x1x8x8xf32> {train.variable = #train.variable<"first", trainable>},
                              tensor<32x10xf32> {train.variable = #train.variable<"second", trainable>}) {
    %all = shard.sharding @grid split_axes = [[]] : !shard.sharding
    %c7 = arith.constant 7 : index
    %middle = arith.constant -3.0 : f32
    %scale = arith.constant 0.02 : f32
    %0 = tensor.empty() : tensor<32x1x8x8xf32>
    %1 = linalg.generic {indexing_maps = [#jchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        outs(%0 : tensor<32x1x8x8xf32>) {
    ^bb0(%old: f32):
      %unit = linalg.index 0 : index
      %y = linalg.index 2 : index
      %x = linalg.index 3 : index
      %2 = arith.muli %y, %unit : index
      %3 = arith.addi %2, %x : index
      %4 = arith.remui %3, %c7 : index
      %5 = arith.index_cast %4 : index to i32
      %6 = arith.sitofp %5 : i32 to f32
      %7 = arith.addf %6, %middle : f32
      %8 = arith.mulf %7, %scale : f32
      linalg.yield %8 : f32
    } -> tensor<32x1x8x8xf32>
    %first = shard.shard %1 to %all : tensor<32x1x8x8xf32>
    %first_out = shard.shard %first to %all annotate_for_users : tensor<32x1x8x8xf32>
    %9 = tensor.empty() : tensor<32x10xf32>
    %10 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<32x10xf32>) {
    ^bb0(%old: f32):
      %unit = linalg.index 0 : index
      %class = linalg.index 1 : index
      %11 = arith.muli %unit, %class : index
      %12 = arith.addi %11, %unit : index
      %13 = arith.remui %12, %c7 : index
      %14 = arith.index_cast %13 : index to i32
      %15 = arith.sitofp %14 : i32 to f32
      %16 = arith.addf %15, %middle : f32
      %17 = arith.mulf %16, %scale : f32
      linalg.yield %17 : f32
    } -> tensor<32x10xf32>
    %second = shard.shard %10 to %all : tensor<32x10xf32>
    %second_out = shard.shard %second to %all annotate_for_users : tensor<32x10xf32>
    return %first_out, %second_out : tensor<32x1x8x8xf32>, tensor<32x10xf32>
  }

  func.func @step(%w1: tensor<32x1x8x8xf32> {train.variable = #train.variable<"first", trainable>},
                  %w2: tensor<32x10xf32> {train.variable = #train.variable<"second", trainable>},
                  %x: tensor<64x1x8x8xf32> {train.input = #train.input<"input", @data>},
                  %label: tensor<64xi64> {train.input = #train.input<"label", @data>})
      -> (tensor<32x1x8x8xf32> {train.variable = #train.variable<"first", trainable>},
          tensor<32x10xf32> {train.variable = #train.variable<"second", trainable>},
          tensor<f32> {train.metric = "loss"}) {
    %all = shard.sharding @grid split_axes = [[]] : !shard.sharding
    %units_of_w = shard.sharding @grid split_axes = [[0]] : !shard.sharding
    %units_of_h = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %per_value = arith.constant 0.0015625 : f32
    %rate = arith.constant 1.0 : f32

    %w1_in = shard.shard %w1 to %all : tensor<32x1x8x8xf32>
    %w2_in = shard.shard %w2 to %all : tensor<32x10xf32>
    %x_in = shard.shard %x to %all : tensor<64x1x8x8xf32>
    %label_in = shard.shard %label to %all : tensor<64xi64>
    %label_use = shard.shard %label_in to %all annotate_for_users : tensor<64xi64>
    %x_use = shard.shard %x_in to %all annotate_for_users : tensor<64x1x8x8xf32>
    %w1_use = shard.shard %w1_in to %units_of_w annotate_for_users : tensor<32x1x8x8xf32>
    %w2_use = shard.shard %w2_in to %units_of_w annotate_for_users : tensor<32x10xf32>

    // Forward: h = relu(x w1), y = h w2.
    %h_empty = tensor.empty() : tensor<64x32xf32>
    %h_zero = linalg.fill ins(%zero : f32) outs(%h_empty : tensor<64x32xf32>) -> tensor<64x32xf32>
    %xw1 = linalg.generic {indexing_maps = [#x, #w1, #h], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%x_use, %w1_use : tensor<64x1x8x8xf32>, tensor<32x1x8x8xf32>) outs(%h_zero : tensor<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<64x32xf32>
    %h_out = tensor.empty() : tensor<64x32xf32>
    %h_relu = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%xw1 : tensor<64x32xf32>) outs(%h_out : tensor<64x32xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.maximumf %a, %zero : f32
      linalg.yield %m : f32
    } -> tensor<64x32xf32>
    %h = shard.shard %h_relu to %units_of_h : tensor<64x32xf32>
    %h_use = shard.shard %h to %units_of_h annotate_for_users : tensor<64x32xf32>
    %y_empty = tensor.empty() : tensor<64x10xf32>
    %y_zero = linalg.fill ins(%zero : f32) outs(%y_empty : tensor<64x10xf32>) -> tensor<64x10xf32>
    %hw2 = linalg.matmul ins(%h_use, %w2_use : tensor<64x32xf32>, tensor<32x10xf32>) outs(%y_zero : tensor<64x10xf32>) -> tensor<64x10xf32>
    %y = shard.shard %hw2 to %all : tensor<64x10xf32>
    %y_use = shard.shard %y to %all annotate_for_users : tensor<64x10xf32>

    // The error of each value, and what the loss is.
    %d_empty = tensor.empty() : tensor<64x10xf32>
    %d_raw = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_use, %label_use : tensor<64x10xf32>, tensor<64xi64>) outs(%d_empty : tensor<64x10xf32>) {
    ^bb0(%a: f32, %l: i64, %o: f32):
      %class = linalg.index 1 : index
      %c = arith.index_cast %class : index to i64
      %is = arith.cmpi eq, %c, %l : i64
      %want = arith.select %is, %one, %zero : f32
      %e = arith.subf %a, %want : f32
      linalg.yield %e : f32
    } -> tensor<64x10xf32>
    %d = shard.shard %d_raw to %all : tensor<64x10xf32>
    %d_use = shard.shard %d to %all annotate_for_users : tensor<64x10xf32>
    %loss_empty = tensor.empty() : tensor<f32>
    %loss_zero = linalg.fill ins(%zero : f32) outs(%loss_empty : tensor<f32>) -> tensor<f32>
    %loss_raw = linalg.generic {indexing_maps = [#ij, #sum], iterator_types = ["reduction", "reduction"]}
        ins(%d_use : tensor<64x10xf32>) outs(%loss_zero : tensor<f32>) {
    ^bb0(%a: f32, %acc: f32):
      %p = arith.mulf %a, %a : f32
      %q = arith.mulf %p, %per_value : f32
      %s = arith.addf %acc, %q : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %loss = shard.shard %loss_raw to %all : tensor<f32>
    %loss_use = shard.shard %loss to %all annotate_for_users : tensor<f32>

    // Backward.
    %g2_empty = tensor.empty() : tensor<32x10xf32>
    %g2_zero = linalg.fill ins(%zero : f32) outs(%g2_empty : tensor<32x10xf32>) -> tensor<32x10xf32>
    %g2_raw = linalg.generic {indexing_maps = [#jon_h, #jon_d, #jon_w], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h_use, %d_use : tensor<64x32xf32>, tensor<64x10xf32>) outs(%g2_zero : tensor<32x10xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<32x10xf32>
    %g2 = shard.shard %g2_raw to %units_of_w : tensor<32x10xf32>
    %g2_use = shard.shard %g2 to %units_of_w annotate_for_users : tensor<32x10xf32>
    %gh_empty = tensor.empty() : tensor<64x32xf32>
    %gh_zero = linalg.fill ins(%zero : f32) outs(%gh_empty : tensor<64x32xf32>) -> tensor<64x32xf32>
    %gh_raw = linalg.generic {indexing_maps = [#njo_d, #njo_w, #njo_h], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%d_use, %w2_use : tensor<64x10xf32>, tensor<32x10xf32>) outs(%gh_zero : tensor<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<64x32xf32>
    %gh = shard.shard %gh_raw to %units_of_h : tensor<64x32xf32>
    %gh_use = shard.shard %gh to %units_of_h annotate_for_users : tensor<64x32xf32>
    %gr_empty = tensor.empty() : tensor<64x32xf32>
    %gr_raw = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%gh_use, %h_use : tensor<64x32xf32>, tensor<64x32xf32>) outs(%gr_empty : tensor<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %on = arith.cmpf ogt, %b, %zero : f32
      %g = arith.select %on, %a, %zero : f32
      linalg.yield %g : f32
    } -> tensor<64x32xf32>
    %gr = shard.shard %gr_raw to %units_of_h : tensor<64x32xf32>
    %gr_use = shard.shard %gr to %units_of_h annotate_for_users : tensor<64x32xf32>
    %g1_empty = tensor.empty() : tensor<32x1x8x8xf32>
    %g1_zero = linalg.fill ins(%zero : f32) outs(%g1_empty : tensor<32x1x8x8xf32>) -> tensor<32x1x8x8xf32>
    %g1_raw = linalg.generic {indexing_maps = [#x_back, #h_back, #w1_back], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
        ins(%x_use, %gr_use : tensor<64x1x8x8xf32>, tensor<64x32xf32>) outs(%g1_zero : tensor<32x1x8x8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<32x1x8x8xf32>
    %g1 = shard.shard %g1_raw to %units_of_w : tensor<32x1x8x8xf32>
    %g1_use = shard.shard %g1 to %units_of_w annotate_for_users : tensor<32x1x8x8xf32>

    // Update: each process its own units; then all get all.
    %n1_empty = tensor.empty() : tensor<32x1x8x8xf32>
    %n1_raw = linalg.generic {indexing_maps = [#jchw, #jchw, #jchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%w1_use, %g1_use : tensor<32x1x8x8xf32>, tensor<32x1x8x8xf32>) outs(%n1_empty : tensor<32x1x8x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %b, %per_value : f32
      %q = arith.mulf %p, %rate : f32
      %s = arith.subf %a, %q : f32
      linalg.yield %s : f32
    } -> tensor<32x1x8x8xf32>
    %n1 = shard.shard %n1_raw to %units_of_w : tensor<32x1x8x8xf32>
    %n1_out = shard.shard %n1 to %all annotate_for_users : tensor<32x1x8x8xf32>
    %n2_empty = tensor.empty() : tensor<32x10xf32>
    %n2_raw = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%w2_use, %g2_use : tensor<32x10xf32>, tensor<32x10xf32>) outs(%n2_empty : tensor<32x10xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %b, %per_value : f32
      %q = arith.mulf %p, %rate : f32
      %s = arith.subf %a, %q : f32
      linalg.yield %s : f32
    } -> tensor<32x10xf32>
    %n2 = shard.shard %n2_raw to %units_of_w : tensor<32x10xf32>
    %n2_out = shard.shard %n2 to %all annotate_for_users : tensor<32x10xf32>
    return %n1_out, %n2_out, %loss_use : tensor<32x1x8x8xf32>, tensor<32x10xf32>, tensor<f32>
  }
}
