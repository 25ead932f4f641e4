// Gloo on connections that exist already. Gloo itself would accept the first connection as the
// peer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MESH_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MESH_H

#include "runtime/engine/backends/gloo/meeting/Socket.h"

#include <gloo/context.h>
#include <gloo/transport/tcp/device.h>
#include <vector>

namespace tutti::runtime::gloo_backend {

class AdoptedContext;

/// A context of Gloo whose connections are made elsewhere, each when it is first needed. Throws
/// what Gloo throws. Used by one thread, but for end().
class Mesh : public ::gloo::Context {
public:
  /// Of member `rank` of `size`. `limit`: of Gloo's own waits.
  Mesh(std::shared_ptr<::gloo::transport::tcp::Device> device, int32_t rank, int32_t size,
       std::chrono::milliseconds limit);

  /// Whether messages with `peer`, another member, may be started.
  bool has(int32_t peer) const { return are_there[size_t(peer)]; }
  void adopt(int32_t peer, Socket connection);
  /// Makes all waits of algorithms throw, now and later. Any thread may call it.
  void end();

private:
  std::shared_ptr<AdoptedContext> transport;
  std::vector<bool> are_there;
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MESH_H
