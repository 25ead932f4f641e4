# The users of clicks.onnx, as text, looked up a second time: at the items.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
s|^    %2 = onnx.ReduceMean %1 .*|    %b = onnx.Gather %arg0, %arg7 : (tensor<1000x16xf32>, tensor<?x3xi64>) -> tensor<?x3x16xf32>\n    %s = onnx.Add %1, %b : (tensor<?x3x16xf32>, tensor<?x3x16xf32>) -> tensor<?x3x16xf32>\n    %2 = onnx.ReduceMean %s {axes = array<i64: 1>, keepdims = 0 : i64} : (tensor<?x3x16xf32>) -> tensor<?x16xf32>|
