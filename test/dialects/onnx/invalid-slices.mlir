// What is refused, and by wrong result types what is inferred.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @where_c2(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+2 {{needs operands of one element type, but has 'tensor<4xf32>' and 'tensor<4xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Where %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----
func.func @where_c1(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error @+2 {{cannot broadcast shapes [3] and [4] to one shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Where %c, %x, %x : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @less_gives_truths(%a: tensor<?x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3xi1>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Less %a, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<i1>
  return
}

// -----
func.func @max_c3() {
  // expected-error @+2 {{needs at least one operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Max : () -> tensor<f32>
  return
}

// -----
func.func @clip_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{needs a scalar max, but it is 'tensor<4xf32>'}}
  %0 = onnx.Clip %x max %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @gelu_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{has approximate = 'fast', which is neither 'none' nor 'tanh'}}
  %0 = onnx.Gelu %x {approximate = "fast"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @slice_c1(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{needs one start, end and step that is not 0 for each of some distinct dimensions of 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {ends = array<i64: 1, 2>, starts = array<i64: 0>} : (tensor<4x5xf32>) -> tensor<1x5xf32>
  return
}

// -----
func.func @slice_c2(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{needs one start, end and step that is not 0 for each of some distinct dimensions of 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {axes = array<i64: 1, -1>, ends = array<i64: 1, 2>, starts = array<i64: 0, 0>} : (tensor<4x5xf32>) -> tensor<4x1xf32>
  return
}

// -----
func.func @slice_c3(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{needs one start, end and step that is not 0 for each of some distinct dimensions of 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {ends = array<i64: 1>, starts = array<i64: 0>, steps = array<i64: 0>} : (tensor<4x5xf32>) -> tensor<1x5xf32>
  return
}

// -----
func.func @slice_clamped(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {ends = array<i64: 100>, starts = array<i64: -100>, steps = array<i64: 1>} : (tensor<4x5xf32>) -> tensor<f64>
  return
}

// -----
func.func @slice_of_nothing(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<0x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {ends = array<i64: 1>, starts = array<i64: 3>, steps = array<i64: 1>} : (tensor<4x5xf32>) -> tensor<f64>
  return
}

// -----
func.func @slice_with_a_rest(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {ends = array<i64: 4>, starts = array<i64: 0>, steps = array<i64: 3>} : (tensor<4x5xf32>) -> tensor<f64>
  return
}

// -----
func.func @slice_backwards(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {ends = array<i64: -100>, starts = array<i64: -1>, steps = array<i64: -3>} : (tensor<4x5xf32>) -> tensor<f64>
  return
}

// -----
func.func @slice_backwards_of_nothing(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<0x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {ends = array<i64: 3>, starts = array<i64: 0>, steps = array<i64: -1>} : (tensor<4x5xf32>) -> tensor<f64>
  return
}

// -----
func.func @slice_of_most(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Slice %x {ends = array<i64: 9223372036854775807>, starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<4x5xf32>) -> tensor<f64>
  return
}

// -----
func.func @slicegrad_c2(%d: tensor<2x5xf32>, %x: tensor<4x5xf32>) {
  // expected-error @+2 {{needs dY of shape [1, 5], but it is 'tensor<2x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.SliceGrad %d, %x {ends = array<i64: 1>, starts = array<i64: 0>} : (tensor<2x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
func.func @expand_c2(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{cannot expand 'tensor<4x5xf32>' to shape [3, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Expand %x {shape = array<i64: 3, 5>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
func.func @expand_c3(%x: tensor<5xf32>) {
  // expected-error @+2 {{cannot expand 'tensor<5xf32>' to shape [-1, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Expand %x {shape = array<i64: -1, 5>} : (tensor<5xf32>) -> tensor<1x5xf32>
  return
}

// -----
func.func @expand_c4(%x: tensor<1x5xf32>, %l: tensor<?xf32>) {
  // expected-error @+2 {{has axis 1, which is not a dimension of 'tensor<?xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Expand %x like %l {axis = 1 : i64, shape = array<i64: -1, 5>} : (tensor<1x5xf32>, tensor<?xf32>) -> tensor<?x5xf32>
  return
}

// -----
func.func @pad_c1(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{needs two pads for each dimension of 'tensor<4x5xf32>', but has 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Pad %x {pads = array<i64: 1, 1>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
func.func @pad_c2(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{takes more from dimension 0 of 'tensor<4x5xf32>' than it has}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Pad %x {pads = array<i64: -3, 0, -2, 0>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
func.func @trilu_c1(%x: tensor<4xf32>) {
  // expected-error @+2 {{needs input of rank 2 or more, but it is 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Trilu %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @cumsum_c1(%x: tensor<4xf32>) {
  // expected-error @+2 {{has axis 1, which is not a dimension of 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.CumSum %x {axis = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @argmax_c1(%x: tensor<4xf32>) {
  // expected-error @+2 {{has axis -2, which is not a dimension of 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ArgMax %x {axis = -2 : i64} : (tensor<4xf32>) -> tensor<1xi64>
  return
}

// -----
func.func @gatherelements_c2(%x: tensor<4x5xf32>, %i: tensor<6x1xi64>) {
  // expected-error @+2 {{needs indices of the rank of data, and no larger but along dimension 1, but they are 'tensor<6x1xi64>' and 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.GatherElements %x, %i {axis = 1 : i64} : (tensor<4x5xf32>, tensor<6x1xi64>) -> tensor<6x1xf32>
  return
}

// -----
func.func @scatterelements_c3(%x: tensor<4x5xf32>, %i: tensor<4x1xi64>, %u: tensor<4x2xf32>) {
  // expected-error @+2 {{needs updates of shape [4, 1], but it is 'tensor<4x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ScatterElements %x, %i, %u {axis = 1 : i64} : (tensor<4x5xf32>, tensor<4x1xi64>, tensor<4x2xf32>) -> tensor<4x5xf32>
  return
}

// -----
func.func @scatterelements_c4(%x: tensor<4xf32>, %i: tensor<1xi64>, %u: tensor<1xf32>) {
  // expected-error @+2 {{has reduction = 'mean', which is not one of none, add, mul, max, min}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ScatterElements %x, %i, %u {reduction = "mean"} : (tensor<4xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @gathernd_c1(%x: tensor<4x5xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+2 {{has batch_dims = 1, in which 'tensor<4x5xf32>' and 'tensor<3x1xi64>' are not alike}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.GatherND %x, %i {batch_dims = 1 : i64} : (tensor<4x5xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----
func.func @gathernd_c2(%x: tensor<4x5xf32>, %i: tensor<3x3xi64>) {
  // expected-error @+2 {{needs tuples of at most 2 indices into 'tensor<4x5xf32>', but they are 'tensor<3x3xi64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.GatherND %x, %i : (tensor<4x5xf32>, tensor<3x3xi64>) -> tensor<3xf32>
  return
}

// -----
func.func @scatternd_c2(%x: tensor<4x5xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>) {
  // expected-error @+2 {{needs updates of shape [3, 5], but it is 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ScatterND %x, %i, %u : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<4x5xf32>
  return
}

// -----
func.func @topk_c1(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %0, %1 = onnx.TopK %x {axis = 2 : i64, k = 2 : i64} : (tensor<4x5xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  return
}

// -----
func.func @topk_c2(%x: tensor<4x5xf32>) {
  // expected-error @+2 {{takes 6 elements of a dimension of 5 in 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0, %1 = onnx.TopK %x {k = 6 : i64} : (tensor<4x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
  return
}
