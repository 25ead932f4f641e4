// Declarations of functions in place of functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/ProgramFrame.h"

#include "lib/frontend/model/OperationNodes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tutti::frontend;

void tutti::frontend::addProgramFrame(ModuleOp module, proto::ModelProto &model) {
  OwningOpRef<ModuleOp> frame = ModuleOp::create(module.getLoc());
  (*frame)->setAttrs(module->getAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockEnd(frame->getBody());
  for (Operation &op : *module.getBody()) {
    Operation *copy = isa<func::FuncOp>(op) ? op.cloneWithoutRegions() : op.clone();
    builder.insert(copy);
    if (auto function = dyn_cast<func::FuncOp>(copy))
      function.setPrivate();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  frame->print(stream, OpPrintingFlags().useLocalScope());
  auto *entry = model.add_metadata_props();
  entry->set_key(programFrame.str());
  entry->set_value(text);
}
