// Positions in a sequence as angles: pairs of features, turned by them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"

#include <limits>

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// Operands are the features, [batch, heads, entries, size] or [batch, entries, heads * size];
/// cosines and sines; and perhaps places, [batch, entries], or the first place of all, [1].
class Rotation {
public:
  Rotation(ImportedNode &node, FormContext &context) : node(node), with(node, context) {}

  LogicalResult read();
  Value compute();

private:
  Value slice(Value value, int64_t first, int64_t last) { // along the last dimension
    return with.create("Slice", value,
                       {{"starts", with.integers(first)},
                        {"ends", with.integers(last)},
                        {"axes", with.integers(typeOf(value).getRank() - 1)}});
  }
  Value angles(Value table);

  ImportedNode &node;
  Composer with;
  Value features;               ///< [batch, heads, entries, size], or [batch, entries, heads, size]
  int64_t head = 1;             ///< which dimension of it the heads are
  int64_t size = 0, turned = 0; ///< of a head, and how many of these are turned
  bool areJoined = false;       ///< the operand has three dimensions
};

} // namespace

LogicalResult Rotation::read() {
  for (Value operand : ArrayRef(node.operands).take_front(3))
    if (!isa_and_nonnull<RankedTensorType>(operand ? operand.getType() : Type()))
      return node.emitError() << "needs features, cosines and sines whose ranks are known";
  features = node.operands[0];
  RankedTensorType type = typeOf(features), table = typeOf(node.operands[1]);
  turned = node.integer("rotary_embedding_dim", 0);
  areJoined = type.getRank() == 3;
  int64_t last = type.getShape().back(), heads = node.integer("num_heads", 0);
  if ((type.getRank() != 3 && type.getRank() != 4) || ShapedType::isDynamic(last))
    return node.emitError() << "needs features [batch, heads, entries, size] or [batch, entries, "
                               "heads * size], of which the last size is known, got "
                            << type;
  if (areJoined && heads == 0 && turned == 0 && !table.isDynamicDim(table.getRank() - 1))
    size = 2 * table.getShape().back(); // as ONNX Runtime tells it
  else
    size = areJoined && heads > 0 ? last / heads : areJoined ? 0 : last;
  if (size < 1 || last % size != 0 || (areJoined && heads > 0 && heads * size != last))
    return node.emitError() << "cannot divide the last dimension of " << type << " into " << heads
                            << " heads (num_heads)";
  turned = turned == 0 ? size : turned;
  bool hasPlaces = node.operand(3) != nullptr;
  int64_t rank = hasPlaces ? 2 : 3;
  if (turned % 2 != 0 || turned > size || table.getRank() != rank ||
      typeOf(node.operands[2]).getRank() != rank || table.getShape().back() != turned / 2)
    return node.emitError() << "needs cosines and sines of " << turned / 2
                            << " angles, half of what is turned of each head, "
                            << (hasPlaces ? "[places, angles]" : "[batch, entries, angles]")
                            << ", got " << table << " and " << node.operands[2].getType();
  if (!areJoined)
    return success();
  head = 2;
  features =
      with.create("Reshape", features, {{"shape", with.integers({0, 0, last / size, size})}});
  return success(features != nullptr);
}

/// What `table` says of each entry, with a dimension for the heads.
Value Rotation::angles(Value table) {
  if (Value places = node.operand(3)) {
    Type integer = with.builder.getI64Type();
    places = with.cast(places, integer);
    if (places && typeOf(places).getRank() == 1) // of the first entry
      places = with.create("Unsqueeze",
                           with.create("Add", {places, with.countOf(features, 3 - head, 0)}),
                           {{"axes", with.integers(0)}});
    table = with.create("Gather", {table, places}, {{"axis", with.integer(0)}});
  }
  return with.create("Unsqueeze", with.cast(table, typeOf(features).getElementType()),
                     {{"axes", with.integers(head)}});
}

Value Rotation::compute() {
  Value cosine = angles(node.operands[1]), sine = angles(node.operands[2]), first, second;
  Value some = turned == size ? features : slice(features, 0, turned);
  bool areNeighbours = node.integer("interleaved", 0) != 0;
  int64_t half = turned / 2;
  if (!cosine || !sine || !some)
    return nullptr;
  if (areNeighbours) {
    Value pairs = with.create("Reshape", some, {{"shape", with.integers({0, 0, 0, half, 2})}});
    auto ofPair = [&](int64_t which) {
      Value index = with.number(with.builder.getI64Type(), double(which));
      return with.create("Gather", {pairs, index}, {{"axis", with.integer(4)}});
    };
    first = ofPair(0), second = ofPair(1);
  } else {
    first = slice(some, 0, half), second = slice(some, half, turned);
  }
  auto products = [&](StringRef op, Value a, Value b) {
    return with.create(op, {with.create("Mul", {a, first}), with.create("Mul", {b, second})});
  };
  Value real = products("Sub", cosine, sine), imaginary = products("Add", sine, cosine), result;
  if (areNeighbours) {
    auto apart = [&](Value value) {
      return with.create("Unsqueeze", value, {{"axes", with.integers(4)}});
    };
    Value pairs =
        with.create("Concat", {apart(real), apart(imaginary)}, {{"axis", with.integer(4)}});
    result = with.create("Reshape", pairs, {{"shape", with.integers({0, 0, 0, turned})}});
  } else {
    result = with.create("Concat", {real, imaginary}, {{"axis", with.integer(3)}});
  }
  if (turned != size)
    result = with.create("Concat",
                         {result, slice(features, turned, std::numeric_limits<int64_t>::max())},
                         {{"axis", with.integer(3)}});
  if (!areJoined)
    return result;
  return with.create("Reshape", result,
                     {{"shape", with.integers({0, 0, typeOf(node.operands[0]).getDimSize(2)})}});
}

LogicalResult tutti::frontend::composeRotaryEmbedding(ImportedNode &node, FormContext &context,
                                                      Results &results) {
  Rotation rotation(node, context);
  if (failed(rotation.read()))
    return failure();
  results.push_back(rotation.compute());
  return success(results.back() != nullptr);
}
