// Follows Constant nodes to the layers that use them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/ConstantWeights.h"

#include "lib/frontend/model/values/FoldedCopies.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tutti::frontend;

/// The first inputs that are weights of an operator, from which on all are; 0 if it has none.
static int firstWeightOf(const proto::NodeProto &node) {
  static constexpr StringRef layers[] = {"MatMul", "Gemm", "Conv", "ConvTranspose",
                                         "LSTM",   "GRU",  "RNN"};
  bool isLayer =
      canonicalDomain(node.domain()).empty() && llvm::is_contained(layers, node.op_type());
  return isLayer ? 1 : 0;
}

static bool movesValues(const proto::NodeProto &node) {
  static constexpr StringRef moves[] = {"Identity", "Transpose", "Reshape", "Cast",
                                        "Squeeze",  "Unsqueeze", "Flatten"};
  return canonicalDomain(node.domain()).empty() && llvm::is_contained(moves, node.op_type());
}

/// A tensor of one value repeated sums or averages what it is multiplied by.
static bool isOneValue(const proto::TensorProto &tensor) {
  if (tensor.float_data_size() > 0)
    return llvm::all_equal(tensor.float_data());
  if (tensor.double_data_size() > 0)
    return llvm::all_equal(tensor.double_data());
  StringRef bytes = tensor.raw_data();
  size_t width = bytesOfFloat(tensor.data_type());
  return bytes.size() > width && bytes.drop_front(width) == bytes.drop_back(width);
}

/// Whether the node holds what could be a weight.
static bool holdsWeight(const proto::NodeProto &node) {
  if (node.op_type() != "Constant" || !canonicalDomain(node.domain()).empty() ||
      node.output_size() != 1)
    return false;
  for (const auto &attribute : node.attribute()) {
    if (attribute.name() == "value_floats")
      return attribute.floats_size() > 1 && !llvm::all_equal(attribute.floats());
    const proto::TensorProto &tensor = attribute.t();
    bool isLarge = llvm::any_of(tensor.dims(), [](int64_t size) { return size > 1; });
    if (attribute.name() == "value")
      return holdsFloats(tensor) && isLarge && !isOneValue(tensor);
  }
  return false;
}

std::vector<ConstantWeight> tutti::frontend::findConstantWeights(const NodeList &nodes) {
  llvm::StringMap<const proto::NodeProto *> constants;
  std::vector<ConstantWeight> found;
  llvm::SmallPtrSet<const proto::NodeProto *, 4> listed;
  for (const proto::NodeProto *node : nodes) {
    if (holdsWeight(*node))
      constants[node->output(0)] = node;
    if (movesValues(*node) && node->input_size() > 0 && node->output_size() > 0)
      if (const proto::NodeProto *constant = constants.lookup(node->input(0)))
        constants[node->output(0)] = constant;
    int first = firstWeightOf(*node);
    for (int index = first; first > 0 && index < node->input_size(); ++index)
      if (const proto::NodeProto *constant = constants.lookup(node->input(index)))
        if (listed.insert(constant).second)
          found.push_back({constant, node});
  }
  return found;
}

void tutti::frontend::warnOfConstantWeights(const NodeList &nodes, const ModelFile &file) {
  std::vector<ConstantWeight> found = findConstantWeights(nodes);
  if (found.empty())
    return;
  InFlightDiagnostic warning = emitWarning(file.location(*found.front().layer));
  warning << found.size()
          << (found.size() == 1 ? " weight is a constant" : " weights are constants")
          << " of the graph, which nothing trains: ";
  constexpr size_t most = 3;
  llvm::interleave(
      ArrayRef(found).take_front(most),
      [&](const ConstantWeight &weight) {
        warning << "'" << weight.constant->output(0) << "' of " << describe(*weight.layer);
      },
      [&] { warning << ", "; });
  if (found.size() > most)
    warning << " and " << found.size() - most << " more";
  warning
      << "; to train it, store it as an initializer of the graph (docs/from-pytorch.md says how)";
}
