// What the control groups of this process, such as those of a container, leave it of the machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_CONTROLGROUP_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_CONTROLGROUP_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime {

/// The folders of the groups that a process is in whose /proc/self/cgroup (version 2) is `text`,
/// its own first, then those around it. Some may not be there: a container sees its own as the
/// root.
std::vector<std::string> control_groups_of(std::string_view text);
/// Of this process.
std::vector<std::string> control_groups();

/// How many processors "MICROSECONDS PERIOD" of cpu.max are; nothing for "max PERIOD".
std::optional<double> parse_processor_quota(std::string_view text);

/// Processors that this process can keep busy: those that it may run on, but no more than the time
/// that its groups give it is worth, rounded up. At least 1.
int64_t usable_processors();

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_CONTROLGROUP_H
