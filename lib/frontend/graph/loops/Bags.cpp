// nn.EmbeddingBag as PyTorch writes it: a loop over bags, each of which is a slice of a list of
// indices, looked up in a table and reduced. Where the list is a matrix in one row, and its rows
// are the bags, all of them are looked up at once, however many there are. Where bags begin as data
// say, all of the list is looked up, and each bag is a sum over what lies within it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphImporter.h"

#include "lib/frontend/forms/SizeForms.h"
#include "lib/frontend/graph/loops/Producers.h"
#include "lib/frontend/graph/sizes/SizeMoves.h"

#include "llvm/Support/Endian.h"

#include <limits>

using namespace mlir;
using namespace tutti::frontend;

namespace {

using Node = Producers::Node;

/// Names of what a loop over bags takes, and how a bag is reduced.
struct Bags {
  std::string table, indices, weights; ///< in one row; no weights: empty
  std::string starts, ends;            ///< of each bag
  Node reduction = nullptr;
};

} // namespace

/// An integer of the graphs around a body, by its name.
using OuterInteger = llvm::function_ref<std::optional<int64_t>(StringRef)>;

/// The only axis of a node: an attribute, or its second operand; none of anything else.
static std::optional<int64_t> axisOf(const Producers &body, Node node, OuterInteger outer) {
  for (const auto &attribute : node->attribute())
    if (attribute.name() == "axes" && attribute.ints_size() == 1)
      return attribute.ints(0);
  if (node->input_size() == 2 && !body.contains(node->input(1)))
    return outer(node->input(1));
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
static std::optional<Bags> findBags(const proto::GraphProto &graph, OuterInteger outer) {
  Producers body(graph);
  Bags bags;
  for (StringRef op : {"ReduceSum", "ReduceMean", "ReduceMax"})
    if (!bags.reduction)
      bags.reduction = body.find(graph.output(1).name(), op);
  if (!bags.reduction || integerAttribute(*bags.reduction, "keepdims").value_or(1) != 0 ||
      axisOf(body, bags.reduction, outer) != 0)
    return std::nullopt;
  StringRef counter = graph.input(0).name();
  std::string rows = bags.reduction->input(0);
  if (Node scaled = body.find(rows, "Mul"); scaled && scaled->input_size() == 2) {
    Node column = body.find(scaled->input(1), "Unsqueeze");
    if (column && axisOf(body, column, outer) == 1)
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

/// Whether each bag ends where the next one begins, and the last one at an entry that was joined to
/// the list of where they begin.
static bool areInOneRow(const Producers &outside, const Bags &bags, TensorScope &scope,
                        Location location) {
  Node later = outside.find(bags.ends, "Slice");
  if (!later || later->input_size() < 3 || later->input(0) != bags.starts)
    return false;
  auto bound = [&](int input) { return scope.lookupBounds(later->input(input), location); };
  std::optional<Sizes> first = bound(1), last = bound(2);
  std::optional<Sizes> step = later->input_size() > 4 ? bound(4) : first;
  return first && last && step && first->values == SmallVector<int64_t>{1} &&
         step->values == first->values &&
         last->values.front() >= std::numeric_limits<int32_t>::max();
}

/// The step of 0, step, 2 step, ... up to `limit`, to which one more entry is joined; 0 for what is
/// no such list.
static int64_t widthOfBags(const Producers &outside, const Bags &bags, TensorScope &scope,
                           std::optional<SizeTerm> &limit, Location location) {
  Node joined = outside.find(bags.starts, "Concat");
  if (!joined || joined->input_size() != 2 || !areInOneRow(outside, bags, scope, location))
    return 0;
  Node range = outside.find(joined->input(0), "Range");
  if (!range || range->input_size() != 3)
    return 0;
  std::optional<Sizes> start = scope.lookupSizes(range->input(0), location),
                       end = scope.lookupSizes(range->input(1), location),
                       step = scope.lookupSizes(range->input(2), location);
  if (!start || !end || !step || start->values.front() != 0 || !step->areKnown())
    return 0;
  limit = end->term(0);
  return step->values.front();
}

namespace {

/// Bags of a list that begin and end where data say. What is computed grows with the list where
/// each bag ends at the next one, and with bags times the list where it may end anywhere.
class PackedBags {
public:
  PackedBags(ImportedNode &node, FormContext &context)
      : with(node, context), sizes(node, context), context(context) {}

  Value table, indices, weights; ///< no weights: null
  Value starts, ends;            ///< of each bag; one more of the first, perhaps
  bool areInOneRow = false;      ///< `ends` is `starts` without its first entry

  /// Whether all is of the form that it must be; as many begin as end after it.
  bool read();
  /// Null after a diagnostic.
  Value reduce(StringRef reduction);

private:
  using Reduced = std::pair<Value, Value>; ///< a row of each bag, and how many entries it has

  bool isVector(Value value) { return value && typeOf(value).getRank() == 1; }
  Value column(Value vector) {
    return with.create("Unsqueeze", vector, {{"axes", with.integers(1)}});
  }
  Value zerosLike(Value integers) { return with.create("Sub", {integers, integers}); }
  Value placesOf(Value bounds);
  Value isWithin();
  Reduced reduceInOneRow(bool isMax);
  Reduced reduceAnywhere(bool isMax);

  Composer with;
  SizeBuilder sizes;
  FormContext &context;
  Value bounds, rows; ///< all of `starts`; what the list looks up
  Type element, integer;
};

} // namespace

bool PackedBags::read() {
  for (Value value : {table, indices, starts, ends})
    if (!value || !isa<RankedTensorType>(value.getType()))
      return false;
  bool isFloat = isa<FloatType>(typeOf(table).getElementType());
  if (!isFloat || typeOf(table).getRank() != 2 || !isVector(indices) || !isVector(starts) ||
      !isVector(ends) || (weights && !isVector(weights)))
    return false;
  std::optional<SizeTerm> more =
      combine("Sub", sizes.sizeAlong(starts, 0), sizes.sizeAlong(ends, 0), context.termOf);
  bounds = starts;
  areInOneRow &= more && *more == SizeTerm::number(1) && !typeOf(table).isDynamicDim(1);
  if (more && *more == SizeTerm::number(1))
    starts =
        with.create("Slice", starts, {{"starts", with.integers(0)}, {"ends", with.integers(-1)}});
  else if (!more || *more != SizeTerm::number(0))
    return false;
  return starts != nullptr;
}

/// Bounds of slices that are negative count from the end.
Value PackedBags::placesOf(Value bounds) {
  Value given = with.cast(bounds, integer), zero = with.number(integer, 0);
  Value fromEnd = with.create("Add", {given, sizes.number(sizes.sizeAlong(indices, 0))});
  return with.create("Where", {with.create("Less", {given, zero}), fromEnd, given});
}

/// [bags, entries of the list].
Value PackedBags::isWithin() {
  Value place = with.countOf(indices, 0, /*after=*/0);
  return with.create("And", {with.create("LessOrEqual", {column(placesOf(starts)), place}),
                             with.create("Less", {place, column(placesOf(ends))})});
}

PackedBags::Reduced PackedBags::reduceAnywhere(bool isMax) {
  Value within = isWithin(), share = with.cast(within, element);
  Value count = with.create("ReduceSum", share, {{"axes", with.integers(1)}});
  if (!isMax)
    return {with.create("MatMul", {share, rows}), count};
  Value none = with.number(element, -std::numeric_limits<double>::infinity());
  Value apart = with.create("Unsqueeze", within, {{"axes", with.integers(2)}});
  return {with.create("ReduceMax", with.create("Where", {apart, rows, none}),
                      {{"axes", with.integers(1)}, {"keepdims", with.integer(0)}}),
          count};
}

/// With what the program says where it stops.
static Location withNote(Location location, StringRef note) {
  auto named = location->findInstanceOf<NameLoc>();
  return named ? NameLoc::get(StringAttr::get(location.getContext(),
                                              named.getName().getValue() + ", " + note),
                              named.getChildLoc())
               : location;
}

/// Each row of the list is added to that of its bag, whose number is how many bags begin up to it,
/// less one. A list of bags that is out of order points at a bag that does not exist: the program
/// stops there.
PackedBags::Reduced PackedBags::reduceInOneRow(bool isMax) {
  Value zero = with.number(integer, 0), one = with.number(integer, 1);
  Value all = sizes.number(sizes.sizeAlong(indices, 0)), places = placesOf(bounds);
  places = with.create("Where", {with.create("Less", {places, zero}), zero, places});
  places = with.create("Where", {with.create("Less", {all, places}), all, places});
  auto part = [&](Value from, int64_t start, int64_t end) {
    return with.create("Slice", from,
                       {{"starts", with.integers(start)}, {"ends", with.integers(end)}});
  };
  Value first = part(places, 0, -1), last = part(places, 1, std::numeric_limits<int64_t>::max());
  Value begins =
      with.create("Concat", {zerosLike(with.cast(indices, integer)), with.integersAlong({0}, 0)},
                  {{"axis", with.integer(0)}});
  begins =
      with.create("ScatterElements", {begins, places, with.create("Add", {zerosLike(places), one})},
                  {{"axis", with.integer(0)}, {"reduction", with.builder.getStringAttr("add")}});
  Value begun = with.create("CumSum", part(begins, 0, -1), {{"axis", with.integer(0)}});
  Value bag = with.create("Sub", {begun, one});
  Value bags = sizes.number(sizes.sizeAlong(ends, 0));
  Value within = with.create(
      "And", {with.create("LessOrEqual", {zero, bag}), with.create("Less", {bag, bags})});
  Value misplaced = with.create("ReduceSum", with.cast(with.create("Less", {last, first}), integer),
                                {{"axes", with.integers(0)}, {"keepdims", with.integer(0)}});
  bag = with.create("Where", {within, bag, zero});
  bag = with.create("Where", {with.create("Less", {zero, misplaced}), bags, bag});

  Value nothing = with.number(element, isMax ? -std::numeric_limits<double>::infinity() : 0);
  Value counted = column(with.create("Sub", {last, first}));
  Value empty = with.create("Add", {with.cast(zerosLike(counted), element), nothing});
  SmallVector<double> zeros(typeOf(table).getDimSize(1), 0);
  empty = with.create("Add", {empty, with.numbersAlong(element, zeros, 0)});
  Value given = with.create("Where", {column(within), rows, nothing});
  ImportedNode checked = with.node;
  checked.location =
      withNote(checked.location, "whose bags must begin in their order, one after the other");
  Value reduced = Composer(checked, context)
                      .create("ScatterND", {empty, column(bag), given},
                              {{"reduction", with.builder.getStringAttr(isMax ? "max" : "add")}});
  return {reduced, with.cast(counted, element)};
}

/// As PyTorch has it, a bag without entries is 0, whatever is made of the others.
Value PackedBags::reduce(StringRef reduction) {
  Type stored = typeOf(table).getElementType();
  integer = with.builder.getI64Type();
  element = stored.getIntOrFloatBitWidth() < 32 ? with.builder.getF32Type() : stored;
  rows = with.create("Gather", {table, indices}, {{"axis", with.integer(0)}});
  if (weights)
    rows = with.create("Mul", {rows, column(weights)});
  rows = with.cast(rows, element);
  bool isMax = reduction == "ReduceMax";
  auto [reduced, count] = areInOneRow ? reduceInOneRow(isMax) : reduceAnywhere(isMax);
  if (reduction == "ReduceMean")
    reduced = with.create("Div", {reduced, with.create("Max", {count, with.number(element, 1)})});
  Value zero = with.number(element, 0);
  if (isMax)
    reduced = with.create("Where", {with.create("Less", {zero, count}), reduced, zero});
  return with.cast(reduced, stored);
}

std::optional<LogicalResult> GraphImporter::importPackedBags(const proto::NodeProto &node,
                                                             const proto::GraphProto &body,
                                                             Location location) {
  auto outer = [&](StringRef name) { return knownScalar(name, location); };
  std::optional<Bags> found = findBags(body, outer);
  if (!found)
    return std::nullopt;
  const Bags &bags = *found;
  auto termOf = [&](SizeOrigin size) { return work.origins.termOf(size); };
  ImportedNode imported{node, location, node.op_type(), {}, {}};
  FormContext context{opset, tensorScope, builder, termOf};
  PackedBags packed(imported, context);
  packed.areInOneRow = areInOneRow(Producers(file.model().graph()), bags, tensorScope, location);
  packed.table = tensorScope.lookup(bags.table, location);
  packed.indices = tensorScope.lookup(bags.indices, location);
  packed.starts = tensorScope.lookup(bags.starts, location);
  packed.ends = tensorScope.lookup(bags.ends, location);
  if (!bags.weights.empty()) {
    packed.weights = tensorScope.lookup(bags.weights, location);
    if (!packed.weights)
      return std::nullopt;
  }
  if (!packed.read())
    return std::nullopt;
  Value reduced = packed.reduce(bags.reduction->op_type());
  if (!reduced)
    return failure();
  tensorScope.define(node.output(0), reduced);
  return success();
}

std::optional<LogicalResult> GraphImporter::importBags(const proto::NodeProto &node,
                                                       const proto::GraphProto &body,
                                                       Location location) {
  auto outer = [&](StringRef name) { return knownScalar(name, location); };
  bool isBare = body.output_size() == 2 && node.input_size() == 2 && !call;
  std::optional<Bags> bags = isBare ? findBags(body, outer) : std::nullopt;
  if (!bags)
    return std::nullopt;
  Producers outside(file.model().graph());
  std::optional<SizeTerm> limit;
  Node count = outside.find(node.input(0), "Gather");
  Node shape = count ? outside.find(count->input(0), "Shape") : nullptr;
  if (!shape || shape->input(0) != bags->ends)
    return std::nullopt;
  int64_t width = widthOfBags(outside, *bags, tensorScope, limit, location);
  if (width < 1 || !limit)
    return importPackedBags(node, body, location);
  Value indices = matrixOf(outside, bags->indices, width, tensorScope, location);
  Value weights = bags->weights.empty()
                      ? Value()
                      : matrixOf(outside, bags->weights, width, tensorScope, location);
  Value table = tensorScope.lookup(bags->table, location);
  if (!indices || !table || (!weights && !bags->weights.empty()))
    return importPackedBags(node, body, location);
  auto termOf = [&](SizeOrigin size) { return work.origins.termOf(size); };
  std::optional<SizeTerm> all =
      combine("Mul", SizeTerm{{indices, 0}}, SizeTerm::number(width), termOf);
  if (!all || canonical(*all, termOf) != canonical(*limit, termOf))
    return importPackedBags(node, body, location);

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
