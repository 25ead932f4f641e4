// Rank 0's way to the parts that servers have in checkpoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_REMOTEPARTS_H
#define TUTTI_RUNTIME_SERVERS_RPC_REMOTEPARTS_H

#include "runtime/servers/rpc/PartKeeper.h"
#include "runtime/servers/rpc/Security.h"

#include <memory>
#include <vector>

namespace tutti::runtime::servers {

/// Asks all servers at once; the error is that of the first that has one. Each call may come from
/// another thread, and takes at most `seconds`. One that does not answer follow_save() is among
/// those who are not done.
class RemoteParts {
public:
  static std::unique_ptr<PartKeeper> connect(const std::vector<std::string> &addresses,
                                             double seconds, const Security &security);
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_REMOTEPARTS_H
