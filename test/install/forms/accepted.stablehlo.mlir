// In generic StableHLO.
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @initialize(%w: tensor<512xf32>, %v: tensor<2xf32>) -> (tensor<512xf32>, tensor<2xf32>) {
    %w0 = "stablehlo.collective_broadcast"(%w) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<512xf32>) -> tensor<512xf32>
    %v0 = "stablehlo.collective_broadcast"(%v) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    return %w0, %v0 : tensor<512xf32>, tensor<2xf32>
  }
  func.func @step(%a: tensor<1024xf32>, %b: tensor<256xf32>, %c: tensor<64xf32>, %d: tensor<2048xf32>, %e: tensor<512xf32>, %f: tensor<16xf32>) -> (tensor<1024xf32>, tensor<256xf32>, tensor<64xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<16xf32>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %a1 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
    }) : (tensor<1024xf32>) -> tensor<1024xf32>
    %b1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
    }) : (tensor<256xf32>) -> tensor<256xf32>
    %c1 = "stablehlo.all_reduce"(%c) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = "stablehlo.maximum"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %d1 = "stablehlo.all_reduce"(%d) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
    }) : (tensor<2048xf32>) -> tensor<2048xf32>
    %e1 = "stablehlo.all_reduce"(%e) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
    }) : (tensor<512xf32>) -> tensor<512xf32>
    %f1 = scf.for %i = %zero to %three step %one iter_args(%now = %f) -> (tensor<16xf32>) {
      %next = "stablehlo.all_reduce"(%now) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%z) : (tensor<f32>) -> ()
      }) : (tensor<16xf32>) -> tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
    return %a1, %b1, %c1, %d1, %e1, %f1 : tensor<1024xf32>, tensor<256xf32>, tensor<64xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<16xf32>
  }
}
