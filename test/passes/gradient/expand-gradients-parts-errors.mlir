// RUN: dist-opt %s --train-expand-gradients --split-input-file --verify-diagnostics

func.func @table_of_unknown_size(%t: tensor<?x2xf32>, %i: tensor<3xi64>) -> tensor<?x2xf32> {
  // expected-error @below {{has no gradient for 'tensor<?x2xf32>': the size of dimension 0 is not known}}
  %0 = onnx.Gather %t, %i : (tensor<?x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  %g = train.gradient %0 wrt %t : tensor<3x2xf32> wrt tensor<?x2xf32>
  return %g : tensor<?x2xf32>
}

// -----

func.func @two_unknown_sizes(%t: tensor<?x5xf32>, %i: tensor<?x2xi64>) -> tensor<?x5xf32> {
  // expected-error @below {{cannot bring its gradient into rows: more than one dimension of}}
  %0 = onnx.Gather %t, %i {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>) -> tensor<?x?x2xf32>
  %g = train.gradient %0 wrt %t : tensor<?x?x2xf32> wrt tensor<?x5xf32>
  return %g : tensor<?x5xf32>
}

// -----

func.func @parts_of_unknown_size(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-error @below {{cannot cut its gradient along dimension 0, along which the size of an operand varies}}
  %0 = onnx.Concat %x, %x {axis = 0 : i64} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %g = train.gradient %0 wrt %x : tensor<?x2xf32> wrt tensor<?x2xf32>
  return %g : tensor<?x2xf32>
}
