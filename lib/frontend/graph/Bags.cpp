// nn.EmbeddingBag as PyTorch writes it: a loop over bags, each of which is a slice of a list of
// indices, looked up in a table and reduced. Where the list is a matrix in one row, and its rows
// are the bags, all of them are looked up at once, however many there are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphImporter.h"

#include "lib/frontend/graph/sizes/SizeMoves.h"

#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {

using Node = const proto::NodeProto *;

/// The node of an output, as far as it is of `op`.
class Producers {
public:
  explicit Producers(const proto::GraphProto &graph) {
    for (const proto::NodeProto &node : graph.node())
      for (const std::string &output : node.output())
        byOutput[output] = &node;
  }
  Node find(StringRef name, StringRef op) const {
    Node node = findAny(name);
    return node && node->op_type() == op && node->input_size() > 0 ? node : nullptr;
  }
  Node findAny(StringRef name) const { return byOutput.lookup(name); }
  bool contains(StringRef name) const { return byOutput.contains(name); }

private:
  llvm::StringMap<Node> byOutput;
};

/// Names of what a loop over bags takes, and how a bag is reduced.
struct Bags {
  std::string table, indices, weights; ///< in one row; no weights: empty
  std::string starts, ends;            ///< of each bag
  Node reduction = nullptr;
};

} // namespace

/// The only axis of a node: an attribute, or its second operand; none of anything else.
static std::optional<int64_t> axisOf(const Producers &body, Node node) {
  for (const auto &attribute : node->attribute())
    if (attribute.name() == "axes" && attribute.ints_size() == 1)
      return attribute.ints(0);
  Node constant = node->input_size() == 2 ? body.findAny(node->input(1)) : nullptr;
  if (!constant || constant->op_type() != "Constant" || constant->attribute_size() != 1)
    return std::nullopt;
  const proto::TensorProto &value = constant->attribute(0).t();
  if (value.data_type() != proto::TensorProto::INT64 || value.dims_size() != 1)
    return std::nullopt;
  if (value.int64_data_size() == 1)
    return value.int64_data(0);
  return value.raw_data().size() == sizeof(int64_t)
             ? std::optional<int64_t>(llvm::support::endian::read64le(value.raw_data().data()))
             : std::nullopt;
}

/// A slice of a row between entry `counter` of two lists: the row; empty for anything else.
static std::string sliceOfBag(const Producers &body, Node slice, StringRef counter, Bags &bags) {
  if (!slice || slice->input_size() < 3 || slice->input_size() > 4) // no steps
    return "";
  SmallVector<std::string> lists;
  for (int bound : {1, 2}) {
    Node unsqueeze = body.find(slice->input(bound), "Unsqueeze");
    Node entry = unsqueeze ? body.find(unsqueeze->input(0), "Gather") : nullptr;
    if (!entry || entry->input_size() != 2 || entry->input(1) != counter ||
        integerAttribute(*entry, "axis").value_or(0) != 0)
      return "";
    lists.push_back(entry->input(0));
  }
  bool isFirst = bags.starts.empty();
  if (isFirst)
    bags.starts = lists[0], bags.ends = lists[1];
  return bags.starts == lists[0] && bags.ends == lists[1] ? slice->input(0) : "";
}

/// What the body of a loop makes of each bag, or none.
static std::optional<Bags> findBags(const proto::GraphProto &graph) {
  Producers body(graph);
  Bags bags;
  for (StringRef op : {"ReduceSum", "ReduceMean", "ReduceMax"})
    if (!bags.reduction)
      bags.reduction = body.find(graph.output(1).name(), op);
  if (!bags.reduction || integerAttribute(*bags.reduction, "keepdims").value_or(1) != 0 ||
      axisOf(body, bags.reduction) != 0)
    return std::nullopt;
  StringRef counter = graph.input(0).name();
  std::string rows = bags.reduction->input(0);
  if (Node scaled = body.find(rows, "Mul"); scaled && scaled->input_size() == 2) {
    Node column = body.find(scaled->input(1), "Unsqueeze");
    if (column && axisOf(body, column) == 1)
      bags.weights = sliceOfBag(body, body.find(column->input(0), "Slice"), counter, bags);
    if (bags.weights.empty())
      return std::nullopt;
    rows = scaled->input(0);
  }
  Node lookup = body.find(rows, "Gather");
  if (!lookup || lookup->input_size() != 2 || body.contains(lookup->input(0)) ||
      integerAttribute(*lookup, "axis").value_or(0) != 0)
    return std::nullopt;
  bags.table = lookup->input(0);
  bags.indices = sliceOfBag(body, body.find(lookup->input(1), "Slice"), counter, bags);
  bool isWhole = !bags.indices.empty() && !body.contains(bags.indices) &&
                 !body.contains(bags.starts) && !body.contains(bags.ends) &&
                 (bags.weights.empty() || !body.contains(bags.weights));
  return isWhole ? std::optional(bags) : std::nullopt;
}

