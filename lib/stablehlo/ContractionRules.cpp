// Rules for operations that sum over a dimension: products, convolutions, reductions, windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti::stablehlo;

namespace {
/// The dimensions of one side of a dot_general.
struct DotSide {
  SmallVector<int64_t> batching, contracting;

  DotSide(Operation *op, StringRef side)
      : batching(getListIn(op, "dot_dimension_numbers", (side + "_batching_dimensions").str())),
        contracting(
            getListIn(op, "dot_dimension_numbers", (side + "_contracting_dimensions").str())) {}

  /// The place of `axis` among the dimensions that are neither.
  int64_t findFree(int64_t axis) const {
    int64_t place = 0;
    for (int64_t at = 0; at < axis; ++at)
      place += !llvm::is_contained(batching, at) && !llvm::is_contained(contracting, at);
    return place;
  }
};
} // namespace

static int64_t findPlace(ArrayRef<int64_t> list, int64_t axis) {
  const int64_t *found = llvm::find(list, axis);
  return found == list.end() ? -1 : found - list.begin();
}

/// The other side must lie as this one does along the dimension that both share.
static bool alignSide(Question &question, unsigned other, int64_t axis) {
  Form wanted = Form::part(axis);
  if (question.forms[other].isPart() && question.forms[other] != wanted)
    return false;
  question.forms[other] = wanted;
  return true;
}

std::optional<Rule> tutti::stablehlo::findDotRule(Question &question) {
  DotSide sides[] = {DotSide(question.op, "lhs"), DotSide(question.op, "rhs")};
  unsigned own = question.findPart(), other = 1 - own;
  int64_t axis = question.forms[own].axis;
  if (sides[0].batching.size() != sides[1].batching.size() ||
      sides[0].contracting.size() != sides[1].contracting.size())
    return question.refuse("pairs dimensions of one side with none of the other");
  const char *mixes = "multiplies samples with other samples: their dimensions are not the same";
  if (int64_t at = findPlace(sides[own].batching, axis); at >= 0)
    return alignSide(question, other, sides[other].batching[at])
               ? std::optional(question.give(Form::part(at)))
               : question.refuse(mixes);
  if (int64_t at = findPlace(sides[own].contracting, axis); at >= 0)
    return alignSide(question, other, sides[other].contracting[at])
               ? std::optional(question.give(Form::partial("add")))
               : question.refuse(mixes);
  if (question.forms[other].isPart())
    return question.refuse(mixes);
  int64_t before = sides[own].batching.size();
  if (own == 1) // behind the free dimensions of the left side
    before = question.getResultType().getRank() - question.getType(1).getRank() +
             sides[1].batching.size() + sides[1].contracting.size();
  return question.give(Form::part(before + sides[own].findFree(axis)));
}

std::optional<Rule> tutti::stablehlo::findConvolutionRule(Question &question) {
  std::optional<ConvolutionDimensions> found = getConvolutionDimensions(question.op);
  if (!found)
    return question.refuse("has dimension_numbers that are not of the form [b, f, 0]x[o, i, 0]->"
                           "[b, f, 0]");
  Form input = question.forms[0], kernel = question.forms[1];
  bool isGrouped = getInteger(question.op, "feature_group_count").value_or(1) != 1 ||
                   getInteger(question.op, "batch_group_count").value_or(1) != 1;
  if (input == Form::part(found->inputBatch) && kernel.isWhole() &&
      getInteger(question.op, "batch_group_count").value_or(1) == 1)
    return question.give(Form::part(found->outputBatch));
  bool isSummed = (input.isWhole() || input == Form::part(found->inputFeature)) &&
                  (kernel.isWhole() || kernel == Form::part(found->kernelInput));
  if (isSummed && !isGrouped) {
    question.forms = {Form::part(found->inputFeature), Form::part(found->kernelInput)};
    return question.give(Form::partial("add"));
  }
  if (input.isWhole() && kernel == Form::part(found->kernelOutput) && !isGrouped)
    return question.give(Form::part(found->outputFeature));
  return question.refuse("convolves along a dimension that holds samples, or groups them with "
                         "feature_group_count or batch_group_count");
}

