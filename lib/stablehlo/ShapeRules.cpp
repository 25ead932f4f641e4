// Rules for operations that compute element by element, or move elements without computing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;
using namespace tutti::stablehlo;

/// All operands of the rank of the first part become that part. Fails if another is part of
/// something else.
static std::optional<Rule> alignWith(Question &question, Form part, int64_t rank) {
  for (auto [index, form] : llvm::enumerate(question.forms)) {
    if (form.isPart() && form.axis != part.axis)
      return question.refuse("combines a value whose samples lie along dimension " +
                             llvm::Twine(part.axis) + " with one whose samples lie along " +
                             llvm::Twine(form.axis));
    RankedTensorType type = question.getType(index);
    if (form.isWhole() && type && type.getRank() == rank)
      question.forms[index] = part;
  }
  return question.give(part);
}

std::optional<Rule> tutti::stablehlo::findElementwiseRule(Question &question) {
  unsigned first = question.findPart();
  int64_t rank = question.getType(first).getRank();
  if (!question.getResultType() || question.getResultType().getRank() != rank)
    return question.refuse("changes the number of dimensions");
  return alignWith(question, question.forms[first], rank);
}

std::optional<Rule> tutti::stablehlo::findBarrierRule(Question &question) {
  return Rule{question.forms, question.forms};
}

/// Block r of an axis is block r of the axis of the result that the same elements stand before.
std::optional<Rule> tutti::stablehlo::findReshapeRule(Question &question) {
  int64_t axis = question.forms[0].axis;
  ArrayRef<int64_t> from = question.getType(0).getShape();
  ArrayRef<int64_t> to = question.getResultType().getShape();
  auto product = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>());
  };
  int64_t before = product(from.take_front(axis));
  for (int64_t at = 0; at < static_cast<int64_t>(to.size()); ++at)
    if (product(to.take_front(at)) == before && to[at] % question.ranks == 0)
      return question.give(Form::part(at));
  return question.refuse("gives a shape in which the samples of a rank are no block of one "
                         "dimension that " +
                         llvm::Twine(question.ranks) + " ranks divide");
}

std::optional<Rule> tutti::stablehlo::findBroadcastRule(Question &question) {
  int64_t axis = question.forms[0].axis;
  SmallVector<int64_t> dimensions = getIntegers(question.op, "broadcast_dimensions");
  if (axis >= static_cast<int64_t>(dimensions.size()))
    return question.refuse("lacks broadcast_dimensions");
  int64_t to = dimensions[axis];
  if (to < 0 || to >= question.getResultType().getRank())
    return question.refuse("has broadcast_dimensions that its result does not have");
  if (question.getType(0).getDimSize(axis) != question.getResultType().getDimSize(to))
    return question.refuse("repeats the samples");
  return question.give(Form::part(to));
}

std::optional<Rule> tutti::stablehlo::findTransposeRule(Question &question) {
  SmallVector<int64_t> permutation = getIntegers(question.op, "permutation");
  auto *found = llvm::find(permutation, question.forms[0].axis);
  if (found == permutation.end())
    return question.refuse("lacks a permutation");
  return question.give(Form::part(found - permutation.begin()));
}

std::optional<Rule> tutti::stablehlo::findSliceRule(Question &question) {
  int64_t axis = question.forms[0].axis;
  if (question.getResultType().getDimSize(axis) != question.getType(0).getDimSize(axis))
    return question.refuse("takes some of the samples: dimension " + llvm::Twine(axis) +
                           ", which holds them, must be taken whole");
  return question.give(question.forms[0]);
}

std::optional<Rule> tutti::stablehlo::findPadRule(Question &question) {
  if (question.forms[1].isPart())
    return question.refuse("pads with a part of the batch");
  int64_t axis = question.forms[0].axis;
  for (StringRef name : {"edge_padding_low", "edge_padding_high", "interior_padding"}) {
    SmallVector<int64_t> padding = getIntegers(question.op, name);
    if (axis >= static_cast<int64_t>(padding.size()) || padding[axis] != 0)
      return question.refuse("pads along dimension " + llvm::Twine(axis) +
                             ", which holds the samples");
  }
  return question.give(question.forms[0]);
}

std::optional<Rule> tutti::stablehlo::findConcatenateRule(Question &question) {
  Form part = question.forms[question.findPart()];
  if (getInteger(question.op, "dimension") == part.axis)
    return question.refuse("joins values along dimension " + llvm::Twine(part.axis) +
                           ", which holds the samples: the blocks of the ranks would mix");
  return alignWith(question, part, question.getResultType().getRank());
}

std::optional<Rule> tutti::stablehlo::findReverseRule(Question &question) {
  int64_t axis = question.forms[0].axis;
  if (llvm::is_contained(getIntegers(question.op, "dimensions"), axis))
    return question.refuse("reverses the samples");
  return question.give(question.forms[0]);
}

/// Of matrices, or of lines for fft: what stands before them are samples of their own.
std::optional<Rule> tutti::stablehlo::findBatchedRule(Question &question) {
  Form part = question.forms[question.findPart()];
  RankedTensorType type = question.getResultType();
  size_t inner = isKind(question.op, "fft") ? getIntegers(question.op, "fft_length").size() : 2;
  if (!type || part.axis >= type.getRank() - static_cast<int64_t>(inner))
    return question.refuse("works across dimension " + llvm::Twine(part.axis) +
                           ", which holds the samples");
  return alignWith(question, part, type.getRank());
}

std::optional<Rule> tutti::stablehlo::findSortRule(Question &question) {
  Form part = question.forms[question.findPart()];
  RankedTensorType type = question.getResultType();
  int64_t dimension = getInteger(question.op, "dimension").value_or(-1);
  if (dimension < 0)
    dimension += type.getRank();
  if (dimension == part.axis)
    return question.refuse("sorts along dimension " + llvm::Twine(part.axis) +
                           ", which holds the samples");
  return alignWith(question, part, type.getRank());
}

std::optional<Rule> tutti::stablehlo::findDynamicSliceRule(Question &question) {
  if (!question.forms[0].isPart())
    return question.refuse("starts where a part of the batch says");
  if (question.count(Form::Kind::Part) > 1)
    return question.refuse("starts where a part of the batch says");
  return findSliceRule(question);
}

std::optional<Rule> tutti::stablehlo::findDynamicUpdateSliceRule(Question &question) {
  for (const Form &start : ArrayRef(question.forms).drop_front(2))
    if (start.isPart())
      return question.refuse("starts where a part of the batch says");
  Form part = question.forms[question.findPart()];
  if (question.getType(1).getRank() != question.getType(0).getRank())
    return question.refuse("replaces a part of another number of dimensions");
  if (question.getType(0).getDimSize(part.axis) != question.getType(1).getDimSize(part.axis))
    return question.refuse("replaces some of the samples: dimension " + llvm::Twine(part.axis) +
                           ", which holds them, must be replaced whole");
  return alignWith(question, part, question.getResultType().getRank());
}
