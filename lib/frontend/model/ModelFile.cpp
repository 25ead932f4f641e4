// Parsing of the outermost message, and what every later step asks of the file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/ModelFile.h"

#include "lib/frontend/model/ModelKinds.h"
#include "lib/frontend/model/OperationNodes.h"
#include "lib/frontend/model/PipelinePieces.h"
#include "lib/frontend/model/RawDataViews.h"
#include "lib/frontend/model/StoredBytes.h"
#include "lib/frontend/model/TensorReader.h"
#include "lib/frontend/model/values/GivenValues.h"
#include "lib/frontend/model/values/SharedInitializers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

#include "onnx/defs/schema.h"
#include "onnx/shape_inference/implementation.h"

#include <limits>

using namespace mlir;
using namespace tutti::frontend;

StringRef tutti::frontend::canonicalDomain(StringRef domain) {
  if (domain == "ai.onnx")
    return "";
  return domain == "ai.onnx.preview" ? StringRef(trainingDomain) : domain;
}

std::string tutti::frontend::describe(const proto::NodeProto &node) {
  if (!node.name().empty())
    return "node '" + node.name() + "' (" + node.op_type() + ")";
  if (node.output_size() > 0)
    return "unnamed node (" + node.op_type() + ") that makes '" + node.output(0) + "'";
  return "unnamed node (" + node.op_type() + ") without outputs";
}

/// Where a protocol buffer ends.
static constexpr size_t mostBytes = std::numeric_limits<int>::max();

/// Declares the types of as many tensors as libonnx can infer.
static void inferTypes(proto::ModelProto &model) {
  proto::ModelProto inferred = model;
  try {
    proto::shape_inference::InferShapes(inferred);
    model.Swap(&inferred);
  } catch (const std::exception &) { // the import reports it with the node
  }
}

ModelFile::ModelFile(StringRef path, MLIRContext *context)
    : filePath(path), fileLocation(FileLineColLoc::get(context, path, 0, 0)) {}

ModelFile::~ModelFile() = default;

LogicalResult ModelFile::giveValues(StringRef path) {
  given = GivenValues::open(path, location());
  return given ? given->addTo(proto, location()) : failure();
}

std::unique_ptr<ModelFile> ModelFile::parse(StringRef path, StringRef content, MLIRContext *context,
                                            Survey *survey) {
  std::unique_ptr<ModelFile> file(new ModelFile(path, context));
  file->foundBySurvey = survey;
  return succeeded(file->read(content, content)) ? std::move(file) : nullptr;
}

std::unique_ptr<ModelFile> ModelFile::parse(StringRef path,
                                            std::shared_ptr<llvm::MemoryBuffer> content,
                                            MLIRContext *context, Survey *survey) {
  std::unique_ptr<ModelFile> file(new ModelFile(path, context));
  file->foundBySurvey = survey;
  file->buffer = std::move(content);
  StringRef whole = file->buffer->getBuffer();
  std::optional<std::string> graph;
  if (whole.size() <= mostBytes)
    graph = takeOutRawData(whole, TensorReader::largestInlineBytes);
  return succeeded(file->read(whole, graph ? StringRef(*graph) : whole)) ? std::move(file)
                                                                         : nullptr;
}

LogicalResult ModelFile::read(StringRef content, StringRef message) {
  if (content.size() > mostBytes)
    return emitError(location())
           << "the file has " << content.size()
           << " bytes, but a protocol buffer ends at 2 GiB; store the weights as external data";
  google::protobuf::LogSilencer silencer; // our diagnostic says it
  bool isWhole = proto.ParseFromArray(message.data(), static_cast<int>(message.size()));
  if (std::string kind = isWhole && proto.has_graph() ? "" : nameForeignMessage(content);
      !kind.empty())
    return emitError(location()) << "the file is " << kind;
  if (!isWhole)
    return emitError(location())
           << "the file starts like an ONNX model but is damaged or cut off: its " << content.size()
           << " bytes are not a whole ModelProto; download it again, or export the model again";
  if (tutti::Refusal refusal = whyQuantized(proto))
    return emitError(location()) << refusal.reason();
  if (std::string note = noteQuantized(proto); !note.empty())
    emitWarning(location()) << note;
  if (failed(checkVersions()))
    return failure();
  readMisspeltAttributes(*proto.mutable_graph());
  if (failed(takeMergingBack(content.size())))
    return failure();
  auto isFrame = [](const auto &entry) { return entry.key() == programFrame; };
  bool isProgram = llvm::any_of(proto.metadata_props(), isFrame); // whose ranks are those of a run
  if (std::string piece = isProgram ? "" : openPiece(*proto.mutable_graph()); !piece.empty())
    emitWarning(location()) << piece;
  if (survey())
    inferTypes(proto);
  return success();
}

