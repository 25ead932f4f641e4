// Sequences of tensors whose length is known: each is a list of values, and no type of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphImporter.h"

#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/forms/SliceForms.h"
#include "lib/frontend/graph/loops/Producers.h"
#include "lib/frontend/graph/sizes/ShapeArithmetic.h"
#include "lib/frontend/graph/sizes/SizeMoves.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

/// Exporters split into heads or chunks.
static constexpr int64_t mostTensors = 4096;
/// Nobody asks for more chunks of a size that varies.
static constexpr int64_t mostChunks = 64;

bool GraphImporter::isOfSequences(StringRef op) {
  static constexpr StringRef operators[] = {
      "SplitToSequence", "SequenceConstruct", "SequenceEmpty",     "SequenceInsert",
      "SequenceAt",      "SequenceLength",    "ConcatFromSequence"};
  return llvm::is_contained(operators, op);
}

void GraphImporter::defineSequence(const std::string &name, const std::string &what,
                                   SmallVector<Value> tensors) {
  tensorScope.defineUnavailable(name, what +
                                          "; only SequenceAt, SequenceLength, SequenceInsert and "
                                          "ConcatFromSequence of the same graph take it");
  sequences[name] = std::move(tensors);
}

void GraphImporter::defineSequence(const proto::NodeProto &node, SmallVector<Value> tensors) {
  defineSequence(node.output(0), "a sequence of tensors that " + describe(node) + " makes",
                 std::move(tensors));
}

/// The tensor goes in front of the one at a place, or to the end.
LogicalResult GraphImporter::importSequenceInsert(const proto::NodeProto &node,
                                                  ArrayRef<Value> tensors, Location location) {
  Value tensor = tensorScope.lookup(node.input(1), location);
  if (!tensor)
    return failure();
  auto count = static_cast<int64_t>(tensors.size());
  bool isPlaced = node.input_size() > 2 && !node.input(2).empty();
  std::optional<int64_t> place = isPlaced ? knownScalar(node.input(2), location) : count;
  if (!place)
    return emitError(location) << describe(node) << ": its place '" << node.input(2)
                               << "' is not known before the program runs; export it unrolled";
  int64_t index = *place + (*place < 0 ? count : 0);
  if (index < 0 || index > count)
    return emitError(location) << describe(node) << ": place " << *place << " in a sequence of "
                               << count << " tensors";
  SmallVector<Value> more(tensors);
  more.insert(more.begin() + index, tensor);
  defineSequence(node, std::move(more));
  return success();
}

/// The sizes of the parts along a dimension of `size`, which varies if it is kDynamic.
FailureOr<SmallVector<int64_t>> GraphImporter::sizesOfSplit(const proto::NodeProto &node,
                                                            int64_t size, Location location) {
  auto error = [&]() { return emitError(location) << describe(node) << ": "; };
  bool isGiven = node.input_size() > 1 && !node.input(1).empty();
  std::optional<Sizes> given;
  if (isGiven)
    given = tensorScope.lookupSizes(node.input(1), location);
  if (isGiven && (!given || !given->areKnown()))
    return error()
           << "its sizes '" << node.input(1) << "' are not known before the program runs; "
           << "export it with sizes that are constants, and instead of repeat_interleave(n, "
              "0) of a batch x.unsqueeze(1).expand(-1, n, -1).flatten(0, 1)"
           << tensorScope.howToGive(node.input(1));
  if (isGiven && !given->isScalar)
    return given->values;
  int64_t step = isGiven ? given->values.front() : 1;
  if (ShapedType::isDynamic(size))
    return error() << "how many parts there are varies, as the dimension does that it splits; "
                      "split another one";
  if (step < 1 || size / step >= mostTensors)
    return error() << "parts of " << step << " of " << size << "; at least 1, and at most "
                   << mostTensors << " parts are supported";
  SmallVector<int64_t> parts(size / step, step);
  if (size % step)
    parts.push_back(size % step);
  return parts;
}

