// The tables of a checkpoint, and what must hold between them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/CheckpointFile.h"

#include "lib/frontend/artifacts/ArtifactFiles.h"
#include "lib/frontend/artifacts/FlatReader.h"
#include "lib/frontend/model/ElementTypes.h"
#include "lib/frontend/model/MissingData.h"
#include "lib/frontend/model/TensorReader.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace tutti::frontend;

// The numbers of the fields in ort_training_checkpoint.fbs, and of a tensor in ort.fbs.
namespace checkpoint_field {
enum { Version, Module, OptimizerGroups };
} // namespace checkpoint_field
namespace module_field {
enum { Trainable, Frozen, IsNominal, HasExternalData };
} // namespace module_field
namespace group_field {
enum { Name, Step, InitialLearningRate, States };
} // namespace group_field
namespace state_field {
enum { Parameter, Moments };
} // namespace state_field
namespace tensor_field {
enum { Name, Description, Sizes, ElementType, Data };
} // namespace tensor_field

static constexpr StringLiteral kIdentifier = "ODTC";
static constexpr int32_t kNewestVersion = 2;
static constexpr size_t kLongestName = 4096;
static constexpr StringLiteral kMomentNames[] = {"momentum0", "momentum1"};

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<CheckpointTensor> CheckpointFile::readTensor(const FlatTable &table) const {
  CheckpointTensor tensor;
  tensor.name = table.text(tensor_field::Name);
  tensor.elementType = table.number<int32_t>(tensor_field::ElementType);
  tensor.data = table.bytes(tensor_field::Data);
  tensor.sizes = table.numbers(tensor_field::Sizes, largestRank);
  if (tensor.name.empty() || tensor.name.size() > kLongestName)
    return makeError("one of its tensors has a name of " + Twine(tensor.name.size()) +
                     " bytes; 1 to " + Twine(kLongestName) + " are supported");
  if (tensor.sizes.size() > largestRank)
    return makeError("its tensor '" + tensor.name + "' has more than " + Twine(largestRank) +
                     " dimensions, which is not supported");
  return tensor;
}

llvm::Error CheckpointFile::readModule(const FlatTable &module) {
  nominal = module.number<uint8_t>(module_field::IsNominal);
  if (module.number<uint8_t>(module_field::HasExternalData))
    return makeError("its tensors lie in another file, which is not supported: save it without "
                     "external data");
  for (unsigned field : {module_field::Trainable, module_field::Frozen})
    for (const FlatTable &table : module.tables(field)) {
      llvm::Expected<CheckpointTensor> tensor = readTensor(table);
      if (!tensor)
        return tensor.takeError();
      tensor->isTrainable = field == module_field::Trainable;
      if (!byName.try_emplace(tensor->name, all.size()).second)
        return makeError("it has the parameter '" + tensor->name + "' twice");
      all.push_back(std::move(*tensor));
    }
  return llvm::Error::success();
}

llvm::Error CheckpointFile::readOptimizer(const FlatTable &group) {
  stepsTaken = group.number<int64_t>(group_field::Step);
  rate = group.number<float>(group_field::InitialLearningRate);
  for (const FlatTable &state : group.tables(group_field::States)) {
    std::vector<CheckpointTensor> ofParameter(std::size(kMomentNames));
    for (const FlatTable &table : state.tables(state_field::Moments)) {
      llvm::Expected<CheckpointTensor> tensor = readTensor(table);
      if (!tensor)
        return tensor.takeError();
      const auto *known = llvm::find(kMomentNames, tensor->name);
      if (known == std::end(kMomentNames))
        return makeError("its optimizer keeps '" + tensor->name +
                         "' for a parameter; momentum0 and momentum1 are supported");
      ofParameter[known - kMomentNames] = std::move(*tensor);
    }
    StringRef parameter = state.text(state_field::Parameter);
    if (!this->parameter(parameter))
      return makeError("its optimizer keeps moments of '" + parameter.take_front(kLongestName) +
                       "', which is none of its parameters");
    moments[parameter] = std::move(ofParameter);
  }
  return llvm::Error::success();
}

llvm::Error CheckpointFile::read() {
  FlatReader reader(ArrayRef<char>(content->getBufferStart(), content->getBufferSize()));
  FlatTable root = reader.root(kIdentifier);
  int32_t version = root.number<int32_t>(checkpoint_field::Version);
  if (reader.problem().empty() && (version < 1 || version > kNewestVersion))
    return makeError("it has version " + Twine(version) + "; versions 1 to " +
                     Twine(kNewestVersion) + " are supported");
  llvm::Error error = readModule(root.table(checkpoint_field::Module));
  std::vector<FlatTable> groups = root.tables(checkpoint_field::OptimizerGroups);
  if (!error && groups.size() > 1)
    error = makeError("its optimizer has " + Twine(groups.size()) +
                      " groups of parameters; one is supported");
  if (!error && groups.size() == 1)
    error = readOptimizer(groups.front());
  if (reader.problem().empty())
    return error;
  llvm::consumeError(std::move(error)); // a consequence
  return makeError(reader.problem());
}

llvm::Expected<std::unique_ptr<CheckpointFile>>
CheckpointFile::parse(std::shared_ptr<llvm::MemoryBuffer> content) {
  std::unique_ptr<CheckpointFile> file(new CheckpointFile);
  file->content = std::move(content);
  if (llvm::Error error = file->read())
    return error;
  return file;
}

std::unique_ptr<CheckpointFile> CheckpointFile::open(StringRef path, Location location) {
  auto refuse = [&](const Twine &reason) {
    emitError(location) << "the checkpoint '" << path << "': " << reason;
    return nullptr;
  };
  if (llvm::sys::fs::is_directory(path))
    return refuse("it is a folder, ONNX Runtime's older format; generate the artifacts with "
                  "onnxruntime-training 1.16 or later, which writes a file");
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> content = openArtifact(path);
  if (!content)
    return refuse(llvm::toString(content.takeError()));
  llvm::Expected<std::unique_ptr<CheckpointFile>> file = parse(std::move(*content));
  if (!file)
    return refuse(llvm::toString(file.takeError()));
  return std::move(*file);
}

std::unique_ptr<CheckpointFile> CheckpointFile::absent(std::vector<CheckpointTensor> parameters) {
  std::unique_ptr<CheckpointFile> none(new CheckpointFile);
  none->nominal = true;
  for (auto [index, tensor] : llvm::enumerate(parameters))
    none->byName[tensor.name] = index;
  none->all = std::move(parameters);
  return none;
}

const CheckpointTensor *CheckpointFile::parameter(StringRef name) const {
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : &all[found->second];
}

const CheckpointTensor *CheckpointFile::moment(StringRef parameter, unsigned which) const {
  auto found = moments.find(parameter);
  bool exists = found != moments.end() && !found->second[which].name.empty();
  return exists ? &found->second[which] : nullptr;
}

RankedTensorType CheckpointFile::typeOf(const CheckpointTensor &tensor, Location location) {
  proto::TensorProto declared;
  declared.set_name(tensor.name.str());
  declared.set_data_type(tensor.elementType);
  for (int64_t size : tensor.sizes)
    declared.add_dims(size);
  return TensorReader::readType(declared, location);
}

ElementsAttr CheckpointFile::contentOf(const CheckpointTensor &tensor, RankedTensorType type,
                                       Location location) const {
  if (nominal)
    return makeMissingData(type, isAbsent() ? "checkpoint" : "of a checkpoint that is not nominal",
                           0);
  return TensorReader::readMapped(type, tensor.name, {tensor.data, content}, location);
}
