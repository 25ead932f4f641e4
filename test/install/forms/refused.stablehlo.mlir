// In generic StableHLO: only ranks that say so take part.
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @step(%mine: i1, %a: tensor<64xf32>) -> tensor<64xf32> {
    %r = scf.if %mine -> (tensor<64xf32>) {
      %sum = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%z) : (tensor<f32>) -> ()
      }) : (tensor<64xf32>) -> tensor<64xf32>
      scf.yield %sum : tensor<64xf32>
    } else {
      scf.yield %a : tensor<64xf32>
    }
    return %r : tensor<64xf32>
  }
}