/// Parts that are chunks: as long as the whole part of a number of what is split, but the last one.
SmallVector<SizeTerm> GraphImporter::chunksOfSplit(const proto::NodeProto &node, SizeTerm size,
                                                   Location location) {
  auto termOf = [&](SizeOrigin origin) { return work.origins.termOf(origin); };
  std::optional<Sizes> given;
  if (node.input_size() > 1 && !node.input(1).empty())
    given = tensorScope.lookupSizes(node.input(1), location);
  std::optional<SizeTerm> each = given && given->isScalar ? given->term(0) : std::nullopt;
  for (int64_t parts = 2; each && !each->isNumber() && parts <= mostChunks; ++parts) {
    SmallVector<SizeTerm> chunks = equalParts(size, parts, termOf);
    std::optional<SizeTerm> rest =
        chunks.empty() ? std::nullopt : combine("Sub", chunks.front(), *each, termOf);
    if (rest && *rest == SizeTerm::number(0))
      return chunks;
  }
  return {};
}

/// Whether a vector is ones, as many as `tensor` is long.
bool GraphImporter::areOnesOf(StringRef sizes, Value vector, int64_t axis) {
  Producers nodes(file.model().graph());
  Producers::Node ones = call ? nullptr : nodes.find(sizes, "ConstantOfShape");
  Producers::Node shape = ones ? nodes.find(ones->input(0), "Shape") : nullptr;
  if (!shape || repeatedValue(*ones) != 1)
    return false;
  Value like = tensorScope.lookup(shape->input(0), vector.getLoc());
  if (!like || typeOf(like).getRank() != 1)
    return false;
  auto termOf = [&](SizeOrigin size) { return work.origins.termOf(size); };
  return canonical(SizeTerm{{like, 0}}, termOf) == canonical(SizeTerm{{vector, axis}}, termOf);
}

LogicalResult GraphImporter::importSplitToSequence(const proto::NodeProto &node,
                                                   Location location) {
  Value tensor = tensorScope.lookup(node.input(0), location);
  if (!tensor)
    return failure();
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t axis = integerAttribute(node, "axis").value_or(0);
  axis = axis < 0 ? axis + type.getRank() : axis;
  if (axis < 0 || axis >= type.getRank())
    return emitError(location) << describe(node) << ": axis must be in [-" << type.getRank() << ", "
                               << type.getRank() << ")";
  if (type.isDynamicDim(axis)) {
    SmallVector<SizeTerm> chunks = chunksOfSplit(node, SizeTerm{{tensor, axis}}, location);
    if (!chunks.empty()) {
      auto termOf = [&](SizeOrigin size) { return work.origins.termOf(size); };
      ImportedNode imported{node, location, node.op_type(), {tensor}, {}};
      FormContext context{opset, tensorScope, builder, termOf};
      SmallVector<Value> tensors = takeParts(imported, context, tensor, axis, chunks);
      if (tensors.empty() || llvm::is_contained(tensors, Value()))
        return failure();
      defineSequence(node, std::move(tensors));
      return success();
    }
    if (node.input_size() > 1 && areOnesOf(node.input(1), tensor, axis)) {
      tensorScope.defineUnavailable(node.output(0), "a sequence of entries, whose number varies; "
                                                    "only repeat_interleave by a number takes it");
      singles[node.output(0)] = {tensor, axis};
      return success();
    }
  }
  FailureOr<SmallVector<int64_t>> parts = sizesOfSplit(node, type.getDimSize(axis), location);
  if (failed(parts))
    return failure();
  NamedAttrList split, squeeze;
  split.set("split", builder.getDenseI64ArrayAttr(*parts));
  split.set("axis", builder.getI64IntegerAttr(axis));
  squeeze.set("axes", builder.getDenseI64ArrayAttr({axis}));
  Operation *created = createInferred(builder, location, "Split", {tensor}, split);
  if (!created)
    return failure();
  SmallVector<Value> tensors(created->getResults());
  bool keeps = node.input_size() > 1 || integerAttribute(node, "keepdims").value_or(1);
  for (Value &part : tensors) {
    Operation *entry =
        keeps ? nullptr : createInferred(builder, location, "Squeeze", {part}, squeeze);
    if (!keeps && !entry)
      return failure();
    part = keeps ? part : entry->getResult(0);
  }
  defineSequence(node, std::move(tensors));
  return success();
}

