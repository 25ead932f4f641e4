// ONNX in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ImportOnnx.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

OwningOpRef<ModuleOp> tutti::frontend::importOnnx(StringRef path, StringRef content,
                                                  MLIRContext *context) {
  Location file = FileLineColLoc::get(context, path, 0, 0);
  ::onnx::ModelProto model;
  if (!model.ParseFromArray(content.data(), content.size())) {
    emitError(file) << "the file starts like an ONNX model but is damaged or cut off";
    return nullptr;
  }
  return ModuleOp::create(file);
}
