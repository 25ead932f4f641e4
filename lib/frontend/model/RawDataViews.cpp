// Copies all of a model but its weights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/RawDataViews.h"

#include "lib/frontend/model/WireFormat.h"

using namespace tutti::frontend;
using llvm::StringRef;

/// The key of the entry of external_data that notes a place, as OFFSET:BYTES. Exporters use words.
static constexpr StringRef kPlace = "place in the model";

/// Protocol buffers that nest deeper are refused by their parser.
static constexpr int kDeepest = 100;

namespace {

/// The messages within which tensors stand.
enum class Message { Model, TrainingInfo, Graph, Node, Attribute, Function, Tensor };

/// Copies one model.
class Copier {
public:
  Copier(StringRef model, uint64_t largest) : model(model), largest(largest) {}

  /// False if `message` is not well formed.
  bool copy(Message kind, StringRef message, std::string &copied, int depth = 0);

private:
  bool copyTensor(StringRef tensor, std::string &copied);
  std::string note(StringRef data) const;

  StringRef model;
  uint64_t largest;
};

} // namespace

/// What the field `number` of a message holds, if tensors may stand in it.
static std::optional<Message> messageIn(Message kind, int number) {
  using namespace proto;
  auto is = [&](auto... fields) { return ((number == fields) || ...); };
  switch (kind) {
  case Message::Model:
    if (is(ModelProto::kGraphFieldNumber))
      return Message::Graph;
    if (is(ModelProto::kTrainingInfoFieldNumber))
      return Message::TrainingInfo;
    return is(ModelProto::kFunctionsFieldNumber) ? std::optional(Message::Function) : std::nullopt;
  case Message::TrainingInfo:
    if (is(TrainingInfoProto::kInitializationFieldNumber, TrainingInfoProto::kAlgorithmFieldNumber))
      return Message::Graph;
    return std::nullopt;
  case Message::Graph:
    if (is(GraphProto::kNodeFieldNumber))
      return Message::Node;
    return is(GraphProto::kInitializerFieldNumber) ? std::optional(Message::Tensor) : std::nullopt;
  case Message::Function:
    return is(FunctionProto::kNodeFieldNumber) ? std::optional(Message::Node) : std::nullopt;
  case Message::Node:
    return is(NodeProto::kAttributeFieldNumber) ? std::optional(Message::Attribute) : std::nullopt;
  case Message::Attribute:
    if (is(AttributeProto::kTFieldNumber, AttributeProto::kTensorsFieldNumber))
      return Message::Tensor;
    if (is(AttributeProto::kGFieldNumber, AttributeProto::kGraphsFieldNumber))
      return Message::Graph;
    return std::nullopt;
  case Message::Tensor:
    return std::nullopt;
  }
  llvm_unreachable("all kinds of messages are above");
}

bool Copier::copy(Message kind, StringRef message, std::string &copied, int depth) {
  if (depth > kDeepest)
    return false;
  if (kind == Message::Tensor)
    return copyTensor(message, copied);
  return forEachWireField(message, [&](const WireField &field) {
    bool isLarge = field.content && field.content->size() > largest;
    std::optional<Message> inner = isLarge ? messageIn(kind, field.number) : std::nullopt;
    std::string content;
    if (inner && !copy(*inner, *field.content, content, depth + 1))
      return false;
    if (inner)
      appendWireField(copied, field.number, content);
    else
      copied.append(field.whole.data(), field.whole.size());
    return true;
  });
}

/// The fields of a tensor whose contents are at `data`, serialized.
std::string Copier::note(StringRef data) const {
  proto::TensorProto fields;
  fields.set_data_location(proto::TensorProto::EXTERNAL);
  auto *entry = fields.add_external_data();
  entry->set_key(kPlace.str());
  entry->set_value(std::to_string(data.data() - model.data()) + ":" + std::to_string(data.size()));
  return fields.SerializeAsString();
}

/// Of several raw_data the last one counts; and what says where its contents are is left alone.
bool Copier::copyTensor(StringRef tensor, std::string &copied) {
  std::optional<StringRef> data;
  std::string others;
  bool saysWhere = false;
  if (!forEachWireField(tensor, [&](const WireField &field) {
        saysWhere |= field.number == proto::TensorProto::kDataLocationFieldNumber ||
                     field.number == proto::TensorProto::kExternalDataFieldNumber;
        if (field.number == proto::TensorProto::kRawDataFieldNumber && field.content)
          data = field.content;
        else if (field.whole.size() <= largest)
          others.append(field.whole.data(), field.whole.size());
        else
          saysWhere = true; // typed fields: they are copied in any case
        return true;
      }))
    return false;
  if (data && data->size() > largest && !saysWhere)
    copied = others + note(*data);
  else
    copied = tensor.str();
  return true;
}

std::optional<std::string> tutti::frontend::takeOutRawData(StringRef model, uint64_t largest) {
  std::string copied;
  if (!Copier(model, largest).copy(Message::Model, model, copied))
    return std::nullopt;
  return copied;
}

std::optional<StringRef> tutti::frontend::findTakenOut(const proto::TensorProto &tensor,
                                                       StringRef model) {
  if (tensor.external_data_size() == 0 || tensor.external_data().rbegin()->key() != kPlace)
    return std::nullopt;
  auto [first, second] = StringRef(tensor.external_data().rbegin()->value()).split(':');
  uint64_t offset = 0, bytes = 0;
  if (first.getAsInteger(10, offset) || second.getAsInteger(10, bytes) || offset > model.size() ||
      bytes > model.size() - offset)
    return std::nullopt;
  return model.substr(offset, bytes);
}
