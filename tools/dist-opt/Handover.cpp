// Moves blobs between the managers of two contexts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-opt/Handover.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

void tutti::Handover::take(ModuleOp module) {
  AttrTypeWalker walker;
  walker.addWalk([&](DenseResourceElementsAttr content) {
    DenseResourceElementsHandle handle = content.getRawHandle();
    if (AsmResourceBlob *blob = handle.getBlob())
      blobs.try_emplace(handle.getKey(), std::move(*blob));
  });
  module.walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
}

void tutti::Handover::give(MLIRContext *context) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(context).getBlobManager();
  for (auto &entry : blobs)
    if (manager.lookup(entry.getKey()))
      manager.update(entry.getKey(), std::move(entry.getValue()));
  blobs.clear();
}
