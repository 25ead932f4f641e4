// The entry of the importer, and the line that no exception crosses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ImportOnnx.h"

#include "lib/frontend/training/ProgramImport.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tutti::frontend;

static void loadDialects(MLIRContext *context) {
  context->loadDialect<func::FuncDialect, ub::UBDialect, tutti::train::TrainDialect,
                       tutti::onnx::OnnxDialect>();
}

/// An empty program: the module with its dataset, if any of its functions has inputs.
static OwningOpRef<ModuleOp> makeProgram(const ModelFile &file, OpBuilder &builder) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(file.location());
  (*module)->setAttr(tutti::train::TrainDialect::kProgram, builder.getUnitAttr());
  builder.setInsertionPointToEnd(module->getBody());
  tutti::train::DatasetOp::create(builder, file.location(), "data", /*global_batch=*/IntegerAttr(),
                                  /*shard=*/tutti::train::ShardAttr());
  return module;
}

static OwningOpRef<ModuleOp> importModel(const ModelFile &file, MLIRContext *context) {
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = makeProgram(file, builder);
  TensorReader tensors(file);
  ProgramImport import{file, tensors, *module, builder};
  bool trains = file.model().training_info_size() > 0;
  LogicalResult imported = trains ? importTrainingProgram(import) : importForwardProgram(import);
  tensors.reportMissing(file.location());
  if (failed(imported) || failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> tutti::frontend::importOnnx(StringRef path, StringRef content,
                                                  MLIRContext *context, Survey *survey) {
  loadDialects(context);
  try {
    std::unique_ptr<ModelFile> file = ModelFile::parse(path, content, context, survey);
    return file ? importModel(*file, context) : nullptr;
  } catch (const std::exception &error) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << "the import failed: " << error.what();
    return nullptr;
  }
}
