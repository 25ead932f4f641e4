// If and Loop, where it is known what will run: the nodes of the branch, or of each iteration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/Subgraphs.h"

#include "lib/frontend/graph/GraphImporter.h"

#include "mlir/IR/Diagnostics.h"

#include <limits>

using namespace mlir;
using namespace tutti::frontend;

const proto::GraphProto *tutti::frontend::findSubgraph(const proto::NodeProto &node,
                                                       StringRef name) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name && attribute.has_g())
      return &attribute.g();
  return nullptr;
}

std::optional<int64_t> GraphImporter::knownScalar(StringRef name, Location location) {
  std::optional<Sizes> known = tensorScope.lookupSizes(name, location);
  if (!known || known->values.size() != 1 || !known->areKnown())
    return std::nullopt;
  return known->values.front();
}

LogicalResult GraphImporter::takeOver(const std::string &name, GraphImporter &from,
                                      const std::string &nameThere, Location location) {
  auto sequence = from.sequences.find(nameThere);
  if (sequence == from.sequences.end())
    return tensorScope.takeOver(name, from.tensorScope, nameThere, location);
  defineSequence(name, "a sequence of tensors", SmallVector<Value>(sequence->second));
  return success();
}

LogicalResult GraphImporter::importSubgraph(const proto::GraphProto &graph, Location location) {
  if (graph.sparse_initializer_size() > 0)
    return emitError(location) << "the subgraph '" << graph.name()
                               << "' has a sparse initializer, which is not supported";
  declareTypes(graph);
  NodeList nodes;
  llvm::StringSet<> given;
  for (const proto::TensorProto &tensor : graph.initializer()) {
    tensorScope.defineConstant(tensor);
    given.insert(tensor.name());
  }
  for (const proto::ValueInfoProto &input : graph.input())
    given.insert(input.name());
  llvm::StringSet<> made;
  for (const proto::NodeProto &node : graph.node()) {
    nodes.push_back(&node);
    made.insert(node.output().begin(), node.output().end());
  }
  for (const proto::NodeProto *node :
       nodes) // of the graphs around; a name that is none is found later
    for (StringRef name : dependenciesOf(*node))
      if (!made.contains(name))
        given.insert(name);
  SmallVector<StringRef> wanted;
  for (const proto::ValueInfoProto &output : graph.output())
    wanted.push_back(output.name());
  return importNested(nodes, given, wanted);
}

LogicalResult GraphImporter::importIf(const proto::NodeProto &node, Location location) {
  std::optional<int64_t> condition =
      node.input_size() == 1 ? knownScalar(node.input(0), location) : std::nullopt;
  if (!condition)
    return emitError(location) << describe(node) << ": its condition '"
                               << (node.input_size() > 0 ? node.input(0) : "")
                               << "' is not known before the program runs; export the branch that "
                                  "training takes";
  const proto::GraphProto *branch = findSubgraph(node, *condition ? "then_branch" : "else_branch");
  if (!branch || branch->output_size() != node.output_size() || branch->input_size() > 0)
    return emitError(location) << describe(node) << ": its branch must have no inputs and "
                               << node.output_size() << " outputs";
  GraphImporter importer(*this, /*seesOuter=*/true);
  if (failed(importer.importSubgraph(*branch, location)))
    return failure();
  for (auto [output, inside] : llvm::zip_equal(node.output(), branch->output()))
    if (!output.empty() &&
        failed(tensorScope.takeOver(output, importer.tensorScope, inside.name(), location)))
      return failure();
  return success();
}

