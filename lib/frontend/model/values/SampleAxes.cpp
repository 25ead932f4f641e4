// The dimension that has the name of the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/SampleAxes.h"

using namespace mlir;
using namespace tutti::frontend;

using Dimension = proto::TensorShapeProto::Dimension;

SampleAxes::SampleAxes(const proto::GraphProto &graph) {
  for (const auto *list : {&graph.input(), &graph.output()})
    for (const proto::ValueInfoProto &value : *list)
      if (const auto &dimensions = value.type().tensor_type().shape().dim(); !dimensions.empty())
        if (const std::string &name = dimensions[0].dim_param(); !name.empty())
          ++leading[name];
  for (const proto::ValueInfoProto &input : graph.input()) {
    const auto &dimensions = input.type().tensor_type().shape().dim();
    auto samples = static_cast<int>(of(input));
    turns |= samples != 0;
    if (!dimensions.empty() && !dimensions[samples].dim_param().empty())
      ++ofInputs[dimensions[samples].dim_param()];
  }
}

/// A letter is the batch where it is after the steps, and perhaps a width elsewhere.
static bool saysBatch(StringRef name, int64_t axis) {
  return name.contains_insensitive("batch") || name == "bs" ||
         (axis < 2 && (name == "B" || name == "N"));
}

bool SampleAxes::isOfBatch(const Dimension &dimension, int64_t axis) const {
  StringRef name = dimension.dim_param();
  return !name.empty() && (saysBatch(name, axis) || leading.contains(name));
}

int64_t SampleAxes::of(const proto::ValueInfoProto &value) const {
  const auto &dimensions = value.type().tensor_type().shape().dim();
  if (dimensions.size() < 2 || dimensions[0].dim_value() == -1)
    return 0;
  StringRef first = dimensions[0].dim_param();
  std::optional<int64_t> found;
  for (int axis = 1; axis < dimensions.size(); ++axis) {
    // The name of an open first dimension is a name like any other: that of the batch says so.
    bool isFound = first.empty()
                       ? dimensions[0].has_dim_value() && isOfBatch(dimensions[axis], axis)
                       : saysBatch(dimensions[axis].dim_param(), axis) && !saysBatch(first, 0);
    if (isFound && found)
      return 0;
    if (isFound)
      found = axis;
  }
  return found.value_or(0);
}

bool SampleAxes::isBatch(const Dimension &dimension) const {
  return dimension.has_dim_param() && ofInputs.contains(dimension.dim_param());
}