LogicalResult GraphImporter::importConcatFromSequence(const proto::NodeProto &node,
                                                      ArrayRef<Value> tensors, Location location) {
  if (tensors.empty())
    return emitError(location) << describe(node) << ": its sequence is empty";
  int64_t axis = integerAttribute(node, "axis").value_or(0);
  NamedAttrList added, joined;
  added.set("axes", builder.getDenseI64ArrayAttr({axis}));
  joined.set("axis", builder.getI64IntegerAttr(axis));
  SmallVector<Value> parts(tensors);
  bool isStacked = integerAttribute(node, "new_axis").value_or(0) != 0;
  for (Value &part : parts) {
    Operation *raised =
        isStacked ? createInferred(builder, location, "Unsqueeze", {part}, added) : nullptr;
    if (isStacked && !raised)
      return failure();
    part = isStacked ? raised->getResult(0) : part;
  }
  Operation *created = createInferred(builder, location, "Concat", parts, joined);
  if (!created)
    return failure();
  tensorScope.define(node.output(0), created->getResult(0));
  return success();
}

LogicalResult GraphImporter::importSequenceAt(const proto::NodeProto &node, ArrayRef<Value> tensors,
                                              Location location) {
  std::optional<int64_t> place = knownScalar(node.input(1), location);
  if (!place)
    return emitError(location) << describe(node) << ": its place '" << node.input(1)
                               << "' is not known before the program runs; export loops unrolled";
  int64_t count = static_cast<int64_t>(tensors.size());
  if (*place < -count || *place >= count)
    return emitError(location) << describe(node) << ": place " << *place << " of a sequence of "
                               << count << " tensors";
  tensorScope.define(node.output(0), tensors[*place < 0 ? *place + count : *place]);
  return success();
}

LogicalResult GraphImporter::importOfSequences(const proto::NodeProto &node, Location location) {
  if (node.op_type() == "SplitToSequence")
    return importSplitToSequence(node, location);
  if (node.op_type() == "SequenceConstruct") {
    SmallVector<Value> tensors;
    for (const std::string &input : node.input()) {
      tensors.push_back(tensorScope.lookup(input, location));
      if (!tensors.back())
        return failure();
    }
    defineSequence(node, std::move(tensors));
    return success();
  }
  if (node.op_type() == "SequenceEmpty") {
    defineSequence(node, {});
    return success();
  }
  auto whole = joined.find(node.input(0));
  bool isJoined = whole != joined.end() && node.op_type() == "ConcatFromSequence" &&
                  integerAttribute(node, "axis").value_or(0) == whole->second.axis &&
                  integerAttribute(node, "new_axis").value_or(0) == 0;
  if (isJoined) {
    tensorScope.define(node.output(0), whole->second.tensor);
    return success();
  }
  if (singles.count(node.input(0)) || joined.count(node.input(0)))
    return emitError(location) << describe(node) << ": how long its sequence '" << node.input(0)
                               << "' is varies; split a dimension of a known size";
  auto found = sequences.find(node.input(0));
  if (found == sequences.end())
    return emitError(location) << describe(node) << ": its sequence '" << node.input(0)
                               << "' is made by no SplitToSequence or SequenceConstruct of the "
                                  "same graph; export lists that grow in a loop unrolled";
  if (node.op_type() == "SequenceInsert")
    return importSequenceInsert(node, found->second, location);
  if (node.op_type() == "SequenceAt")
    return importSequenceAt(node, found->second, location);
  if (node.op_type() == "ConcatFromSequence")
    return importConcatFromSequence(node, found->second, location);
  Sizes length{{static_cast<int64_t>(found->second.size())}, /*isScalar=*/true};
  tensorScope.defineSizes(node.output(0), std::move(length));
  return success();
}
