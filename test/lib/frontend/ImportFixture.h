// Imports models that a test writes as text, and keeps what the importer says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_FRONTEND_IMPORTFIXTURE_H
#define TUTTI_TEST_LIB_FRONTEND_IMPORTFIXTURE_H

#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/model/ModelFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tutti::frontend {

class ImportFixture : public testing::Test {
protected:
  ImportFixture();

  /// The model that `text` is, in the textual form of libonnx; fails the test if it is none.
  proto::ModelProto parse(const std::string &text);
  /// The model whose graph is `graph`, of operator set `opset`.
  proto::ModelProto parseGraph(const std::string &graph, int opset = 17);

  /// Imports `model`; what is said goes into `errors`.
  mlir::OwningOpRef<mlir::ModuleOp> import(const proto::ModelProto &model,
                                           Survey *survey = nullptr);
  /// The function `name` of the program, as text; the first error if there is no program.
  std::string importText(const proto::ModelProto &model, llvm::StringRef function = "forward");

  /// An opened model, for tests of single steps; `model` needs a graph.
  std::unique_ptr<ModelFile> open(const proto::ModelProto &model,
                                  const std::string &path = "m.onnx");

  std::string firstError() const { return errors.empty() ? "" : errors.front(); }

  mlir::MLIRContext context;
  std::vector<std::string> errors;
  std::vector<std::string> places; ///< names of the nodes that errors are about
};

} // namespace tutti::frontend

#endif // TUTTI_TEST_LIB_FRONTEND_IMPORTFIXTURE_H
