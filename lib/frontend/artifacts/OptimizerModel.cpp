// Nodes on sequences of tensors, which are read and never executed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/OptimizerModel.h"

#include "lib/frontend/artifacts/ArtifactFiles.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include <cmath>

using namespace mlir;
using namespace tutti::frontend;

static constexpr StringLiteral kDomain = "com.microsoft";

namespace {

class OptimizerReader {
public:
  OptimizerReader(const ModelFile &file, TensorReader &tensors) : file(file), tensors(tensors) {}

  FailureOr<OptimizerModel> read();

private:
  InFlightDiagnostic errorAbout(const proto::NodeProto &node) const {
    return emitError(file.location(node)) << describe(node) << ": ";
  }
  LogicalResult sortOut(const proto::NodeProto &node);
  /// The inputs that the operator must have, `signal` being the one after them that must not.
  LogicalResult checkInputs(const proto::NodeProto &node, int count, StringRef signal) const;
  LogicalResult readClip(OptimizerModel &model) const;
  LogicalResult readAdamW(OptimizerModel &model) const;
  /// The attributes of `node`, of which there are no others than `known`.
  FailureOr<NamedAttrList> attributesOf(const proto::NodeProto &node,
                                        ArrayRef<StringRef> known) const;

  const ModelFile &file;
  TensorReader &tensors;
  const proto::NodeProto *optimizer = nullptr, *clip = nullptr;
};

/// Changes `value` to what attribute `name` says, if it is there.
LogicalResult readFloat(const NamedAttrList &attributes, StringRef name, float &value,
                        function_ref<InFlightDiagnostic()> refuse) {
  Attribute found = attributes.get(name);
  auto number = dyn_cast_or_null<FloatAttr>(found);
  if (found && !number)
    return refuse() << "its attribute '" << name << "' must be a float, got " << found;
  if (number)
    value = static_cast<float>(number.getValueAsDouble());
  return success();
}

/// The same for a number that is 0 or 1.
LogicalResult readFlag(const NamedAttrList &attributes, StringRef name, bool &value,
                       function_ref<InFlightDiagnostic()> refuse) {
  Attribute found = attributes.get(name);
  auto number = dyn_cast_or_null<IntegerAttr>(found);
  if (found && (!number || (number.getInt() != 0 && number.getInt() != 1)))
    return refuse() << "its attribute '" << name << "' must be 0 or 1, got " << found;
  if (number)
    value = number.getInt() == 1;
  return success();
}

} // namespace

LogicalResult OptimizerReader::sortOut(const proto::NodeProto &node) {
  bool isKnown = canonicalDomain(node.domain()) == kDomain;
  bool isClip = isKnown && node.op_type() == "InplaceClipGradNorm";
  bool isOptimizer =
      isKnown && (node.op_type() == "AdamWOptimizer" || node.op_type() == "SGDOptimizerV2");
  if (!isClip && !isOptimizer)
    return errorAbout(node) << "an optimizer model is read as AdamWOptimizer or SGDOptimizerV2 of "
                               "com.microsoft, with InplaceClipGradNorm before it or without; "
                               "generate it as onnxblock.optim.AdamW or SGD";
  const proto::NodeProto *&place = isClip ? clip : optimizer;
  if (place)
    return errorAbout(node) << "the optimizer model has two nodes of this kind, the other is "
                            << describe(*place) << "; one is supported";
  place = &node;
  return success();
}

LogicalResult OptimizerReader::checkInputs(const proto::NodeProto &node, int count,
                                           StringRef signal) const {
  if (node.input_size() > count && !node.input(count).empty())
    return errorAbout(node) << "its input '" << node.input(count) << "' (" << signal
                            << ") decides at run time whether anything is updated, which is not "
                               "supported; leave it out";
  if (node.input_size() < count)
    return errorAbout(node) << "it has " << node.input_size() << " inputs; its operator has "
                            << count;
  return success();
}

