// Gloo on connections that exist already. Gloo itself would accept the first connection as the
// peer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_GLOO_MESH_H
#define TUTTI_RUNTIME_BACKENDS_GLOO_MESH_H

#include "runtime/backends/gloo/Socket.h"

#include <gloo/context.h>
#include <gloo/transport/tcp/device.h>
#include <map>

namespace tutti::runtime::gloo_backend {

/// A context of Gloo for member `rank` of `size`, with a connection to each other member. `limit`:
/// of Gloo's own waits. Throws what Gloo throws.
std::shared_ptr<::gloo::Context> make_mesh(std::shared_ptr<::gloo::transport::tcp::Device> device,
                                           int32_t rank, int32_t size,
                                           std::map<int32_t, Socket> connections,
                                           std::chrono::milliseconds limit);

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_BACKENDS_GLOO_MESH_H
