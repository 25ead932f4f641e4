// The entry of the importer, and the line that no exception crosses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ImportOnnx.h"

#include "lib/frontend/ProgramVocabulary.h"
#include "lib/frontend/artifacts/ArtifactGraph.h"
#include "lib/frontend/artifacts/ArtifactProgram.h"
#include "lib/frontend/training/ProgramImport.h"

#include "dialects/collective/Collective.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tutti::frontend;

static void loadDialects(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect, tensor::TensorDialect, ub::UBDialect,
                       tutti::collective::CollectiveDialect, tutti::onnx::OnnxDialect,
                       tutti::train::TrainDialect>();
}

/// An empty program: the module with its dataset, and whatever else `roles` know.
static OwningOpRef<ModuleOp> makeProgram(const ModelFile &file, ProgramRoles &roles,
                                         OpBuilder &builder) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(file.location());
  if (roles) {
    roles.fill(*module);
    return module;
  }
  (*module)->setAttr(tutti::train::TrainDialect::kProgram, builder.getUnitAttr());
  builder.setInsertionPointToEnd(module->getBody());
  tutti::train::DatasetOp::create(builder, file.location(), "data", /*global_batch=*/IntegerAttr(),
                                  /*shard=*/tutti::train::ShardAttr());
  return module;
}

/// By the form that the model has.
static LogicalResult importProgram(ProgramImport &import, const GivenFiles &given) {
  const proto::ModelProto &model = import.file.model();
  if (llvm::any_of(model.graph().node(), isAccumulator) &&
      llvm::none_of(model.graph().node(), isYield))
    return importArtifactProgram(import, given.artifacts, !given.variables.empty());
  if (!given.artifacts.isEmpty())
    return emitError(import.file.location())
           << "an optimizer model or a checkpoint is given, but the model is no training model of "
              "ONNX Runtime: no InPlaceAccumulatorV2 accumulates gradients; give the "
              "training_model.onnx of the same artifacts";
  auto isOptimizer = [](const proto::NodeProto &node) {
    return canonicalDomain(node.domain()) == "com.microsoft" &&
           (node.op_type() == "AdamWOptimizer" || node.op_type() == "SGDOptimizerV2");
  };
  if (llvm::any_of(model.graph().node(), isOptimizer))
    return emitError(import.file.location())
           << "the file is an optimizer model of ONNX Runtime, which computes nothing from data; "
              "give the training_model.onnx that it belongs to, and this file with "
              "--optimizer-model=FILE";
  return model.training_info_size() > 0 ? importTrainingProgram(import)
                                        : importForwardProgram(import);
}

static OwningOpRef<ModuleOp> importModel(const ModelFile &file, const GivenFiles &given,
                                         MLIRContext *context) {
  OpBuilder builder(context);
  FailureOr<ProgramRoles> roles = ProgramRoles::read(file);
  if (failed(roles))
    return nullptr;
  OwningOpRef<ModuleOp> module = makeProgram(file, *roles, builder);
  TensorReader tensors(file);
  ProgramImport import{file, tensors, *module, builder, *roles};
  LogicalResult imported = importProgram(import, given);
  tensors.reportMissing(file.location());
  if (failed(imported))
    return nullptr;
  if (*roles)
    roles->apply(*module);
  if (failed(verify(*module)) || failed(verifyProgramVocabulary(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> tutti::frontend::importOnnx(StringRef path, StringRef content,
                                                  MLIRContext *context, Survey *survey,
                                                  const GivenFiles &given) {
  std::shared_ptr<llvm::MemoryBuffer> copy = llvm::MemoryBuffer::getMemBufferCopy(content, path);
  return importOnnx(path, std::move(copy), context, survey, given);
}

OwningOpRef<ModuleOp> tutti::frontend::importOnnx(StringRef path,
                                                  std::shared_ptr<llvm::MemoryBuffer> content,
                                                  MLIRContext *context, Survey *survey,
                                                  const GivenFiles &given) {
  loadDialects(context);
  try {
    std::unique_ptr<ModelFile> file = ModelFile::parse(path, std::move(content), context, survey);
    if (!file || (!given.variables.empty() && failed(file->giveValues(given.variables))) ||
        failed(file->fixSizes(given.sizes)))
      return nullptr;
    return importModel(*file, given, context);
  } catch (const std::exception &error) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << "the import failed: " << error.what();
    return nullptr;
  }
}
