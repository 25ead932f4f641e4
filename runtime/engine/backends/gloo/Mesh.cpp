// Pairs of Gloo that adopt a connection.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Mesh.h"

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/pair.h>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

namespace tcp = ::gloo::transport::tcp;

/// A pair opens a port when it is made. Its device is on the loopback interface, nobody is told of
/// the port, and before anyone could speak to the pair the connection takes the port's place.
class AdoptedPair : public tcp::Pair {
public:
  AdoptedPair(tcp::Context *context, tcp::Device *device, int rank,
              std::chrono::milliseconds timeout, Socket connection)
      : tcp::Pair(context, device, rank, timeout) {
    std::lock_guard<std::mutex> lock(m_);
    if (fd_ >= 0)
      dup2(connection.descriptor(), fd_); // the event loop forgets the port with its descriptor
    else
      fd_ = connection.release();
    rx_ = tcp::Op();
    ex_ = nullptr;
    handleConnected();
  }
};

} // namespace

class AdoptedContext : public tcp::Context {
public:
  AdoptedContext(std::shared_ptr<tcp::Device> device, int rank, int size,
                 std::chrono::milliseconds timeout)
      : tcp::Context(std::move(device), rank, size) {
    setTimeout(timeout);
  }
  void adopt(int peer, Socket connection) {
    pairs_[size_t(peer)] = std::make_unique<AdoptedPair>(this, device_.get(), peer, getTimeout(),
                                                         std::move(connection));
    pairs_[size_t(peer)]->setLocalRank(0);
  }
};

Mesh::Mesh(std::shared_ptr<tcp::Device> device, int32_t rank, int32_t size,
           std::chrono::milliseconds limit)
    : ::gloo::Context(rank, size),
      transport(std::make_shared<AdoptedContext>(device, rank, size, limit)),
      are_there(size_t(size)) {
  setTimeout(limit);
  device_ = std::move(device);
  transportContext_ = transport;
}

void Mesh::adopt(int32_t peer, Socket connection) {
  transport->adopt(peer, std::move(connection));
  are_there[size_t(peer)] = true;
}

} // namespace tutti::runtime::gloo_backend
