// The groups of a program that is cut among neighbouring ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORGROUPS_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORGROUPS_H

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/ProgramClaims.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti::distribution {

/// Of how many neighbours each has a part.
inline int64_t partsOf(mlir::ModuleOp module) {
  return module->getAttrOfType<mlir::IntegerAttr>(train::kTensorParts).getInt();
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

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORGROUPS_H
