// What communication shares besides the values of the program, as memory effects name it. Only code
// that asks for effects needs this.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_COLLECTIVE_EFFECTS_H
#define TUTTI_DIALECTS_COLLECTIVE_EFFECTS_H

#include "dialects/collective/Collective.h"

namespace tutti::collective {

/// Which ranks each group has at the moment. Making and ending a group writes it; what means a
/// group by its name reads it, so that nothing is moved to where the name may mean other ranks, or
/// to where not all of them come. (NetworkResource is the other: what must be executed as often as
/// the program says writes it, so that no rewrite drops, merges or reorders it.)
struct GroupTableResource : mlir::SideEffects::Resource::Base<GroupTableResource> {
  llvm::StringRef getName() final { return "<GroupTable>"; }
};

/// The attribute of collectives that are executed where, and as often as, the program says: none of
/// them is merged with an equal one, dropped though nobody uses it, or executed earlier. Sets of
/// one rank need no communication all the same.
inline constexpr llvm::StringLiteral kDistinct = "collective.distinct";

/// The attribute of an all_gather that gathers the same parts as others do, for other uses. Its
/// value is the number of this use.
/// Equal operations of other numbers are not equal, and none begins long before it is needed.
inline constexpr llvm::StringLiteral kRegather = "collective.regather";

} // namespace tutti::collective

#endif // TUTTI_DIALECTS_COLLECTIVE_EFFECTS_H
