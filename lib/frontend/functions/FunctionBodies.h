// The bodies of operators that are functions of others: the model's own, this importer's,
// libonnx's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FUNCTIONS_FUNCTIONBODIES_H
#define TUTTI_LIB_FRONTEND_FUNCTIONS_FUNCTIONBODIES_H

#include "lib/frontend/model/ModelFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace tutti::frontend {

/// Whose nodes they are: the file's, those of a row of the table, or those of a body of libonnx.
enum class NodeOrigin { Model, Formula, Library };

/// A function as one node calls it.
struct FunctionBody {
  std::string name;     ///< as messages say it, such as `pkg.torch::linear`
  const void *identity; ///< the same for every call of the function
  /// With the attributes of the call in the place of references to them, and without the names of
  /// inputs that the call leaves out.
  proto::FunctionProto proto;
  std::vector<proto::ValueInfoProto> types; ///< that the function declares for its tensors
  int64_t opset;
  NodeOrigin origin;
};

/// Finds bodies for the nodes of one model.
class FunctionBodies {
public:
  explicit FunctionBodies(const ModelFile &file);

  /// Gives the type of an input of the node in question; null if it has none.
  using TypeOfInput = llvm::function_ref<mlir::Type(int)>;

  /// The body of `node`, of operator set `opset`: first the model's function, which only the
  /// model's own nodes call, then a row of the table, then libonnx's. None if nobody knows one.
  /// Failure after a diagnostic at `location`.
  mlir::FailureOr<std::optional<FunctionBody>> find(const proto::NodeProto &node, int64_t opset,
                                                    NodeOrigin origin, TypeOfInput typeOfInput,
                                                    mlir::Location location) const;

  /// Whether libonnx makes the body of `node` for the types of its inputs.
  static bool dependsOnTypes(const proto::NodeProto &node, int64_t opset);

  /// The function of the model that `node` calls, or null.
  const proto::FunctionProto *functionOfModel(const proto::NodeProto &node) const;

private:
  mlir::FailureOr<std::optional<FunctionBody>> findOfModel(const proto::NodeProto &node,
                                                           const proto::FunctionProto &function,
                                                           int64_t opset,
                                                           mlir::Location location) const;
  mlir::FailureOr<std::optional<FunctionBody>> findOfLibrary(const proto::NodeProto &node,
                                                             int64_t opset, TypeOfInput typeOfInput,
                                                             mlir::Location location) const;
  llvm::StringMap<const proto::FunctionProto *> functions;
  llvm::StringSet<> duplicates;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FUNCTIONS_FUNCTIONBODIES_H