FailureOr<NamedAttrList> OptimizerReader::attributesOf(const proto::NodeProto &node,
                                                       ArrayRef<StringRef> known) const {
  FailureOr<NamedAttrList> attributes = readAttributes(node, tensors, file.location(node));
  if (failed(attributes))
    return failure();
  for (NamedAttribute attribute : *attributes)
    if (!llvm::is_contained(known, attribute.getName().getValue()))
      return errorAbout(node) << "its attribute '" << attribute.getName().getValue()
                              << "' is not one of its operator";
  return attributes;
}

LogicalResult OptimizerReader::readClip(OptimizerModel &model) const {
  FailureOr<NamedAttrList> attributes = attributesOf(*clip, {"max_norm", "norm_type"});
  if (failed(attributes) || failed(checkInputs(*clip, 1, "")))
    return failure();
  auto refuse = [&] { return errorAbout(*clip); };
  auto kind = dyn_cast_or_null<StringAttr>(attributes->get("norm_type"));
  if (kind && kind.getValue() != "fro")
    return refuse() << "its norm_type is '" << kind.getValue() << "'; 'fro' is supported";
  float norm = 1;
  if (failed(readFloat(*attributes, "max_norm", norm, refuse)))
    return failure();
  if (!(norm > 0) || !std::isfinite(norm))
    return refuse() << "its max_norm must be a positive number";
  constexpr int ofSgd = 2, ofAdamW = 3;
  int gradients = model.kind == OptimizerModel::Kind::Sgd ? ofSgd : ofAdamW;
  if (clip->output_size() == 0 || clip->output(0) != optimizer->input(gradients))
    return refuse() << "its result is not what " << describe(*optimizer)
                    << " takes as gradients; nothing else can use it";
  model.largestNorm = norm;
  return success();
}

LogicalResult OptimizerReader::readAdamW(OptimizerModel &model) const {
  FailureOr<NamedAttrList> attributes = attributesOf(
      *optimizer, {"alpha", "beta", "epsilon", "weight_decay", "correct_bias", "adam_mode"});
  if (failed(attributes))
    return failure();
  auto refuse = [&] { return errorAbout(*optimizer); };
  return failure(failed(readFloat(*attributes, "alpha", model.alpha, refuse)) ||
                 failed(readFloat(*attributes, "beta", model.beta, refuse)) ||
                 failed(readFloat(*attributes, "epsilon", model.epsilon, refuse)) ||
                 failed(readFloat(*attributes, "weight_decay", model.weightDecay, refuse)) ||
                 failed(readFlag(*attributes, "correct_bias", model.correctsBias, refuse)) ||
                 failed(readFlag(*attributes, "adam_mode", model.isHuggingFaces, refuse)));
}

FailureOr<OptimizerModel> OptimizerReader::read() {
  for (const proto::NodeProto &node : file.model().graph().node())
    if (failed(sortOut(node)))
      return failure();
  if (!optimizer)
    return emitError(file.location())
           << "the optimizer model has no optimizer: no AdamWOptimizer and no SGDOptimizerV2";
  bool isSgd = optimizer->op_type() == "SGDOptimizerV2";
  OptimizerModel model{isSgd ? OptimizerModel::Kind::Sgd : OptimizerModel::Kind::AdamW,
                       file.location(*optimizer), std::nullopt};
  if (failed(checkInputs(*optimizer, isSgd ? 3 : 6, "update_signal")))
    return failure();
  if (isSgd ? failed(attributesOf(*optimizer, {})) : failed(readAdamW(model)))
    return failure();
  if (clip && failed(readClip(model)))
    return failure();
  return model;
}

FailureOr<OptimizerModel> OptimizerModel::open(StringRef path, Location location) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> content = openArtifact(path);
  if (!content)
    return emitError(location) << "the optimizer model '" << path
                               << "': " << llvm::toString(content.takeError());
  std::unique_ptr<ModelFile> file =
      ModelFile::parse(path, (*content)->getBuffer(), location->getContext());
  if (!file)
    return failure();
  TensorReader tensors(*file);
  return OptimizerReader(*file, tensors).read();
}
