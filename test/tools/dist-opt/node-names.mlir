// Diagnostics at locations that the importer writes name the ONNX node; others stay as they are.
// RUN: not dist-opt %s --split-input-file --train-expand-gradients 2>&1 | FileCheck %s --check-prefix=PASS

// PASS: model.onnx: error: {{.*}} [ONNX node 'swirl']
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.custom "com.acme" "Swirl" (%x) : (tensor<4xf32>) -> tensor<4xf32> loc("swirl"("model.onnx":0:0))
  %g = train.gradient %y wrt %x : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// A name of another producer, with a line.
// PASS: model.py:7:1: error:
// PASS-NOT: ONNX node
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.custom "com.acme" "Swirl" (%x) : (tensor<4xf32>) -> tensor<4xf32> loc("swirl"("model.py":7:1))
  %g = train.gradient %y wrt %x : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}
