// What the metadata of a model says of its variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_TRAINING_DECLAREDVARIABLES_H
#define TUTTI_LIB_FRONTEND_TRAINING_DECLAREDVARIABLES_H

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/StringSet.h"

namespace tutti::frontend {

/// The entries of metadata_props that name the floats which a framework trains, and those which it
/// keeps as they are; ONNX has one word for both. Names stand between commas or line breaks.
inline constexpr llvm::StringLiteral parametersKey = "tutti.parameters",
                                     buffersKey = "tutti.buffers";

class DeclaredVariables {
public:
  /// Failure after a diagnostic if a name is in both lists, or if none of all names is one of the
  /// model's initializers: then they are names of something else.
  static mlir::FailureOr<DeclaredVariables> read(const ModelFile &file);

  bool isEmpty() const { return parameters.empty() && buffers.empty(); }
  bool isParameter(llvm::StringRef name) const { return parameters.contains(name); }
  bool isBuffer(llvm::StringRef name) const { return buffers.contains(name); }

  /// Whether something that was folded may have been a parameter, or a buffer: there is one that is
  /// not in the graph.
  bool lacksParameter() const { return hasLostParameter; }
  bool lacksBuffer() const { return hasLostBuffer; }

private:
  mlir::LogicalResult check(const ModelFile &file);

  llvm::StringSet<> parameters, buffers;
  bool hasLostParameter = false, hasLostBuffer = false;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_TRAINING_DECLAREDVARIABLES_H
