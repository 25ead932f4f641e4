// The exporter at the end of a pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-opt/ExportPass.h"

#include "lib/frontend/export/ExportOnnx.h"
#include "lib/output/OutputFile.h"

using namespace mlir;
using namespace tutti;

namespace {

class ExportOnnxPass : public PassWrapper<ExportOnnxPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExportOnnxPass)
  explicit ExportOnnxPass(std::string path) : path(std::move(path)) {}

  StringRef getArgument() const override { return "export-onnx"; }
  StringRef getDescription() const override { return "write the program as an ONNX model"; }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    FailureOr<std::string> model = frontend::exportOnnx(getOperation());
    if (failed(model))
      return signalPassFailure();
    if (llvm::Error error = write(*model)) {
      emitError(getOperation().getLoc()) << llvm::toString(std::move(error));
      signalPassFailure();
    }
  }

private:
  llvm::Error write(StringRef model) const {
    llvm::Expected<OutputFile> file = OutputFile::open(path);
    if (!file)
      return file.takeError();
    file->stream() << model;
    return file->commit();
  }

  std::string path;
};

} // namespace

std::unique_ptr<Pass> tutti::createExportOnnxPass(const std::string &path) {
  return std::make_unique<ExportOnnxPass>(path);
}
