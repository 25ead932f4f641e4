// All operations of the onnx dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_TD
#define TUTTI_ONNX_TD

include "dialects/onnx/elementwise/Activations.td"
include "dialects/onnx/elementwise/Arithmetic.td"
include "dialects/onnx/elementwise/Logic.td"
include "dialects/onnx/OnnxBatchStatistics.td"
include "dialects/onnx/OnnxCustom.td"
include "dialects/onnx/OnnxIndexing.td"
include "dialects/onnx/OnnxLoss.td"
include "dialects/onnx/OnnxMath.td"
include "dialects/onnx/OnnxNeuralNet.td"
include "dialects/onnx/OnnxParts.td"
include "dialects/onnx/OnnxRandom.td"
include "dialects/onnx/OnnxRecurrent.td"
include "dialects/onnx/OnnxReduction.td"
include "dialects/onnx/OnnxShape.td"
include "dialects/onnx/OnnxTraining.td"

#endif