/// The matrix that is a list in one row, and as wide as `width`; null if there is none.
static Value matrixOf(const Producers &outside, StringRef list, int64_t width, TensorScope &scope,
                      Location location) {
  Node reshape = outside.find(list, "Reshape");
  std::optional<Sizes> shape = reshape && reshape->input_size() == 2
                                   ? scope.lookupSizes(reshape->input(1), location)
                                   : std::nullopt;
  if (!shape || shape->isScalar || shape->values != SmallVector<int64_t>{-1})
    return nullptr;
  Value matrix = scope.lookup(reshape->input(0), location);
  auto type = matrix ? dyn_cast<RankedTensorType>(matrix.getType()) : RankedTensorType();
  return type && type.getRank() == 2 && type.getDimSize(1) == width ? matrix : Value();
}

/// The step of 0, step, 2 step, ... up to `limit`, to which one more entry is joined; 0 for what is
/// no such list.
static int64_t widthOfBags(const Producers &outside, const Bags &bags, TensorScope &scope,
                           std::optional<SizeTerm> &limit, Location location) {
  Node later = outside.find(bags.ends, "Slice"), joined = outside.find(bags.starts, "Concat");
  if (!later || !joined || later->input_size() < 3 || later->input(0) != bags.starts ||
      joined->input_size() != 2)
    return 0;
  std::optional<Sizes> first = scope.lookupBounds(later->input(1), location),
                       last = scope.lookupBounds(later->input(2), location);
  Node range = outside.find(joined->input(0), "Range");
  bool dropsFirst = first && last && first->values == SmallVector<int64_t>{1} &&
                    last->values.front() >= std::numeric_limits<int32_t>::max();
  if (!dropsFirst || !range || range->input_size() != 3)
    return 0;
  std::optional<Sizes> start = scope.lookupSizes(range->input(0), location),
                       end = scope.lookupSizes(range->input(1), location),
                       step = scope.lookupSizes(range->input(2), location);
  if (!start || !end || !step || start->values.front() != 0 || !step->areKnown())
    return 0;
  limit = end->term(0);
  return step->values.front();
}

std::optional<LogicalResult> GraphImporter::importBags(const proto::NodeProto &node,
                                                       const proto::GraphProto &body,
                                                       Location location) {
  std::optional<Bags> bags =
      body.output_size() == 2 && node.input_size() == 2 && !call ? findBags(body) : std::nullopt;
  if (!bags)
    return std::nullopt;
  Producers outside(file.model().graph());
  std::optional<SizeTerm> limit;
  int64_t width = widthOfBags(outside, *bags, tensorScope, limit, location);
  Node count = outside.find(node.input(0), "Gather");
  Node shape = count ? outside.find(count->input(0), "Shape") : nullptr;
  if (width < 1 || !limit || !shape || shape->input(0) != bags->ends)
    return std::nullopt;
  Value indices = matrixOf(outside, bags->indices, width, tensorScope, location);
  Value weights = bags->weights.empty()
                      ? Value()
                      : matrixOf(outside, bags->weights, width, tensorScope, location);
  Value table = tensorScope.lookup(bags->table, location);
  if (!indices || !table || (!weights && !bags->weights.empty()))
    return std::nullopt;
  auto termOf = [&](SizeOrigin size) { return work.origins.termOf(size); };
  std::optional<SizeTerm> all =
      combine("Mul", SizeTerm{{indices, 0}}, SizeTerm::number(width), termOf);
  if (!all || canonical(*all, termOf) != canonical(*limit, termOf))
    return std::nullopt;

  auto create = [&](StringRef op, ArrayRef<Value> operands, StringRef name, Attribute value) {
    NamedAttrList attributes;
    attributes.set(name, value);
    if (op.starts_with("Reduce"))
      attributes.set("keepdims", builder.getI64IntegerAttr(0));
    Operation *created = llvm::is_contained(operands, Value())
                             ? nullptr
                             : createInferred(builder, location, op, operands, attributes);
    return created ? created->getResult(0) : Value();
  };
  Value rows = create("Gather", {table, indices}, "axis", builder.getI64IntegerAttr(0));
  if (weights) {
    Value column = create("Unsqueeze", {weights}, "axes", builder.getDenseI64ArrayAttr({2}));
    Operation *scaled =
        rows && column ? createInferred(builder, location, "Mul", {rows, column}, {}) : nullptr;
    rows = scaled ? scaled->getResult(0) : Value();
  }
  Value reduced =
      create(bags->reduction->op_type(), {rows}, "axes", builder.getDenseI64ArrayAttr({1}));
  if (!reduced)
    return failure();
  tensorScope.define(node.output(0), reduced);
  return success();
}
