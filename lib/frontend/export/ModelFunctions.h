// The functions of a model whose names are those of operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_MODELFUNCTIONS_H
#define TUTTI_LIB_FRONTEND_EXPORT_MODELFUNCTIONS_H

#include "lib/frontend/model/ModelFile.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace tutti::frontend {

/// Adds functions to a model. Operations that compute the same share one.
class ModelFunctions {
public:
  ModelFunctions(proto::ModelProto &model, int64_t opset) : model(model), opset(opset) {}

  /// The name of the function that says what `op` computes, in the domain of its dialect; failure
  /// after a diagnostic if nobody knows how to say it.
  mlir::FailureOr<std::string> add(mlir::Operation *op);

private:
  void importDomains(proto::FunctionProto &function);

  proto::ModelProto &model;
  int64_t opset;
  llvm::StringMap<std::string> nameOfText; ///< by formula
  llvm::StringMap<int> numbers;            ///< of functions of one operation
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_MODELFUNCTIONS_H
