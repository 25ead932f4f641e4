// A rank that sends and receives.
module attributes {train.program} {
  collective.group @world
  train.dataset @data
  func.func @initialize() { return }
  func.func @forward(%a: tensor<4xf32> {train.input = #train.input<"a", @data>}) -> (tensor<4xf32> {train.output = "b"}) {
    %peer = arith.constant 1 : index
    collective.send %a to %peer tag 3 on @world : tensor<4xf32>
    %b = collective.recv from %peer tag 4 on @world : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
