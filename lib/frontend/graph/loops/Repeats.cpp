// torch.repeat_interleave as PyTorch writes it where a size varies: what is repeated is a sequence
// of entries, and a loop over them repeats each and puts it into another sequence. All entries that
// are repeated equally often are repeated at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphImporter.h"

#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/graph/loops/Producers.h"
#include "lib/frontend/graph/sizes/SizeMoves.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {

using Node = Producers::Node;

/// The nodes of a body that repeats an entry: all of them are there.
struct RepeatedEntry {
  Node insert, reshape, expand, unsqueeze, entry, times;
};

} // namespace

static std::optional<RepeatedEntry> findRepeat(const proto::GraphProto &body) {
  Producers nodes(body);
  StringRef counter = body.input(0).name();
  auto inputOf = [](Node node) { return node ? StringRef(node->input(0)) : StringRef(); };
  RepeatedEntry found{};
  found.insert = nodes.find(body.output(1).name(), "SequenceInsert");
  if (!found.insert || found.insert->input_size() != 2 ||
      found.insert->input(0) != body.input(2).name())
    return std::nullopt;
  found.reshape = nodes.find(found.insert->input(1), "Reshape");
  found.expand = nodes.find(inputOf(found.reshape), "Expand");
  found.unsqueeze = nodes.find(inputOf(found.expand), "Unsqueeze");
  found.entry = nodes.find(inputOf(found.unsqueeze), "SequenceAt");
  for (const proto::NodeProto &node : body.node())
    if (node.op_type() == "SequenceAt" && &node != found.entry)
      found.times = found.times ? nullptr : &node;
  bool isWhole = found.entry && found.times && found.entry->input(1) == counter &&
                 found.times->input(1) == counter && found.expand->input_size() == 2 &&
                 found.reshape->input_size() == 2;
  return isWhole ? std::optional(found) : std::nullopt;
}

/// The number that a vector is, whose length varies; none if it is more than one.
static std::optional<int64_t> repeatedNumber(Value vector) {
  auto expand = vector.getDefiningOp<tutti::onnx::ExpandOp>();
  DenseElementsAttr content;
  bool isOne = expand && matchPattern(expand->getOperand(0), m_Constant(&content)) &&
               content.getElementType().isInteger(64) && content.isSplat();
  return isOne ? std::optional((*content.getValues<APInt>().begin()).getSExtValue()) : std::nullopt;
}

/// Whether the sizes are those of an entry, [..., 1, ...], with `count` after its dimension `axis`.
static bool areOfRepeat(const std::optional<Sizes> &sizes, RankedTensorType type, int64_t axis,
                        int64_t count) {
  if (!sizes || int64_t(sizes->values.size()) != type.getRank() + 1)
    return false;
  for (auto [i, size] : llvm::enumerate(sizes->values)) {
    auto place = static_cast<int64_t>(i);
    int64_t own = place == axis       ? 1
                  : place == axis + 1 ? count
                                      : type.getDimSize(place - (place > axis));
    if (size != own && (size != 1 || place == axis + 1))
      return false;
  }
  return true;
}

/// Whether a reshape joins dimension `axis` and the one after it, and keeps all others.
static bool joins(const std::optional<Sizes> &sizes, RankedTensorType type, int64_t axis) {
  if (!sizes || int64_t(sizes->values.size()) != type.getRank())
    return false;
  for (auto [i, size] : llvm::enumerate(sizes->values)) {
    auto place = static_cast<int64_t>(i);
    bool isKept = size == type.getDimSize(place) || (size == 0 && place < axis);
    if (place == axis ? size != -1 : !isKept || ShapedType::isDynamic(size))
      return false;
  }
  return true;
}

