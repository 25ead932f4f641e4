// Empties the initializers that are variables, and finds where their contents stand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/ModelFrame.h"

#include "lib/frontend/export/WireFields.h"
#include "lib/frontend/model/ExternalData.h"
#include "lib/frontend/model/ModelFile.h"
#include "lib/frontend/model/TensorReader.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <limits>
#include <set>

using namespace mlir;
using namespace tutti::frontend;

/// What one protocol buffer holds, with room for what changes in it.
static constexpr uint64_t mostBytesOfModel = std::numeric_limits<int>::max() - (1 << 20);

/// For any processor and any element, and as mapped files like it.
static constexpr uint64_t alignment = 64;

using google::protobuf::Message;
using UseTensor = llvm::function_ref<void(proto::TensorProto &)>;

/// Calls `use` for every tensor of `message`, however deep: initializers, attributes, functions.
static void forEachTensor(Message &message, UseTensor use) {
  if (message.GetDescriptor() == proto::TensorProto::descriptor())
    return use(static_cast<proto::TensorProto &>(message));
  const google::protobuf::Reflection *reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor *> fields;
  reflection->ListFields(message, &fields);
  for (const auto *field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    if (!field->is_repeated()) {
      forEachTensor(*reflection->MutableMessage(&message, field), use);
      continue;
    }
    for (int index = 0; index < reflection->FieldSize(message, field); ++index)
      forEachTensor(*reflection->MutableRepeatedMessage(&message, field, index), use);
  }
}

/// Calls `use` for every initializer that training can change.
static void forEachInitializer(proto::ModelProto &model, UseTensor use) {
  for (proto::TensorProto &tensor : *model.mutable_graph()->mutable_initializer())
    use(tensor);
  for (proto::TrainingInfoProto &info : *model.mutable_training_info())
    for (proto::TensorProto &tensor : *info.mutable_algorithm()->mutable_initializer())
      use(tensor);
}

static bool isExternal(const proto::TensorProto &tensor) {
  return tensor.data_location() == proto::TensorProto::EXTERNAL;
}

static void clearContent(proto::TensorProto &tensor) {
  tensor.clear_float_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_double_data();
  tensor.clear_uint64_data();
  tensor.clear_raw_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
}

static void setExternal(proto::TensorProto &tensor, StringRef location, uint64_t offset,
                        uint64_t bytes) {
  clearContent(tensor);
  tensor.set_data_location(proto::TensorProto::EXTERNAL);
  std::pair<const char *, std::string> entries[] = {{"location", location.str()},
                                                    {"offset", std::to_string(offset)},
                                                    {"length", std::to_string(bytes)}};
  for (const auto &[key, value] : entries) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
}

class ModelFrame::Contents {
public:
  explicit Contents(std::unique_ptr<ModelFile> file) : file(std::move(file)) { survey(); }

  bool hasDataFile() const { return !locations.empty() || isLarge; }
  FailureOr<std::vector<FramedFile>> frame(const llvm::StringSet<> &variables, StringRef target);

  std::unique_ptr<ModelFile> file;
  std::set<std::string> locations;
  llvm::StringMap<RankedTensorType> types; ///< of initializers

private:
  void survey();
  void emptyVariables(const llvm::StringSet<> &variables, FramedFile &data);
  LogicalResult moveConstants(FramedFile &data);
  FailureOr<FramedFile> writeModel(StringRef target);

  proto::ModelProto model; ///< a copy that changes
  bool isLarge = false;
  llvm::DenseSet<const proto::TensorProto *> moved;
  std::vector<VariableSlot> inlineSlots; ///< without their places
  std::vector<MappedBytes> mapped;       ///< what pieces point into
  std::string serialized;
};

/// What is wrong with a tensor that is no variable is not ours to say.
static RankedTensorType readTypeQuietly(const proto::TensorProto &tensor, Location location) {
  ScopedDiagnosticHandler quiet(location->getContext(), [](Diagnostic &) { return success(); });
  return TensorReader::readType(tensor, location);
}

void ModelFrame::Contents::survey() {
  model = file->model();
  forEachTensor(model, [&](proto::TensorProto &tensor) {
    for (const auto &entry : tensor.external_data())
      if (isExternal(tensor) && entry.key() == "location")
        locations.insert(entry.value());
  });
  // A list of small numbers takes fewer bytes than their values may.
  uint64_t largestSize = model.ByteSizeLong();
  forEachInitializer(model, [&](proto::TensorProto &tensor) {
    RankedTensorType type = readTypeQuietly(tensor, file->location(tensor.name()));
    types[tensor.name()] = type;
    if (type && !tensor.has_raw_data() && !isExternal(tensor))
      largestSize += TensorReader::storedBytes(type);
  });
  isLarge = largestSize > mostBytesOfModel;
}

