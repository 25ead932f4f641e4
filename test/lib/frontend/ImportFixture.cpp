// Models from text, and errors into a list.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"
#include "onnx/defs/parser.h"

using namespace mlir;
using namespace tutti::frontend;

ImportFixture::ImportFixture() : context(MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    errors.push_back(diagnostic.str());
    auto name = diagnostic.getLocation()->findInstanceOf<NameLoc>();
    places.push_back(name ? name.getName().str() : "");
    return success();
  });
}

proto::ModelProto ImportFixture::parse(const std::string &text) {
  proto::ModelProto model;
  auto status = proto::OnnxParser::Parse(model, text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  return model;
}

proto::ModelProto ImportFixture::parseGraph(const std::string &graph, int opset) {
  return parse("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
}

OwningOpRef<ModuleOp> ImportFixture::import(const proto::ModelProto &model, Survey *survey) {
  return importOnnx("folder/m.onnx", model.SerializeAsString(), &context, survey);
}

std::string ImportFixture::importText(const proto::ModelProto &model, StringRef function) {
  OwningOpRef<ModuleOp> module = import(model);
  if (!module)
    return firstError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->lookupSymbol<func::FuncOp>(function).print(stream);
  return text;
}

std::unique_ptr<ModelFile> ImportFixture::open(const proto::ModelProto &model,
                                               const std::string &path) {
  return ModelFile::parse(path, model.SerializeAsString(), &context);
}