bool GraphImporter::repeatsEntries(const proto::GraphProto &body, Value tensor, int64_t axis,
                                   int64_t count, Location location) {
  RepeatedEntry found = *findRepeat(body);
  GraphImporter inner(*this, /*seesOuter=*/true);
  inner.tensorScope.defineSizes(found.times->output(0), {{count}});
  NodeList nodes;
  llvm::StringSet<> given = {found.times->output(0)}, made;
  for (const proto::TensorProto &initializer : body.initializer()) {
    inner.tensorScope.defineConstant(initializer);
    given.insert(initializer.name());
  }
  for (const proto::NodeProto &node : body.node())
    if (!StringRef(node.op_type()).starts_with("Sequence") && &node != found.unsqueeze &&
        &node != found.expand && &node != found.reshape) {
      nodes.push_back(&node);
      made.insert(node.output().begin(), node.output().end());
    }
  for (Node node : nodes)
    for (StringRef name : dependenciesOf(*node))
      if (!made.contains(name))
        given.insert(name);
  SmallVector<StringRef> wanted = {found.expand->input(1), found.reshape->input(1)};
  if (found.unsqueeze->input_size() > 1)
    wanted.push_back(found.unsqueeze->input(1));
  if (failed(inner.importNested(nodes, given, wanted)))
    return false;
  auto type = cast<RankedTensorType>(tensor.getType());
  std::optional<Sizes> axes;
  if (found.unsqueeze->input_size() > 1)
    axes = inner.tensorScope.lookupSizes(found.unsqueeze->input(1), location);
  for (const auto &attribute : found.unsqueeze->attribute())
    if (attribute.name() == "axes")
      axes = Sizes{SmallVector<int64_t>(attribute.ints().begin(), attribute.ints().end())};
  return axes && axes->values == SmallVector<int64_t>{axis + 1} &&
         areOfRepeat(inner.tensorScope.lookupSizes(wanted[0], location), type, axis, count) &&
         joins(inner.tensorScope.lookupSizes(wanted[1], location), type, axis);
}

std::optional<LogicalResult> GraphImporter::importRepeats(const proto::NodeProto &node,
                                                          const proto::GraphProto &body,
                                                          Location location) {
  std::optional<RepeatedEntry> found =
      body.output_size() == 2 && node.input_size() == 3 ? findRepeat(body) : std::nullopt;
  if (!found)
    return std::nullopt;
  auto entries = singles.find(found->entry->input(0)), times = singles.find(found->times->input(0));
  auto empty = sequences.find(node.input(2));
  if (entries == singles.end() || times == singles.end() || empty == sequences.end() ||
      !empty->second.empty() || knownScalar(node.input(1), location).value_or(0) == 0)
    return std::nullopt;
  auto [tensor, axis] = entries->second;
  std::optional<Sizes> trips = tensorScope.lookupSizes(node.input(0), location);
  std::optional<SizeTerm> trip = trips && trips->values.size() == 1 ? trips->term(0) : std::nullopt;
  auto termOf = [&](SizeOrigin size) { return work.origins.termOf(size); };
  if (!trip || canonical(*trip, termOf) != canonical(SizeTerm{{tensor, axis}}, termOf))
    return std::nullopt;
  std::optional<int64_t> count = repeatedNumber(times->second.tensor);
  if (!count || *count < 1)
    return emitError(location)
           << describe(node)
           << ": how often each entry is repeated depends on data, and so does "
              "the size of the result; repeat all equally often, as "
              "repeat_interleave(n, dim) does, or look up the entry of each of a fixed "
              "number of places, i = (n.cumsum(0) <= "
              "torch.arange(places).unsqueeze(1)).sum(1).clamp(max=len(x) - 1), "
              "x[i], and give those beyond n.sum() no weight";
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!repeatsEntries(body, tensor, axis, *count, location))
    return std::nullopt;
  ImportedNode imported{node, location, node.op_type(), {}, {}};
  FormContext context{opset, tensorScope, builder, termOf};
  Composer with(imported, context);
  SmallVector<int64_t> wide(type.getRank() + 1, 1), back(axis, 0);
  wide[axis + 1] = *count;
  back.push_back(-1);
  llvm::append_range(back, type.getShape().drop_front(axis + 1));
  Value apart = with.create("Unsqueeze", tensor, {{"axes", with.integers(axis + 1)}});
  Value repeated = with.create("Expand", apart, {{"shape", with.integers(wide)}});
  Value whole = with.create("Reshape", repeated, {{"shape", with.integers(back)}});
  if (!whole)
    return failure();
  tensorScope.defineUnavailable(node.output(0), "a sequence whose length varies; only "
                                                "ConcatFromSequence takes it");
  joined[node.output(0)] = {whole, axis};
  return success();
}
