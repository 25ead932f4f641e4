// Names of values for messages: variables, metrics, nodes of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_VALUENAMES_H
#define TUTTI_LIB_PROGRAM_VALUENAMES_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

#include <string>

namespace tutti::program {

/// How messages call the node at `location`: its name in the model, or "file.mlir:3:5" in a program
/// without node names; empty if neither is known.
std::string nodeAt(mlir::Location location);

/// `location` as that of a part of its node: "backward, weights". What already is one stays it.
mlir::Location withPart(mlir::Location location, llvm::StringRef part);

/// That part; empty for what the model itself computes.
llvm::StringRef partAt(mlir::Location location);

/// The location of the whole node, equal for all of its parts.
mlir::Location withoutPart(mlir::Location location);

/// "'onnx.MatMul'"
std::string quoted(mlir::Operation *op);

/// "node 'fc' (onnx.MatMul)", or "'onnx.MatMul'" where the node is not known.
std::string describeNode(mlir::Operation *op);

/// The variable, metric or output that `value` becomes at its nearest such use, through the ops
/// that use it (scale, clip, cast, bucket); else nodeAt(fallback).
std::string nameOfValue(mlir::Value value, mlir::Location fallback);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_VALUENAMES_H
