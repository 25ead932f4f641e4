// Imports the nodes of a graph into the body of a function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_GRAPHIMPORTER_H
#define TUTTI_LIB_FRONTEND_GRAPH_GRAPHIMPORTER_H

#include "lib/diagnostics/Refusal.h"
#include "lib/frontend/forms/ImportedNode.h"
#include "lib/frontend/functions/FunctionBodies.h"
#include "lib/frontend/graph/NodeOrder.h"
#include "lib/frontend/graph/sizes/SizeOrigins.h"

namespace tutti::frontend {

/// One use of it fills one function: define the arguments in `scope`, import the nodes in an order
/// in which tensors are made before they are used, look the results up. A node whose operator is a
/// function is replaced by the function's body, a subgraph that is known to run by its nodes.
class GraphImporter {
public:
  GraphImporter(const ModelFile &file, TensorReader &tensors, mlir::OpBuilder &builder)
      : tensorScope(file, tensors, builder), file(file), tensors(tensors), builder(builder),
        ownWork(std::make_unique<Work>(file)), work(*ownWork), opset(file.opset()) {}

  TensorScope &scope() { return tensorScope; }

  /// Declared types of tensors, which custom operators need for their results.
  void declareTypes(const proto::GraphProto &graph);

  /// Dimensions of one name are of one size: of inputs of `graph` that are defined as arguments.
  /// Those of samples are not asked: a rank has a part of them, and of no other.
  void declareSizes(const proto::GraphProto &graph);

  /// Fails with a diagnostic at the first node that cannot be imported; a survey puts something in
  /// its place and goes on.
  mlir::LogicalResult importNodes(const NodeList &sorted);

private:
  struct ScanForm; // loops/Scans.cpp

  /// What importers of nested graphs share.
  struct Work {
    explicit Work(const ModelFile &file) : bodies(file) {}

    FunctionBodies bodies;
    SizeOrigins origins;
    int64_t nestedNodes = 0; ///< that bodies and subgraphs have brought
  };
  /// A function that is being expanded, and the one that calls it.
  struct Call {
    const Call *caller;
    const void *identity;
    int depth;
    mlir::Location location; ///< of the node in the model's graph
    std::string chain;       ///< the functions' names, outermost first
  };

  /// For nodes within a node of `outer`: of a function's body if `seesOuter` is not set, else of a
  /// subgraph.
  GraphImporter(GraphImporter &outer, bool seesOuter)
      : tensorScope(outer.tensorScope, seesOuter), file(outer.file), tensors(outer.tensors),
        builder(outer.builder), work(outer.work), call(outer.call), opset(outer.opset),
        origin(outer.origin) {
    if (seesOuter)
      sequences = outer.sequences;
  }

  mlir::LogicalResult importNode(const proto::NodeProto &node);
  bool usesUnknown(const proto::NodeProto &node);
  void standInFor(const proto::NodeProto &node);
  mlir::Location locationOf(const proto::NodeProto &node) const;
  mlir::LogicalResult checkAgainstSchema(const proto::NodeProto &node, mlir::Location location);
  /// Whether the dialect has the operator of a node, or a form of it.
  bool isKnown(const proto::NodeProto &node, int64_t opset, NodeOrigin origin) const;
  /// Operands by name; those that a form turns into attributes are left null.
  mlir::LogicalResult lookUpOperands(ImportedNode &node, bool isKnown);
  mlir::LogicalResult importOperator(const proto::NodeProto &node, mlir::Location location,
                                     llvm::StringRef whyUnknown);
  mlir::LogicalResult importKnown(ImportedNode &node);
  mlir::LogicalResult importCustom(ImportedNode &node, llvm::StringRef whyUnknown);
  /// The type that the model declares for `output` of an operator that is not known; null after a
  /// diagnostic.
  mlir::Type typeOfCustom(ImportedNode &node, const std::string &output,
                          llvm::StringRef whyUnknown);
  void defineOutputs(const proto::NodeProto &node, mlir::ValueRange results);

  // FunctionCalls.cpp

  mlir::FailureOr<std::optional<FunctionBody>> findBody(const proto::NodeProto &node,
                                                        mlir::Location location);
  /// Why the body of an operator that is not the model's cannot be expanded: an operator in it, or
  /// in a body within, that nobody knows.
  Refusal whyNotExpanded(const FunctionBody &body) const;
  mlir::LogicalResult checkCall(const proto::NodeProto &node, const FunctionBody &body,
                                mlir::Location location) const;
  mlir::LogicalResult importCall(const proto::NodeProto &node, const FunctionBody &body,
                                 mlir::Location location);
  /// Imports the nodes that `wanted` needs, of a body or subgraph whose inputs are in scope.
  mlir::LogicalResult importNested(const NodeList &nodes, llvm::StringSet<> given,
                                   llvm::ArrayRef<llvm::StringRef> wanted);

  // Subgraphs.cpp

