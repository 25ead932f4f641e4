// The groups of a program whose model neighbouring ranks share: the axes of its mesh.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_MESHGROUPS_H
#define TUTTI_LIB_PROGRAM_MESHGROUPS_H

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/ProgramClaims.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti::program {

/// How many neighbouring ranks hold the model of `module` in parts; 1 where each has the whole.
inline int64_t partsOf(mlir::Operation *module) {
  auto parts = module->getAttrOfType<mlir::IntegerAttr>(train::kTensorParts);
  return parts ? parts.getInt() : 1;
}

/// Whether `group` is the one of ranks that hold the parts of one model.
inline bool isOfNeighbours(GroupOpInterface group, int64_t parts) {
  GroupForm form = group ? group.getGroupForm() : GroupForm();
  return form.kind == GroupForm::Blocks && form.length == parts;
}

/// Whether `group` is the one of ranks that hold the same parts.
inline bool isOfData(GroupOpInterface group, int64_t parts) {
  GroupForm form = group ? group.getGroupForm() : GroupForm();
  return form.kind == GroupForm::Strided && form.length == parts;
}

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_MESHGROUPS_H
