// Safetensors as initializers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/GivenValues.h"

#include "lib/frontend/model/ElementTypes.h"
#include "runtime/host/checkpoint/Safetensors.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti::frontend;

static int32_t elementTypeOf(StringRef name) {
  return llvm::StringSwitch<int32_t>(name)
      .Case("F64", proto::TensorProto::DOUBLE)
      .Case("F32", proto::TensorProto::FLOAT)
      .Case("F16", proto::TensorProto::FLOAT16)
      .Case("BF16", proto::TensorProto::BFLOAT16)
      .Case("I64", proto::TensorProto::INT64)
      .Case("I32", proto::TensorProto::INT32)
      .Case("I16", proto::TensorProto::INT16)
      .Case("I8", proto::TensorProto::INT8)
      .Case("U64", proto::TensorProto::UINT64)
      .Case("U32", proto::TensorProto::UINT32)
      .Case("U16", proto::TensorProto::UINT16)
      .Case("U8", proto::TensorProto::UINT8)
      .Case("BOOL", proto::TensorProto::BOOL)
      .Default(proto::TensorProto::UNDEFINED);
}

/// "FLOAT [3, ?]"
static std::string describeType(StringRef type, ArrayRef<int64_t> sizes) {
  auto describe = [](int64_t size) { return size < 0 ? std::string("?") : std::to_string(size); };
  return (type + " [" + llvm::join(llvm::map_range(sizes, describe), ", ") + "]").str();
}

/// The sizes of an input, -1 for those that vary; `rank` times -1 if it has no shape.
static SmallVector<int64_t> sizesOf(const proto::ValueInfoProto &input, size_t rank) {
  if (!input.type().tensor_type().has_shape())
    return SmallVector<int64_t>(rank, -1);
  SmallVector<int64_t> sizes;
  for (const auto &dimension : input.type().tensor_type().shape().dim())
    sizes.push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
  return sizes;
}

std::unique_ptr<GivenValues> GivenValues::open(StringRef path, Location location) {
  // A 0 after a file whose pages are full would take a copy of it.
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (std::error_code code = file.getError())
    return emitError(location) << "cannot open '" << path << "': " << code.message(), nullptr;
  auto parsed = tutti::runtime::checkpoint::parse((*file)->getBuffer());
  if (!parsed) {
    emitError(location) << "'" << path << "' is no safetensors file: " << parsed.error().message;
    return nullptr;
  }
  auto values = std::make_unique<GivenValues>();
  values->path = path.str();
  values->buffer = std::move(*file);
  for (auto &[name, tensor] : *parsed)
    values->tensors[name] = {elementTypeOf(tensor.type), tensor.type, std::move(tensor.shape),
                             ArrayRef<char>(tensor.data.data(), tensor.data.size())};
  return values;
}

LogicalResult GivenValues::checkBindings(const proto::ModelProto &model, Location location) const {
  for (const proto::TrainingInfoProto &info : model.training_info())
    for (const auto &binding : info.initialization_binding())
      if (tensors.count(binding.key()))
        return emitError(location) << "the model's training_info computes the initial value of '"
                                   << binding.key() << "', which '" << path << "' has, too";
  return success();
}

LogicalResult GivenValues::checkType(const Entry &entry, int32_t elementType,
                                     ArrayRef<int64_t> sizes, Location location) const {
  const auto &[name, given] = entry;
  auto fits = [](auto pair) {
    return std::get<0>(pair) < 0 || std::get<0>(pair) == std::get<1>(pair);
  };
  if (elementType == given.elementType && sizes.size() == given.shape.size() &&
      llvm::all_of(llvm::zip_equal(sizes, given.shape), fits))
    return success();
  std::string type = given.elementType == proto::TensorProto::UNDEFINED
                         ? given.typeName
                         : elementTypeName(given.elementType);
  return emitError(location) << "'" << name << "' is " << describeType(type, given.shape) << " in '"
                             << path << "', but "
                             << describeType(elementTypeName(elementType), sizes)
                             << " in the model";
}

void GivenValues::fill(const Entry &entry, proto::TensorProto &tensor) {
  const auto &[name, given] = entry;
  tensor.Clear();
  tensor.set_name(name);
  tensor.set_data_type(given.elementType);
  for (int64_t size : given.shape)
    tensor.add_dims(size);
  made[&tensor] = &given;
}

LogicalResult GivenValues::addTo(proto::ModelProto &model, Location location) {
  if (failed(checkBindings(model, location)))
    return failure();
  proto::GraphProto &graph = *model.mutable_graph();
  std::set<StringRef> used;
  for (proto::TensorProto &tensor : *graph.mutable_initializer()) {
    auto found = tensors.find(tensor.name());
    if (found == tensors.end())
      continue;
    if (failed(checkType(*found, tensor.data_type(), llvm::to_vector(tensor.dims()), location)))
      return failure();
    fill(*found, tensor);
    used.insert(found->first);
  }
  for (const proto::ValueInfoProto &input : graph.input()) {
    auto found = tensors.find(input.name());
    if (found == tensors.end() || !used.insert(found->first).second)
      continue;
    if (failed(checkType(*found, input.type().tensor_type().elem_type(),
                         sizesOf(input, found->second.shape.size()), location)))
      return failure();
    fill(*found, *graph.add_initializer());
  }
  return reportUnused(used, location);
}

LogicalResult GivenValues::reportUnused(const std::set<StringRef> &used, Location location) const {
  SmallVector<StringRef> unused;
  for (const Entry &entry : tensors)
    if (!used.count(entry.first))
      unused.push_back(entry.first);
  std::string names =
      llvm::join(ArrayRef(unused).take_front(5), ", ") + (unused.size() > 5 ? " and others" : "");
  if (used.empty())
    return emitError(location) << "no tensor of '" << path << "' is named like an input or an "
                               << "initializer of the model; it has " << names;
  if (!unused.empty())
    emitWarning(location) << "of the tensors of '" << path << "', " << unused.size()
                          << (unused.size() == 1 ? " has" : " have")
                          << " no name of an input or an initializer of the model: " << names;
  return success();
}

std::optional<MappedBytes> GivenValues::find(const proto::TensorProto &tensor) const {
  const Given *given = made.lookup(&tensor);
  if (!given)
    return std::nullopt;
  return MappedBytes{given->bytes, buffer};
}
