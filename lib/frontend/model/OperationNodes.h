// What a model says beyond ONNX, so that importing it gives the program that was exported.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_OPERATIONNODES_H
#define TUTTI_LIB_FRONTEND_MODEL_OPERATIONNODES_H

#include "llvm/ADT/StringRef.h"

namespace tutti::frontend {

/// An operation that ONNX has no operator for is a node of the domain `tutti.DIALECT`. Its operator
/// is the operation's name, perhaps with `_NUMBER` after it; the model has a function of this name
/// whose body says in operators of ONNX what it computes.
inline constexpr llvm::StringLiteral operationDomain = "tutti.";

/// The attributes of such a node: a dictionary of the operation's attributes, and the types of its
/// results, as MLIR writes them.
inline constexpr llvm::StringLiteral propertiesOfOperation = "properties",
                                     typesOfOperation = "types";

/// The entry of metadata_props that holds the program without the bodies of its functions, as MLIR
/// writes it: datasets, groups, and the roles of arguments and results.
inline constexpr llvm::StringLiteral programFrame = "tutti.program";

/// What `text`, which MLIR is to parse, may be long, and how deep its brackets may nest.
inline constexpr size_t longestText = 1 << 20, deepestText = 64;

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_OPERATIONNODES_H