/// Makes room for `bytes` at the end of `data`, and has `tensor` point there.
static uint64_t moveInto(FramedFile &data, proto::TensorProto &tensor, uint64_t bytes) {
  uint64_t offset = llvm::alignTo(data.size, alignment);
  data.size = offset + bytes;
  setExternal(tensor, llvm::sys::path::filename(data.target), offset, bytes);
  return offset;
}

void ModelFrame::Contents::emptyVariables(const llvm::StringSet<> &variables, FramedFile &data) {
  forEachInitializer(model, [&](proto::TensorProto &tensor) {
    if (!variables.contains(tensor.name()))
      return;
    RankedTensorType type = types.lookup(tensor.name());
    uint64_t bytes = TensorReader::storedBytes(type);
    constexpr uint64_t fewBytes = 1024;
    if (isExternal(tensor) || (isLarge && bytes > fewBytes)) {
      uint64_t offset = moveInto(data, tensor, bytes);
      data.slots.push_back({tensor.name(), type, offset, bytes});
      moved.insert(&tensor);
      return;
    }
    clearContent(tensor);
    tensor.set_raw_data(std::string(bytes, '\0'));
    inlineSlots.push_back({tensor.name(), type, /*offset=*/0, bytes});
  });
}

LogicalResult ModelFrame::Contents::moveConstants(FramedFile &data) {
  ExternalData external(file->folder());
  LogicalResult result = success();
  forEachTensor(model, [&](proto::TensorProto &tensor) {
    if (failed(result) || !isExternal(tensor) || moved.contains(&tensor))
      return;
    Location location = file->location(tensor.name());
    RankedTensorType type = TensorReader::readType(tensor, location);
    if (!type)
      return void(result = failure());
    uint64_t bytes = TensorReader::storedBytes(type);
    FailureOr<MappedBytes> content = external.find(tensor, bytes, location);
    if (failed(content))
      return void(result = failure());
    uint64_t offset = moveInto(data, tensor, bytes);
    data.pieces.push_back({offset, {content->bytes.data(), content->bytes.size()}});
    mapped.push_back(std::move(*content));
  });
  return result;
}

FailureOr<FramedFile> ModelFrame::Contents::writeModel(StringRef target) {
  auto fail = [&] {
    return emitError(file->location()) << "the model cannot be written as one protocol buffer";
  };
  if (model.ByteSizeLong() > uint64_t(std::numeric_limits<int>::max()) ||
      !model.SerializeToString(&serialized))
    return fail();
  FailureOr<llvm::StringMap<StringRef>> places = findRawData(serialized);
  if (failed(places))
    return fail();
  FramedFile written{target.str(), serialized.size(), {{0, serialized}}, std::move(inlineSlots)};
  for (VariableSlot &slot : written.slots) {
    auto place = places->find(slot.variable);
    if (place == places->end() || place->second.size() != slot.bytes)
      return fail();
    slot.offset = place->second.data() - serialized.data();
  }
  llvm::sort(written.slots, [](const VariableSlot &first, const VariableSlot &second) {
    return first.offset < second.offset;
  });
  return written;
}

FailureOr<std::vector<FramedFile>> ModelFrame::Contents::frame(const llvm::StringSet<> &variables,
                                                               StringRef target) {
  FramedFile data;
  data.target = (target + ".data").str();
  emptyVariables(variables, data);
  if (failed(moveConstants(data)))
    return failure();
  FailureOr<FramedFile> written = writeModel(target);
  if (failed(written))
    return failure();
  std::vector<FramedFile> files;
  if (hasDataFile())
    files.push_back(std::move(data));
  files.push_back(std::move(*written));
  return files;
}

ModelFrame::ModelFrame(std::unique_ptr<Contents> contents) : contents(std::move(contents)) {}
ModelFrame::~ModelFrame() = default;

std::unique_ptr<ModelFrame> ModelFrame::parse(StringRef path, StringRef content,
                                              MLIRContext *context) {
  try {
    std::unique_ptr<ModelFile> file = ModelFile::parse(path, content, context);
    if (!file)
      return nullptr;
    auto contents = std::make_unique<Contents>(std::move(file));
    return std::unique_ptr<ModelFrame>(new ModelFrame(std::move(contents)));
  } catch (const std::exception &error) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << "cannot read it: " << error.what();
    return nullptr;
  }
}

bool ModelFrame::hasDataFile() const { return contents->hasDataFile(); }

std::vector<std::string> ModelFrame::dataFiles() const {
  std::vector<std::string> paths;
  for (const std::string &location : contents->locations) {
    SmallString<128> path(contents->file->folder());
    llvm::sys::path::append(path, location);
    paths.push_back(path.str().str());
  }
  return paths;
}

RankedTensorType ModelFrame::typeOf(StringRef name) const { return contents->types.lookup(name); }

FailureOr<std::vector<FramedFile>> ModelFrame::frame(const llvm::StringSet<> &variables,
                                                     StringRef target) {
  try {
    return contents->frame(variables, target);
  } catch (const std::exception &error) {
    return emitError(contents->file->location()) << "the model cannot be written: " << error.what();
  }
}
