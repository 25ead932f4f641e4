// Least squares: one plane through samples that lie on it, y = x0 - 2 x1 + 3 x2 - 4 x3 + 0.5. Written for one device, in
// MLIR's own dialects but for the roles of values and the update. @main trains; it asks which rank it is to know which
// samples are its own, and is a program of one rank where nothing distributes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#jn_n = affine_map<(j, n) -> (n)>
#jn_j = affine_map<(j, n) -> (j)>
#jn_nj = affine_map<(j, n) -> (n, j)>
#one = affine_map<(n) -> (n)>
#none = affine_map<(n) -> ()>

module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64}

  func.func @initialize() -> (tensor<5xf32> {train.variable = #train.variable<"w", trainable>}) {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<5xf32>
    %w = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
    return %w : tensor<5xf32>
  }

  // One step on a batch of any size: %x holds a 1 after the four inputs of each sample.
  func.func @step(%w: tensor<5xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<?x5xf32> {train.input = #train.input<"x", @data>},
                  %y: tensor<?xf32> {train.input = #train.input<"y", @data>})
      -> (tensor<5xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.metric = "loss"}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %rate = arith.constant dense<0.5> : tensor<f32>
    %size = tensor.dim %y, %c0 : tensor<?xf32>
    %size_i64 = arith.index_cast %size : index to i64
    %count = arith.sitofp %size_i64 : i64 to f32

    // The error of each sample.
    %e_empty = tensor.empty(%size) : tensor<?xf32>
    %e_start = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%y : tensor<?xf32>) outs(%e_empty : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %minus = arith.negf %a : f32
      linalg.yield %minus : f32
    } -> tensor<?xf32>
    %e = linalg.matvec ins(%x, %w : tensor<?x5xf32>, tensor<5xf32>) outs(%e_start : tensor<?xf32>) -> tensor<?xf32>

    // The mean of the squares, and its gradient.
    %l_empty = tensor.empty() : tensor<f32>
    %l_zero = linalg.fill ins(%zero : f32) outs(%l_empty : tensor<f32>) -> tensor<f32>
    %loss = linalg.generic {indexing_maps = [#one, #none], iterator_types = ["reduction"]}
        ins(%e : tensor<?xf32>) outs(%l_zero : tensor<f32>) {
    ^bb0(%a: f32, %sum: f32):
      %square = arith.mulf %a, %a : f32
      %share = arith.divf %square, %count : f32
      %next = arith.addf %sum, %share : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %g_empty = tensor.empty() : tensor<5xf32>
    %g_zero = linalg.fill ins(%zero : f32) outs(%g_empty : tensor<5xf32>) -> tensor<5xf32>
    %g = linalg.generic {indexing_maps = [#jn_nj, #jn_n, #jn_j], iterator_types = ["parallel", "reduction"]}
        ins(%x, %e : tensor<?x5xf32>, tensor<?xf32>) outs(%g_zero : tensor<5xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %product = arith.mulf %a, %b : f32
      %share = arith.divf %product, %count : f32
      %next = arith.addf %sum, %share : f32
      linalg.yield %next : f32
    } -> tensor<5xf32>

    %new = train.sgd %w gradient %g rate %rate : tensor<5xf32>, tensor<f32>
    return %new, %loss : tensor<5xf32>, tensor<f32>
  }

  // Value j of sample n, between -1 and 1.
  func.func private @value(%n: index, %j: index) -> f32 {
    %c7 = arith.constant 7 : index
    %c13 = arith.constant 13 : index
    %c31 = arith.constant 31 : index
    %scale = arith.constant 15.0 : f32
    %one = arith.constant 1.0 : f32
    %0 = arith.addi %n, %c7 : index
    %1 = arith.addi %j, %c13 : index
    %2 = arith.muli %0, %1 : index
    %3 = arith.muli %2, %2 : index
    %4 = arith.muli %n, %j : index
    %5 = arith.addi %3, %4 : index
    %6 = arith.remui %5, %c31 : index
    %7 = arith.index_cast %6 : index to i64
    %8 = arith.sitofp %7 : i64 to f32
    %9 = arith.divf %8, %scale : f32
    %10 = arith.subf %9, %one : f32
    return %10 : f32
  }

  func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %steps = arith.constant 200 : index
    %one = arith.constant 1.0 : f32
    %plane = arith.constant dense<[1.0, -2.0, 3.0, -4.0, 0.5]> : tensor<5xf32>
    %zero = arith.constant 0.0 : f32
    %rank = collective.rank on @world : index
    %ranks = collective.size on @world : index
    %mine = arith.divui %c64, %ranks : index

    %w0 = call @initialize() : () -> tensor<5xf32>
    %w = scf.for %step = %c0 to %steps step %c1 iter_args(%now = %w0) -> tensor<5xf32> {
      %first = arith.muli %step, %c64 : index
      // Samples of a step go round the ranks.
      %x = tensor.generate %mine {
      ^bb0(%n: index, %j: index):
        %0 = arith.muli %n, %ranks : index
        %1 = arith.addi %0, %rank : index
        %sample = arith.addi %first, %1 : index
        %input = func.call @value(%sample, %j) : (index, index) -> f32
        %is_one = arith.cmpi eq, %j, %c4 : index
        %value = arith.select %is_one, %one, %input : f32
        tensor.yield %value : f32
      } : tensor<?x5xf32>
      %y_empty = tensor.empty(%mine) : tensor<?xf32>
      %y_zero = linalg.fill ins(%zero : f32) outs(%y_empty : tensor<?xf32>) -> tensor<?xf32>
      %y = linalg.matvec ins(%x, %plane : tensor<?x5xf32>, tensor<5xf32>) outs(%y_zero : tensor<?xf32>) -> tensor<?xf32>
      %next, %loss = func.call @step(%now, %x, %y) : (tensor<5xf32>, tensor<?x5xf32>, tensor<?xf32>) -> (tensor<5xf32>, tensor<f32>)
      scf.yield %next : tensor<5xf32>
    }

    %is_first = arith.cmpi eq, %rank, %c0 : index
    scf.if %is_first {
      %any = tensor.cast %w : tensor<5xf32> to tensor<*xf32>
      func.call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
    }
    return
  }
}
