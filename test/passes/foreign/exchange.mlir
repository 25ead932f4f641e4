// Each communication pass on a dialect that it has not heard of, beside the same program in our own.
// RUN: %foreign %s --split-input-file --collective-fuse | FileCheck %s --check-prefix=FUSE
// RUN: %foreign %s --split-input-file --collective-simplify | FileCheck %s --check-prefix=SIMPLIFY
// RUN: %foreign %s --split-input-file --collective-overlap | FileCheck %s --check-prefix=OVERLAP
// RUN: %foreign %s --split-input-file --collective-hierarchy="ranks-per-node=2" | FileCheck %s --check-prefix=NODES

exchange.ring @all ranks 4

// FUSE-LABEL: func.func @theirs
// FUSE: %[[R:.*]]:2 = exchange.share all_reduce by mean (%{{.*}}, %{{.*}}) around @all : (tensor<8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>)
// SIMPLIFY-LABEL: func.func @theirs
// SIMPLIFY: exchange.share all_reduce by mean
// SIMPLIFY: exchange.share all_reduce by mean
// SIMPLIFY: exchange.share reduce_scatter by sum (%{{.*}}) around @all : (tensor<8xf32>) -> tensor<2xf32>
// OVERLAP-LABEL: func.func @theirs
// OVERLAP: %[[T:.*]] = exchange.post {
// OVERLAP-NEXT: exchange.share all_reduce by mean
// OVERLAP-NEXT: exchange.hand
// OVERLAP: exchange.fetch
// NODES: exchange.ring @node divided #collective.blocks<2>
// NODES: exchange.ring @across_nodes divided #collective.strided<2>
// NODES-LABEL: func.func @theirs
// NODES: exchange.share reduce_scatter by sum (%{{.*}}) around @node : (tensor<8xf32>) -> tensor<4xf32>
// NODES: exchange.share all_reduce by sum (%{{.*}}) around @across_nodes : (tensor<4xf32>) -> tensor<4xf32>
// NODES: exchange.share all_gather (%{{.*}}) around @node : (tensor<4xf32>) -> tensor<8xf32>
func.func @theirs(%a: tensor<8xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<2xf32>) {
  %a2 = arith.mulf %a, %a : tensor<8xf32>
  %b2 = arith.mulf %b, %b : tensor<4xf32>
  %ra = exchange.share all_reduce by mean (%a2) around @all : (tensor<8xf32>) -> tensor<8xf32>
  %rb = exchange.share all_reduce by mean (%b2) around @all : (tensor<4xf32>) -> tensor<4xf32>
  %rank = exchange.ask rank around @all
  %two = arith.constant 2 : index
  %at = arith.muli %rank, %two : index
  %whole = exchange.share all_reduce by sum (%a) around @all : (tensor<8xf32>) -> tensor<8xf32>
  %own = tensor.extract_slice %whole[%at] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %ra, %rb, %own : tensor<8xf32>, tensor<4xf32>, tensor<2xf32>
}

// -----

collective.group @all {size = 4 : i64}

// FUSE-LABEL: func.func @ours
// FUSE: %[[R:.*]]:2 = collective.all_reduce mean %{{.*}}, %{{.*}} on @all : tensor<8xf32>, tensor<4xf32>
// SIMPLIFY-LABEL: func.func @ours
// SIMPLIFY: collective.all_reduce mean
// SIMPLIFY: collective.all_reduce mean
// SIMPLIFY: collective.reduce_scatter sum %{{.*}} along 0 on @all : tensor<8xf32> -> tensor<2xf32>
// OVERLAP-LABEL: func.func @ours
// OVERLAP: collective.async {
// OVERLAP-NEXT: collective.all_reduce mean
// OVERLAP-NEXT: collective.yield
// OVERLAP: collective.await
// NODES: collective.group @node members(#collective.blocks<2>)
// NODES: collective.group @across_nodes members(#collective.strided<2>)
// NODES-LABEL: func.func @ours
// NODES: collective.reduce_scatter sum %{{.*}} along 0 on @node : tensor<8xf32> -> tensor<4xf32>
// NODES: collective.all_reduce sum %{{.*}} on @across_nodes : tensor<4xf32>
// NODES: collective.all_gather %{{.*}} along 0 on @node : tensor<4xf32> -> tensor<8xf32>
func.func @ours(%a: tensor<8xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<2xf32>) {
  %a2 = arith.mulf %a, %a : tensor<8xf32>
  %b2 = arith.mulf %b, %b : tensor<4xf32>
  %ra = collective.all_reduce mean %a2 on @all : tensor<8xf32>
  %rb = collective.all_reduce mean %b2 on @all : tensor<4xf32>
  %rank = collective.rank on @all : index
  %two = arith.constant 2 : index
  %at = arith.muli %rank, %two : index
  %whole = collective.all_reduce sum %a on @all : tensor<8xf32>
  %own = tensor.extract_slice %whole[%at] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %ra, %rb, %own : tensor<8xf32>, tensor<4xf32>, tensor<2xf32>
}
