// Finds the dimensions of a graph that are open, and closes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/GivenSizes.h"

#include "lib/frontend/model/ModelFile.h"
#include "lib/frontend/model/Survey.h"
#include "lib/frontend/model/values/SampleAxes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti::frontend;

using Dimension = proto::TensorShapeProto::Dimension;

std::string GivenSizes::add(StringRef pair) {
  auto [name, text] = pair.rsplit('=');
  int64_t size = 0;
  if (name.empty() || text.getAsInteger(10, size) || size < 1)
    return "'" + pair.str() + "' is not NAME=SIZE, e.g. time=128";
  bool isNew = byName.try_emplace(name.str(), size).second;
  return isNew ? "" : "the size of '" + name.str() + "' is there twice";
}

static bool isOpen(const Dimension &dimension) {
  return !dimension.has_dim_value() || dimension.dim_value() == -1;
}

static proto::TensorShapeProto *shapeOf(proto::ValueInfoProto &value) {
  bool isTensor =
      value.has_type() && value.type().has_tensor_type() && value.type().tensor_type().has_shape();
  return isTensor ? value.mutable_type()->mutable_tensor_type()->mutable_shape() : nullptr;
}

namespace {

/// The dimensions of one graph.
class OpenSizes {
public:
  OpenSizes(const GivenSizes &given, proto::GraphProto &graph, Location location, Survey *survey)
      : given(given), graph(graph), axes(graph), location(location), survey(survey) {
    llvm::StringSet<> initializers;
    for (const proto::TensorProto &tensor : graph.initializer())
      initializers.insert(tensor.name());
    for (proto::ValueInfoProto &input : *graph.mutable_input())
      if (!initializers.contains(input.name()) && shapeOf(input))
        inputs.push_back(&input);
  }

  LogicalResult fix() {
    if (failed(takeNames()))
      return failure();
    writeNames();
    for (proto::ValueInfoProto *input : inputs)
      if (failed(takeData(*input)))
        return failure();
    writeNames();
    return success();
  }

private:
  /// Open dimensions that the model does not name, by the input and their number: `x:1`.
  std::map<std::string, Dimension *> placesWithoutNames() {
    std::map<std::string, Dimension *> places;
    for (proto::ValueInfoProto *input : inputs)
      for (auto [axis, dimension] : llvm::enumerate(*shapeOf(*input)->mutable_dim()))
        if (isOpen(dimension) && !dimension.has_dim_param())
          places[input->name() + ":" + std::to_string(axis)] = &dimension;
    return places;
  }

  LogicalResult takeNames() {
    llvm::SetVector<StringRef> names;
    for (proto::ValueInfoProto *input : inputs)
      for (const Dimension &dimension : shapeOf(*input)->dim())
        if (isOpen(dimension) && dimension.has_dim_param())
          names.insert(dimension.dim_param());
    std::map<std::string, Dimension *> places = placesWithoutNames();
    for (const auto &[name, size] : given.byName) {
      if (auto place = places.find(name); place != places.end() && !names.contains(name)) {
        place->second->set_dim_value(size);
        continue;
      }
      for (const auto &place : places)
        names.insert(place.first);
      if (!names.contains(name))
        return emitError(location)
               << "the size of '" << name << "' is given, but no input has an open dimension of "
               << "this name; " << (names.empty() ? "none is open" : "those are: ")
               << llvm::join(names, ", ");
      sizes[name] = size;
    }
    return success();
  }

  /// A shape of data, which have the samples first, with those along dimension `axis`.
  static SmallVector<int64_t> samplesAlong(int axis, ArrayRef<int64_t> data) {
    SmallVector<int64_t> shape(data);
    std::rotate(shape.begin(), shape.begin() + 1, shape.begin() + axis + 1);
    return shape;
  }