LogicalResult GraphImporter::stackScans(const proto::NodeProto &node,
                                        ArrayRef<std::vector<Value>> scans, ArrayRef<int64_t> axes,
                                        Location location) {
  int first = node.output_size() - static_cast<int>(scans.size());
  for (auto [index, values] : llvm::enumerate(scans)) {
    const std::string &name = node.output(first + static_cast<int>(index));
    if (name.empty())
      continue;
    if (values.empty())
      return emitError(location) << describe(node) << ": it runs no iteration, so its output '"
                                 << name << "' has no shape";
    SmallVector<Value> rows;
    NamedAttrList added, joined;
    added.set("axes", builder.getDenseI64ArrayAttr({axes[index]}));
    joined.set("axis", builder.getI64IntegerAttr(axes[index]));
    for (Value value : values) {
      Operation *row = createInferred(builder, location, "Unsqueeze", {value}, added);
      if (!row)
        return failure();
      rows.push_back(row->getResult(0));
    }
    Operation *stacked = createInferred(builder, location, "Concat", rows, joined);
    if (!stacked)
      return failure();
    tensorScope.define(name, stacked->getResult(0));
  }
  return success();
}

LogicalResult GraphImporter::importLoop(const proto::NodeProto &node, Location location) {
  const proto::GraphProto *body = findSubgraph(node, "body");
  int carried = node.input_size() - 2;
  if (!body || carried < 0 || body->input_size() != carried + 2 ||
      body->output_size() != node.output_size() + 1 || node.output_size() < carried)
    return emitError(location) << describe(node) << ": its body does not fit its "
                               << node.input_size() << " inputs and " << node.output_size()
                               << " outputs";
  auto known = [&](int input, int64_t otherwise) {
    return node.input(input).empty() ? std::optional(otherwise)
                                     : knownScalar(node.input(input), location);
  };
  std::optional<int64_t> trips = known(0, std::numeric_limits<int64_t>::max());
  std::optional<int64_t> goesOn = known(1, 1);
  if (!trips)
    if (std::optional<LogicalResult> bags = importBags(node, *body, location))
      return *bags;
  if (!trips)
    if (std::optional<LogicalResult> repeats = importRepeats(node, *body, location))
      return *repeats;
  if (!trips || !goesOn)
    return emitError(location) << describe(node) << ": its " << (trips ? "condition" : "trip count")
                               << " '" << node.input(trips ? 1 : 0)
                               << "' is not known before the program runs; export it unrolled"
                               << (trips ? StringRef() : StringRef(orFixSizes));
  std::vector<std::vector<Value>> scans(node.output_size() - carried);
  std::unique_ptr<GraphImporter> last; // the iteration before
  for (int64_t trip = 0; trip < *trips && *goesOn; ++trip) {
    if (trip == mostIterations)
      return emitError(location) << describe(node) << ": it runs more than " << mostIterations
                                 << " iterations, too many to unroll";
    std::unique_ptr<GraphImporter> iteration(new GraphImporter(*this, /*seesOuter=*/true));
    TensorScope &scope = iteration->tensorScope;
    scope.defineSizes(body->input(0).name(), {{trip}, /*isScalar=*/true});
    scope.defineSizes(body->input(1).name(), {{1}, /*isScalar=*/true, builder.getI1Type()});
    for (int index = 0; index < carried; ++index)
      if (failed(iteration->takeOver(body->input(2 + index).name(), last ? *last : *this,
                                     last ? body->output(1 + index).name() : node.input(2 + index),
                                     location)))
        return failure();
    if (failed(iteration->importSubgraph(*body, location)))
      return failure();
    goesOn = iteration->knownScalar(body->output(0).name(), location);
    if (!goesOn)
      return emitError(location) << describe(node) << ": whether it goes on ('"
                                 << body->output(0).name()
                                 << "') is not known before the program runs; export it unrolled";
    for (auto [index, values] : llvm::enumerate(scans)) {
      int output = 1 + carried + static_cast<int>(index);
      values.push_back(scope.lookup(body->output(output).name(), location));
      if (!values.back())
        return failure();
    }
    last = std::move(iteration);
  }
  for (int index = 0; index < carried; ++index)
    if (!node.output(index).empty() &&
        failed(takeOver(node.output(index), last ? *last : *this,
                        last ? body->output(1 + index).name() : node.input(2 + index), location)))
      return failure();
  return stackScans(node, scans, SmallVector<int64_t>(scans.size(), 0), location);
}
