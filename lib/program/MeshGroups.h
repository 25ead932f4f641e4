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

/// How many of the ranks that hold the same parts each set of `group`, in a world of `ranks`,
/// joins: `length` of them, one after the other, of each neighbour alike. Nothing if it joins
/// others.
inline std::optional<int64_t> findBlockOfData(GroupOpInterface group, int64_t parts,
                                              int64_t ranks) {
  std::optional<llvm::SmallVector<int64_t>> first = getSetOf(group, 0);
  if (!first || first->empty())
    return std::nullopt;
  int64_t length = first->size(), block = length * parts;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    std::optional<llvm::SmallVector<int64_t>> set = getSetOf(group, rank);
    if (!set || int64_t(set->size()) != length)
      return std::nullopt;
    for (auto [index, member] : llvm::enumerate(*set))
      if (member != rank / block * block + rank % parts + int64_t(index) * parts)
        return std::nullopt;
  }
  return length;
}

/// The form among ranks that hold the same parts of a group that divides these, in a world of
/// `ranks`: as if there were no neighbours. Nothing if it joins other ranks.
inline std::optional<GroupForm> findFormOfData(GroupOpInterface group, int64_t parts,
                                               int64_t ranks) {
  GroupForm form = group ? group.getGroupForm() : GroupForm();
  if (form.kind == GroupForm::Strided && form.length % parts == 0)
    return GroupForm{GroupForm::Strided, form.length / parts};
  if (form.kind != GroupForm::Listed)
    return std::nullopt;
  std::optional<int64_t> length = findBlockOfData(group, parts, ranks);
  return length ? std::optional(GroupForm{GroupForm::Blocks, *length}) : std::nullopt;
}

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_MESHGROUPS_H
