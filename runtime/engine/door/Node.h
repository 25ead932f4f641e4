// Which ranks share a node with this one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_DOOR_NODE_H
#define TUTTI_RUNTIME_ENGINE_DOOR_NODE_H

#include "tutti/context.h"

namespace tutti::runtime {

/// Learns the nodes of all ranks over the world's transport, which is open, fills the context's
/// local rank and size, and makes the world group. Where the world's backend does not share memory
/// and `may_share` is set, the ranks of a node open shared memory among themselves. Collective;
/// errors are recorded in `context`.
void find_node(tutti_context *context, const char *node, bool may_share);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_DOOR_NODE_H
