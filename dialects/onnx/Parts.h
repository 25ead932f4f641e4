// Operators that take parts of tensors, and that put tensors together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_PARTS_H
#define TUTTI_ONNX_PARTS_H

#include "dialects/onnx/Onnx.h"

#define GET_OP_CLASSES
#include "dialects/onnx/OnnxParts.h.inc"

#endif