  /// Whether data are as the model has them in all dimensions but `samples`, as far as it says.
  static bool fits(ArrayRef<int64_t> data, const proto::TensorShapeProto &shape, int samples) {
    return llvm::all_of(llvm::enumerate(data), [&](auto size) {
      const Dimension &dimension = shape.dim(size.index());
      return int(size.index()) == samples || isOpen(dimension) ||
             dimension.dim_value() == size.value();
    });
  }

  /// The shape of the data for an input, with its samples where the input has them; none if there
  /// are none, or if another dimension may be the samples: a batch that the file fixes does not say
  /// that it is one, where the data have the sizes of the input with the samples elsewhere, too.
  std::optional<SmallVector<int64_t>> shapeOfData(StringRef input,
                                                  const proto::TensorShapeProto &shape, int samples,
                                                  ArrayRef<int> open) {
    auto data = given.shapeOfData ? given.shapeOfData(input) : std::nullopt;
    if (!data || static_cast<int>(data->size()) != shape.dim_size())
      return std::nullopt; // which is said where the data are read
    bool mayLieElsewhere = !isOpen(shape.dim(samples)) && llvm::any_of(open, [&](int axis) {
      return fits(samplesAlong(axis, *data), shape, axis);
    });
    return mayLieElsewhere ? std::nullopt : std::optional(samplesAlong(samples, *data));
  }

  LogicalResult takeData(proto::ValueInfoProto &input) {
    proto::TensorShapeProto &shape = *shapeOf(input);
    SmallVector<int> open;
    auto samples = static_cast<int>(axes.of(input));
    for (int axis = 0; axis < shape.dim_size(); ++axis)
      if (axis != samples && isOpen(shape.dim(axis)) && !axes.isBatch(shape.dim(axis)))
        open.push_back(axis);
    if (open.empty())
      return success();
    auto data = shapeOfData(input.name(), shape, samples, open);
    for (int axis : open) {
      Dimension &dimension = *shape.mutable_dim(axis);
      if (!data) {
        if (survey && survey->assumedSize > 0)
          assume(dimension, input.name(), axis, isOpen(shape.dim(samples)));
        continue;
      }
      int64_t size = (*data)[axis];
      if (!dimension.has_dim_param()) {
        dimension.set_dim_value(size);
        continue;
      }
      int64_t known = sizes.try_emplace(dimension.dim_param(), size).first->second;
      if (known != size)
        return emitError(location)
               << "dimension '" << dimension.dim_param() << "' is " << known
               << ", but in the data of input '" << input.name() << "' it is " << size;
    }
    return success();
  }

  /// What only data would say; but where the batch is not open, one without a name may be it.
  void assume(Dimension &dimension, const std::string &input, int axis, bool isBatchOpen) {
    if (dimension.has_dim_param()) {
      if (sizes.try_emplace(dimension.dim_param(), survey->assumedSize).second)
        survey->assumed.push_back(dimension.dim_param());
    } else if (isBatchOpen) {
      dimension.set_dim_value(survey->assumedSize);
      survey->assumed.push_back(input + ":" + std::to_string(axis));
    }
  }

  /// Into the types that the graph declares.
  void writeNames() {
    for (auto *list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
      for (proto::ValueInfoProto &value : *list)
        if (proto::TensorShapeProto *shape = shapeOf(value))
          for (Dimension &dimension : *shape->mutable_dim())
            if (auto size = sizes.find(dimension.dim_param());
                dimension.has_dim_param() && size != sizes.end())
              dimension.set_dim_value(size->second);
  }

  const GivenSizes &given;
  proto::GraphProto &graph;
  SampleAxes axes;
  Location location;
  Survey *survey; ///< null if nothing is to be assumed
  SmallVector<proto::ValueInfoProto *> inputs;
  std::map<std::string, int64_t> sizes; ///< by name
};

} // namespace

LogicalResult ModelFile::fixSizes(const GivenSizes &sizes) {
  return OpenSizes(sizes, *proto.mutable_graph(), location(), survey()).fix();
}
