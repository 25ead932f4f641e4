// Operations as nodes: names for values, and forms that differ from the dialect's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_GRAPHWRITER_H
#define TUTTI_LIB_FRONTEND_EXPORT_GRAPHWRITER_H

#include "lib/frontend/export/ModelFunctions.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace tutti::frontend {

/// The names of all tensors of a model, which are one name space.
class TensorNames {
public:
  /// A name that nothing has yet: `wanted`, or `wanted` with a number.
  std::string make(llvm::StringRef wanted);
  /// Gives `value` the name `wanted`, or one like it.
  void define(mlir::Value value, llvm::StringRef wanted) { names[value] = make(wanted); }
  bool has(mlir::Value value) const { return names.contains(value); }
  /// The name of a value that has one; empty for the poison that stands for what is left out.
  std::string of(mlir::Value value) const { return names.lookup(value); }

private:
  llvm::StringSet<> taken;
  llvm::DenseMap<mlir::Value, std::string> names;
};

/// Writes operations of one function into one graph, in their order.
class GraphWriter {
public:
  /// What is no operator of ONNX becomes one of `functions`, which are those of the model.
  GraphWriter(proto::GraphProto &graph, TensorNames &names, int64_t opset,
              ModelFunctions &functions)
      : graph(graph), names(names), opset(opset), functions(functions) {}

  /// Adds the node of `op`, whose results get names, unless they have them. Failure after a
  /// diagnostic if it has no form in ONNX.
  mlir::LogicalResult write(mlir::Operation *op);
  /// Adds a node that calls the model's function for `op`; see OperationNodes.h.
  mlir::LogicalResult writeCall(mlir::Operation *op);

  /// Adds a node with the name that `op` has in its location.
  proto::NodeProto &addNode(mlir::Operation *op, llvm::StringRef domain, llvm::StringRef type);
  /// Adds the names of the results of `op` as outputs of `node`.
  void addOutputs(mlir::Operation *op, proto::NodeProto &node);
  /// Names what has no name yet.
  std::string nameOf(mlir::Value value);
  /// Adds a Constant for the one result of `op`.
  mlir::LogicalResult addConstant(mlir::Operation *op, mlir::ElementsAttr content);
  /// Adds an operator of ai.onnx with one output, whose name is like `wanted`; that name.
  std::string addStep(mlir::Operation *op, llvm::StringRef type, llvm::ArrayRef<std::string> inputs,
                      llvm::StringRef wanted);
  /// Adds an initializer with these integers; its name.
  std::string addIntegers(llvm::ArrayRef<int64_t> values, llvm::StringRef wanted);

  /// The signal that the last message gave, or one that starts the first; and a new one.
  std::string takeSignal();
  std::string makeSignal();
  /// After all operations: the last signal becomes an output, so that messages are needed.
  void finish();

  /// The type of `value`, as the graph declares it.
  proto::ValueInfoProto describe(mlir::Value value);

private:
  proto::ValueInfoProto describeSignal() const;
  mlir::LogicalResult writeOperator(mlir::Operation *op);
  mlir::LogicalResult writeCustom(mlir::Operation *op);
  mlir::LogicalResult addAttributes(mlir::Operation *op, mlir::DictionaryAttr attributes,
                                    proto::NodeProto &node);
  void moveAttribute(mlir::NamedAttribute attribute, int input, bool isScalar,
                     proto::NodeProto &node);
  std::string addSize(mlir::Operation *op, mlir::Value value, int64_t axis);
  mlir::LogicalResult writeExpand(mlir::Operation *op);
  std::string addPadValue(mlir::Operation *op);

  proto::GraphProto &graph;
  TensorNames &names;
  int64_t opset;
  ModelFunctions &functions;
  std::string lastSignal; ///< of a message; empty if there was none
};

/// Writes an operation of the dialect `train`: as Gradient, Momentum, Adagrad or Adam where one of
/// them says the same, else as a call. Failure after a diagnostic.
mlir::LogicalResult writeTrainingNode(mlir::Operation *op, GraphWriter &writer);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_GRAPHWRITER_H
