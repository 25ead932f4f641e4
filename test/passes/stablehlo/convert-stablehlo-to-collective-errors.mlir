// Communication of StableHLO that collectives cannot say.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --convert-stablehlo-to-collective

func.func @other_reduction(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.all_reduce' reduces by something else than one add, multiply, maximum or minimum of its two arguments}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = "stablehlo.subtract"(%b, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @same_argument(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{reduces by something else than one add}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = "stablehlo.add"(%b, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @bits(%a: tensor<4xi1>) -> tensor<4xi1> {
  // expected-error @+1 {{'stablehlo.all_reduce' is of 'tensor<4xi1>', which ranks cannot reduce}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%b: tensor<i1>, %c: tensor<i1>):
    %1 = "stablehlo.or"(%b, %c) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }) : (tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @promoted(%a: tensor<4xbf16>) -> tensor<4xf32> {
  // expected-error @+1 {{reduces 'tensor<4xbf16>' to 'tensor<4xf32>': another element type}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = "stablehlo.add"(%b, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<4xbf16>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @twice(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{names replica 1 in replica_groups, which it names twice or which is not among 2}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @mesh(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has replica_groups of another form; expected lists of replicas}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = ["x"]>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @partitions(%a: tensor<4xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{numbers replicas in a module of several partitions; expected global device ids}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @left_out(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'stablehlo.collective_broadcast' leaves out replicas, which get zeros; expected groups of all 4}}
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

func.func @computed_root(%a: tensor<4xf32>, %r: tensor<1xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{has a root that is computed}}
  %0 = "stablehlo.collective_broadcast"(%a, %r) <{has_dynamic_root = true, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @two_targets(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has the pair [0, 2], of which one side is in another pair, or not among 3 replicas}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_rows(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'stablehlo.collective_permute' needs a tensor with rows}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @leaves(%a: tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>> {
  // expected-error @+1 {{'stablehlo.async_start' has a future that leaves its block, or is awaited twice}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    %1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    "stablehlo.return"(%1) : (tensor<8xf32>) -> ()
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  return %0 : !stablehlo.future<tensor<8xf32>>
}