  mlir::LogicalResult importIf(const proto::NodeProto &node, mlir::Location location);
  /// An If whose condition only a run knows.
  mlir::LogicalResult importBothBranches(const proto::NodeProto &node, mlir::Location location);
  /// Defines in `inside` what the branch uses of the graphs around it, as 0 unless it is taken.
  mlir::LogicalResult gateOuterTensors(const proto::GraphProto &branch, mlir::Value condition,
                                       bool whenTrue, GraphImporter &inside,
                                       mlir::Location location);
  /// Whether two values have the same type, and the same sizes where these vary.
  bool haveSameSizes(mlir::Value a, mlir::Value b);
  mlir::LogicalResult importLoop(const proto::NodeProto &node, mlir::Location location);
  /// A bool or integer that is known; none if it is not.
  std::optional<int64_t> knownScalar(llvm::StringRef name, mlir::Location location);
  /// Defines `name` as the tensor or sequence that `nameThere` is in `from`; fails after a
  /// diagnostic.
  mlir::LogicalResult takeOver(const std::string &name, GraphImporter &from,
                               const std::string &nameThere, mlir::Location location);
  /// Imports the nodes of `graph`, whose inputs are in scope.
  mlir::LogicalResult importSubgraph(const proto::GraphProto &graph, mlir::Location location);
  /// Stacks what the iterations have made of each of the last outputs, along a new dimension.
  mlir::LogicalResult stackScans(const proto::NodeProto &node,
                                 llvm::ArrayRef<std::vector<mlir::Value>> scans,
                                 llvm::ArrayRef<int64_t> axes, mlir::Location location);

  // loops/Bags.cpp

  /// All bags of an nn.EmbeddingBag at once; none if the loop is no such thing.
  std::optional<llvm::LogicalResult>
  importBags(const proto::NodeProto &node, const proto::GraphProto &body, mlir::Location location);
  /// The same where data say how long each bag is.
  std::optional<llvm::LogicalResult> importPackedBags(const proto::NodeProto &node,
                                                      const proto::GraphProto &body,
                                                      mlir::Location location);

  // loops/Repeats.cpp

  /// The entries of a sequence that varies in length, each repeated equally often, which is how
  /// `repeat_interleave` is exported; none if the loop is no such thing.
  std::optional<llvm::LogicalResult> importRepeats(const proto::NodeProto &node,
                                                   const proto::GraphProto &body,
                                                   mlir::Location location);
  /// Whether the body of such a loop, as its Expand and Reshape say, makes `count` entries of each.
  bool repeatsEntries(const proto::GraphProto &body, mlir::Value tensor, int64_t axis,
                      int64_t count, mlir::Location location);

  // loops/Scans.cpp

  mlir::LogicalResult importScan(const proto::NodeProto &node, mlir::Location location);
  /// One iteration after `before`, which is null for the first one, on entry `trip` of the
  /// sequences. Null after a diagnostic.
  std::unique_ptr<GraphImporter> importIteration(const proto::NodeProto &node, const ScanForm &form,
                                                 GraphImporter *before, int64_t trip,
                                                 mlir::Location location);
  /// Entry `index` along `axis`, which goes; null after a diagnostic.
  mlir::Value takeEntry(mlir::Value sequence, int64_t axis, int64_t index, mlir::Location location);

  // Sequences.cpp

  /// Whether an operator of the standard makes or takes sequences that can be known.
  static bool isOfSequences(llvm::StringRef op);
  mlir::LogicalResult importOfSequences(const proto::NodeProto &node, mlir::Location location);
  mlir::LogicalResult importSplitToSequence(const proto::NodeProto &node, mlir::Location location);
  mlir::LogicalResult importSequenceAt(const proto::NodeProto &node,
                                       llvm::ArrayRef<mlir::Value> tensors,
                                       mlir::Location location);
  mlir::LogicalResult importConcatFromSequence(const proto::NodeProto &node,
                                               llvm::ArrayRef<mlir::Value> tensors,
                                               mlir::Location location);
  mlir::FailureOr<llvm::SmallVector<int64_t>> sizesOfSplit(const proto::NodeProto &node,
                                                           int64_t size, mlir::Location location);
  mlir::LogicalResult importSequenceInsert(const proto::NodeProto &node,
                                           llvm::ArrayRef<mlir::Value> tensors,
                                           mlir::Location location);
  llvm::SmallVector<SizeTerm> chunksOfSplit(const proto::NodeProto &node, SizeTerm size,
                                            mlir::Location location);
  bool areOnesOf(llvm::StringRef sizes, mlir::Value vector, int64_t axis);
  /// `name`, of which `what` says what it is, is these tensors.
  void defineSequence(const std::string &name, const std::string &what,
                      llvm::SmallVector<mlir::Value> tensors);
  /// Output 0 of `node` is these tensors.
  void defineSequence(const proto::NodeProto &node, llvm::SmallVector<mlir::Value> tensors);

  TensorScope tensorScope;
  /// Entries along a dimension whose size varies; how long each is, is not told.
  struct VaryingSequence {
    mlir::Value tensor;
    int64_t axis;
  };

  llvm::StringMap<llvm::SmallVector<mlir::Value>> sequences; ///< of this graph and those around
  llvm::StringMap<VaryingSequence> singles; ///< sequences of entries, each of which has size 1
  llvm::StringMap<VaryingSequence> joined;  ///< sequences of which all that is known is their whole
  const ModelFile &file;
  TensorReader &tensors;
  mlir::OpBuilder &builder;
  llvm::StringMap<const proto::ValueInfoProto *> declared;
  std::unique_ptr<Work> ownWork; ///< of the outermost importer
  Work &work;
  const Call *call = nullptr; ///< whose body the nodes are of; null for the model's graph
  int64_t opset;
  NodeOrigin origin = NodeOrigin::Model;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_GRAPHIMPORTER_H
