// Imports the nodes of a graph into the body of a function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_GRAPHIMPORTER_H
#define TUTTI_LIB_FRONTEND_GRAPH_GRAPHIMPORTER_H

#include "lib/frontend/graph/ImportedNode.h"
#include "lib/frontend/graph/NodeOrder.h"

namespace tutti::frontend {

/// One use of it fills one function: define the arguments in `scope`, import the nodes in an order
/// in which tensors are made before they are used, look the results up.
class GraphImporter {
public:
  GraphImporter(const ModelFile &file, TensorReader &tensors, mlir::OpBuilder &builder)
      : tensorScope(file, tensors, builder), file(file), tensors(tensors), builder(builder) {}

  TensorScope &scope() { return tensorScope; }

  /// Declared types of tensors, which custom operators need for their results.
  void declareTypes(const proto::GraphProto &graph);

  /// Fails with a diagnostic at the first node that cannot be imported; a survey puts something in
  /// its place and goes on.
  mlir::LogicalResult importNodes(const NodeList &sorted);

private:
  mlir::LogicalResult importNode(const proto::NodeProto &node);
  bool usesUnknown(const proto::NodeProto &node) const;
  void standInFor(const proto::NodeProto &node);
  mlir::LogicalResult checkAgainstSchema(const proto::NodeProto &node, mlir::Location location);
  bool isModelFunction(const proto::NodeProto &node) const;
  /// Operands by name; those that a form turns into attributes are left null.
  mlir::LogicalResult lookUpOperands(ImportedNode &node, bool isKnown);
  mlir::LogicalResult importKnown(ImportedNode &node);
  mlir::LogicalResult importCustom(ImportedNode &node);
  /// The type that the model declares for `output` of an operator that is not known; null after a
  /// diagnostic.
  mlir::Type typeOfCustom(ImportedNode &node, const std::string &output);
  void defineOutputs(const proto::NodeProto &node, mlir::ValueRange results);

  TensorScope tensorScope;
  const ModelFile &file;
  TensorReader &tensors;
  mlir::OpBuilder &builder;
  llvm::StringMap<const proto::ValueInfoProto *> declared;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_GRAPHIMPORTER_H
