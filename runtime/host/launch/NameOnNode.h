// A name by which processes of one run find each other on a node.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_NAMEONNODE_H
#define TUTTI_RUNTIME_HOST_LAUNCH_NAMEONNODE_H

#include "runtime/host/launch/LaunchEnvironment.h"

#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// A name of a LocalSocket for `purpose`. Processes have the same one if they were started alike:
/// by one user, in one folder, as ranks of one run, with equal `words`.
std::string name_on_node(const std::string &purpose, const LaunchEnvironment &launched,
                         const std::vector<std::string> &words);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_NAMEONNODE_H