/// Whether the operator has an attribute of almost this name, which the node does not give, and
/// which has this value where it is not given: then the attribute changes nothing, however it is
/// meant.
static bool isMisspeltDefault(const ::onnx::AttributeProto &given, const ::onnx::NodeProto &node,
                              const ::onnx::OpSchema &schema, std::string &meant) {
  if (schema.attributes().count(given.name()))
    return false;
  for (const auto &[name, attribute] : schema.attributes()) {
    if (StringRef(name).edit_distance(given.name()) != 1 || attribute.required)
      continue;
    bool isGiven =
        llvm::any_of(node.attribute(), [&](const auto &other) { return other.name() == name; });
    ::onnx::AttributeProto corrected = given;
    corrected.set_name(name);
    corrected.clear_doc_string();
    if (isGiven || corrected.SerializeAsString() != attribute.default_value.SerializeAsString())
      continue;
    meant = name;
    return true;
  }
  return false;
}

void ModelFile::readMisspeltAttributes(::onnx::GraphProto &graph) {
  for (::onnx::NodeProto &node : *graph.mutable_node()) {
    if (!canonicalDomain(node.domain()).empty())
      continue;
    const ::onnx::OpSchema *schema = ::onnx::OpSchemaRegistry::Schema(
        node.op_type(), static_cast<int>(newestOpsetOfLibrary), "");
    for (int index = node.attribute_size() - 1; schema && index >= 0; --index) {
      std::string meant;
      if (node.attribute(index).name() == "consumed_inputs") { // it said which memory to write to
        node.mutable_attribute()->DeleteSubrange(index, 1);
        continue;
      }
      if (!isMisspeltDefault(node.attribute(index), node, *schema, meant))
        continue;
      emitWarning(location(node)) << describe(node) << ": '" << node.attribute(index).name()
                                  << "' is none of its attributes; it is read as '" << meant
                                  << "', which has this value where it is not given";
      node.mutable_attribute()->DeleteSubrange(index, 1);
    }
  }
}

LogicalResult ModelFile::takeMergingBack(size_t bytes) {
  StoredBytes stored(*this);
  auto read = [&](const proto::TensorProto &tensor) { return stored.find(tensor); };
  std::string problem = separateInitializers(proto, bytes, read, separated);
  return problem.empty() ? success() : LogicalResult(emitError(location()) << problem);
}

std::optional<MappedBytes> ModelFile::rawData(const proto::TensorProto &tensor) const {
  if (given)
    if (std::optional<MappedBytes> bytes = given->find(tensor))
      return bytes;
  std::optional<StringRef> found =
      buffer ? findTakenOut(tensor, buffer->getBuffer()) : std::nullopt;
  if (!found)
    return std::nullopt;
  return MappedBytes{ArrayRef<char>(found->data(), found->size()), buffer};
}

/// A graph of optimizers alone needs no version of the other operators.
static bool usesDefaultDomain(const ::onnx::ModelProto &model) {
  auto isDefault = [](const ::onnx::NodeProto &node) {
    return canonicalDomain(node.domain()).empty();
  };
  return !model.functions().empty() || llvm::any_of(model.graph().node(), isDefault) ||
         llvm::any_of(model.training_info(), [&](const ::onnx::TrainingInfoProto &info) {
           return llvm::any_of(info.algorithm().node(), isDefault) ||
                  llvm::any_of(info.initialization().node(), isDefault);
         });
}

LogicalResult ModelFile::checkVersions() {
  if (!proto.has_graph())
    return emitError(location()) << "the model has no graph";
  for (const auto &import : proto.opset_import())
    if (canonicalDomain(import.domain()).empty())
      defaultOpset = std::max<int64_t>(defaultOpset, import.version());
  if (defaultOpset == 0 && !usesDefaultDomain(proto))
    defaultOpset = newestOpset;
  if (defaultOpset >= oldestOpset && defaultOpset <= newestOpset)
    return success();
  if (defaultOpset == 0)
    return emitError(location())
           << "the model imports no version of the default operator set (ai.onnx)";
  return emitError(location()) << "the model uses version " << defaultOpset
                               << " of the operator set; versions " << oldestOpset << " to "
                               << newestOpset
                               << " are supported: convert the model, or export it again";
}

std::string ModelFile::folder() const {
  StringRef parent = llvm::sys::path::parent_path(filePath);
  return parent.empty() ? "." : parent.str();
}

Location ModelFile::location(StringRef name) const {
  if (name.empty())
    return fileLocation;
  return NameLoc::get(StringAttr::get(fileLocation->getContext(), name), fileLocation);
}

Location ModelFile::location(const proto::NodeProto &node) const {
  if (!node.name().empty())
    return location(node.name());
  return node.output_size() > 0 && !node.output(0).empty() ? location(node.output(0))
                                                           : fileLocation;
}

bool ModelFile::importsDomain(StringRef domain) const {
  return llvm::any_of(proto.opset_import(), [&](const auto &import) {
    return canonicalDomain(import.domain()) == domain;
  });
}
