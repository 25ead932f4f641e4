// Looks for initializers in a serialized model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/WireFields.h"

#include "lib/frontend/model/ModelFile.h"
#include "lib/frontend/model/WireFormat.h"

using namespace mlir;
using namespace tutti::frontend;

/// Takes the number of a field and its contents; false ends the walk.
using UseField = llvm::function_ref<bool(int number, StringRef content)>;

/// Calls `use` for the fields of `message` that have a length: messages, strings, bytes.
static bool forEachField(StringRef message, UseField use) {
  return forEachWireField(message, [&](const WireField &field) {
    return !field.content || use(field.number, *field.content);
  });
}

/// Calls `use` for the contents of the fields `number`.
static bool forEachField(StringRef message, int number,
                         llvm::function_ref<bool(StringRef content)> use) {
  return forEachField(
      message, [&](int found, StringRef content) { return found != number || use(content); });
}

namespace {

class RawData {
public:
  bool addModel(StringRef model) {
    return forEachField(model, [&](int number, StringRef content) {
      if (number == proto::ModelProto::kGraphFieldNumber)
        return addGraph(content);
      return number != proto::ModelProto::kTrainingInfoFieldNumber ||
             forEachField(content, proto::TrainingInfoProto::kAlgorithmFieldNumber,
                          [&](StringRef algorithm) { return addGraph(algorithm); });
    });
  }

  llvm::StringMap<StringRef> places;

private:
  bool addGraph(StringRef graph) {
    return forEachField(graph, proto::GraphProto::kInitializerFieldNumber,
                        [&](StringRef tensor) { return addTensor(tensor); });
  }

  bool addTensor(StringRef tensor) {
    StringRef name;
    std::optional<StringRef> data;
    bool isWhole = forEachField(tensor, [&](int number, StringRef content) {
      if (number == proto::TensorProto::kNameFieldNumber)
        name = content;
      if (number == proto::TensorProto::kRawDataFieldNumber)
        data = content;
      return true;
    });
    if (data)
      places[name] = *data;
    return isWhole;
  }
};

} // namespace

FailureOr<llvm::StringMap<StringRef>> tutti::frontend::findRawData(StringRef model) {
  RawData found;
  if (!found.addModel(model))
    return failure();
  return std::move(found.places);
}
