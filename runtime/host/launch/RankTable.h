// The rank table of a cluster of Ascend devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_RANKTABLE_H
#define TUTTI_RUNTIME_HOST_LAUNCH_RANKTABLE_H

#include "runtime/host/launch/LaunchEnvironment.h"

#include <string_view>

namespace tutti::runtime::worker {

/// Which device has which rank, as the file that RANK_TABLE_FILE names tells it (HCCL, "Rank table
/// configuration", version 1.0): `server_list` of servers, each with `server_id`, its address, and
/// `device`, a list of `device_id` and `rank_id`.
struct RankTable {
  struct Device {
    int64_t rank = 0, device = 0;
    std::string server;
  };
  std::vector<Device> devices; ///< by rank, each rank once

  /// An error says which field is wrong.
  static Result<RankTable> parse(std::string_view json);
};

/// As a launcher would say it, by RANK_TABLE_FILE, RANK_ID, RANK_SIZE and DEVICE_ID, of which the
/// last two may be absent. Ranks meet at the server of rank 0, at the port HCCL_IF_BASE_PORT
/// (60000). Fails where they contradict each other.
Result<LaunchEnvironment> environment_of_rank_table();

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_RANKTABLE_H
