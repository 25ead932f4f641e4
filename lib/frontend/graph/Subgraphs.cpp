// If and Loop as the nodes of the branch, or of each iteration, where it is known what will run; of
// an If of which that is not known, both branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/Subgraphs.h"

#include "lib/frontend/graph/GraphImporter.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace tutti::frontend;

/// What to do with a loop that data end.
static constexpr StringLiteral unrollIt =
    "export it unrolled, or with the most iterations that it may need, of which each keeps by "
    "Where what there is once it is done";

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

/// A tensor of `like`'s type and shape that is `value` where `condition` holds and 0 elsewhere, so
/// that no gradient, index or number of a branch that is not taken reaches what is outside of it.
static Value gate(OpBuilder &builder, Location location, Value condition, bool whenTrue,
                  Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Attribute zero = builder.getZeroAttr(element);
  if (!zero)
    return value;
  auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, element), zero);
  Value nothing = tutti::onnx::ConstantOp::create(builder, location, scalar);
  Operation *chosen = createInferred(
      builder, location, "Where",
      {condition, whenTrue ? value : nothing, whenTrue ? nothing : value}, NamedAttrList());
  return chosen ? chosen->getResult(0) : Value();
}

/// Whether it divides integers by a number that may be 0 where its branch is not taken.
static bool mayStopTheRun(Operation &op) {
  return isa<tutti::onnx::DivOp, tutti::onnx::ModOp>(op) &&
         isa<IntegerType>(getElementTypeOrSelf(op.getOperand(1).getType())) &&
         !matchPattern(op.getOperand(1), m_Constant());
}

LogicalResult GraphImporter::gateOuterTensors(const proto::GraphProto &branch, Value condition,
                                              bool whenTrue, GraphImporter &inside,
                                              Location location) {
  llvm::StringSet<> own;
  for (const proto::TensorProto &tensor : branch.initializer())
    own.insert(tensor.name());
  for (const proto::NodeProto &node : branch.node())
    own.insert(node.output().begin(), node.output().end());
  auto gateOne = [&](StringRef name) -> LogicalResult {
    if (name.empty() || !own.insert(name).second || sequences.count(name) ||
        tensorScope.isComputedSizes(name) || tensorScope.isUnknown(name))
      return success();
    Value value = tensorScope.lookup(name, location);
    if (!value)
      return failure();
    if (matchPattern(value, m_Constant()) || !isa<RankedTensorType>(value.getType()))
      return success();
    Value gated = gate(builder, location, condition, whenTrue, value);
    inside.tensorScope.define(name, gated);
    return success(gated != nullptr);
  };
  for (const proto::NodeProto &node : branch.node())
    for (StringRef name : dependenciesOf(node))
      if (failed(gateOne(name)))
        return failure();
  for (const proto::ValueInfoProto &output : branch.output())
    if (failed(gateOne(output.name())))
      return failure();
  return success();
}

bool GraphImporter::haveSameSizes(Value a, Value b) {
  auto typeOfA = dyn_cast<RankedTensorType>(a.getType());
  if (!typeOfA || a.getType() != b.getType())
    return false;
  for (int64_t axis = 0; axis < typeOfA.getRank(); ++axis)
    if (typeOfA.isDynamicDim(axis) &&
        !(work.origins.termOf({a, axis}) == work.origins.termOf({b, axis})))
      return false;
  return true;
}

/// Both branches are computed, and a Where takes the results of one: what a branch makes of 0 where
/// it is not taken goes nowhere, and neither do gradients.
LogicalResult GraphImporter::importBothBranches(const proto::NodeProto &node, Location location) {
  auto refuse = [&](const Twine &why) {
    return emitError(location) << describe(node) << ": its condition '" << node.input(0)
                               << "' is not known before the program runs, and " << why
                               << "; export the branch that training takes"
                               << tensorScope.howToGive(node.input(0));
  };
  Value condition = tensorScope.lookup(node.input(0), location);
  if (!condition)
    return failure();
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  if (!type || !type.getElementType().isInteger(1) || !type.hasStaticShape() ||
      type.getNumElements() != 1)
    return refuse("it is not known to be one bool");
  if (type.getRank() > 0) {
    NamedAttrList attributes;
    attributes.set("shape", builder.getDenseI64ArrayAttr({}));
    Operation *scalar = createInferred(builder, location, "Reshape", {condition}, attributes);
    if (!scalar)
      return failure();
    condition = scalar->getResult(0);
  }
  SmallVector<Value> chosen[2];
  for (bool whenTrue : {true, false}) {
    const proto::GraphProto *branch = findSubgraph(node, whenTrue ? "then_branch" : "else_branch");
    Operation *before =
        builder.getInsertionBlock()->empty() ? nullptr : &*std::prev(builder.getInsertionPoint());
    GraphImporter importer(*this, /*seesOuter=*/true);
    if (failed(gateOuterTensors(*branch, condition, whenTrue, importer, location)) ||
        failed(importer.importSubgraph(*branch, location)))
      return failure();
    for (const proto::ValueInfoProto &output : branch->output()) {
      if (importer.sequences.count(output.name()))
        return refuse("its result '" + output.name() + "' is a sequence of tensors");
      chosen[whenTrue].push_back(importer.tensorScope.lookup(output.name(), location));
      if (!chosen[whenTrue].back())
        return failure();
    }
    auto made = llvm::make_range(before ? std::next(before->getIterator())
                                        : builder.getInsertionBlock()->begin(),
                                 builder.getInsertionPoint());
    for (Operation &op : made)
      if (mayStopTheRun(op))
        return refuse(
            "one of its branches divides integers by what may be 0 where it is not taken");
  }
  for (auto [output, yes, no] : llvm::zip_equal(node.output(), chosen[true], chosen[false])) {
    if (output.empty())
      continue;
    if (!haveSameSizes(yes, no)) {
      std::string types;
      llvm::raw_string_ostream(types) << yes.getType() << " and " << no.getType();
      return refuse("its branches give other sizes or types for '" + output + "', " + types);
    }
    Operation *one =
        createInferred(builder, location, "Where", {condition, yes, no}, NamedAttrList());
    if (!one)
      return failure();
    tensorScope.define(output, one->getResult(0));
  }
  return success();
}

LogicalResult GraphImporter::importIf(const proto::NodeProto &node, Location location) {
  for (StringRef name : {"then_branch", "else_branch"}) {
    const proto::GraphProto *branch = findSubgraph(node, name);
    if (node.input_size() != 1 || !branch || branch->output_size() != node.output_size() ||
        branch->input_size() > 0)
      return emitError(location) << describe(node) << ": it must have one input, and branches "
                                 << "without inputs and with " << node.output_size() << " outputs";
  }
  std::optional<int64_t> condition = knownScalar(node.input(0), location);
  if (!condition)
    return importBothBranches(node, location);
  const proto::GraphProto *branch = findSubgraph(node, *condition ? "then_branch" : "else_branch");
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
                               << "' is not known before the program runs; " << unrollIt
                               << (trips ? StringRef() : StringRef(orFixSizes))
                               << tensorScope.howToGive(node.input(trips ? 1 : 0));
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
                                 << "') is not known before the program runs; " << unrollIt;
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
