// The groups that a program declares, made before it runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_DECLAREDGROUPS_H
#define TUTTI_RUNTIME_HOST_PROGRAM_DECLAREDGROUPS_H

#include "runtime/host/program/Manifest.h"
#include "tutti/collectives.h"

#include <vector>

namespace tutti::runtime::worker {

/// The sets of world ranks that make up `group`, where rank r is on node node_of_rank[r]. Empty for
/// groups that the program makes itself. An error if the program relies on another size than a set
/// has.
Result<std::vector<std::vector<int64_t>>> sets_of(const DeclaredGroup &group,
                                                  const std::vector<int64_t> &node_of_rank);

/// Makes all groups of `manifest`. Every rank calls it; errors of the runtime are in the context.
Error create_groups(tutti_context *context, const Manifest &manifest);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_DECLAREDGROUPS_H