/// Where `axis` is behind a reduction over `dimensions`.
static int64_t shiftAxis(ArrayRef<int64_t> dimensions, int64_t axis) {
  return axis - llvm::count_if(dimensions, [&](int64_t at) { return at < axis; });
}

/// What a neutral initial value is, is not known of every reduction: sums start at zero, and the
/// others may start anywhere, because the start is in the outcome once or N times alike.
static bool startsNeutral(Question &question, StringRef reduction, unsigned init) {
  if (reduction == "add")
    return isZero(question.op->getOperand(init));
  return reduction != "multiply";
}

std::optional<Rule> tutti::stablehlo::findReduceRule(Question &question) {
  SmallVector<int64_t> dimensions = getIntegers(question.op, "dimensions");
  unsigned inputs = question.op->getNumOperands() / 2;
  int64_t axis = question.forms[question.findPart()].axis;
  for (auto [index, form] : llvm::enumerate(question.forms)) {
    if (index >= inputs ? form.isPart() : form.isPart() && form.axis != axis)
      return question.refuse("reduces values whose samples lie along different dimensions");
    if (index < inputs)
      form = Form::part(axis);
  }
  if (!llvm::is_contained(dimensions, axis))
    return question.give(Form::part(shiftAxis(dimensions, axis)));
  StringRef reduction = getReduction(question.op->getRegion(0));
  if (inputs != 1 || reduction.empty())
    return question.refuse("reduces over the samples with more than one add, multiply, maximum, "
                           "minimum, and, or");
  if (!startsNeutral(question, reduction, 1))
    return question.refuse("reduces over the samples from an initial value that every rank would "
                           "count; start from a constant zero");
  return question.give(Form::partial(reduction));
}

/// Whether a window takes one sample at a time and leaves all of them where they are.
static bool leavesAlone(Operation *op, int64_t axis) {
  auto is = [&](StringRef name, int64_t place, int64_t expected) {
    SmallVector<int64_t> numbers = getIntegers(op, name);
    return numbers.empty() ||
           (place < static_cast<int64_t>(numbers.size()) && numbers[place] == expected);
  };
  return is("window_dimensions", axis, 1) && is("window_strides", axis, 1) &&
         is("base_dilations", axis, 1) && is("window_dilations", axis, 1) &&
         is("padding", 2 * axis, 0) && is("padding", 2 * axis + 1, 0);
}

std::optional<Rule> tutti::stablehlo::findWindowRule(Question &question) {
  unsigned inputs = question.op->getNumOperands() / 2;
  Form part = question.forms[question.findPart()];
  for (unsigned index = 0; index < inputs; ++index) {
    if (question.forms[index].isPart() && question.forms[index] != part)
      return question.refuse("reduces values whose samples lie along different dimensions");
    question.forms[index] = part;
  }
  if (question.count(Form::Kind::Part) != inputs)
    return question.refuse("starts from a part of the batch");
  if (!leavesAlone(question.op, part.axis))
    return question.refuse("has windows of several samples: its window, stride, dilation and "
                           "padding along dimension " +
                           llvm::Twine(part.axis) + " must be 1, 1, 1 and 0");
  return question.give(part);
}

std::optional<Rule> tutti::stablehlo::findSelectAndScatterRule(Question &question) {
  Form part = question.forms[question.findPart()];
  for (unsigned index = 0; index < 2; ++index) {
    if (question.forms[index].isPart() && question.forms[index] != part)
      return question.refuse("takes values whose samples lie along different dimensions");
    question.forms[index] = part;
  }
  if (question.forms[2].isPart() || !leavesAlone(question.op, part.axis))
    return question.refuse("has windows of several samples: its window, stride and padding along "
                           "dimension " +
                           llvm::Twine(part.axis) + " must be 1, 1 and 0");
  return question.give(part);
}
