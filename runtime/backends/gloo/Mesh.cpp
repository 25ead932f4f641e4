// Pairs of Gloo that adopt a connection.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/gloo/Mesh.h"

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

class Mesh : public ::gloo::Context {
public:
  Mesh(std::shared_ptr<tcp::Device> device, std::shared_ptr<AdoptedContext> transport)
      : ::gloo::Context(transport->rank, transport->size) {
    setTimeout(transport->getTimeout());
    device_ = std::move(device);
    transportContext_ = std::move(transport);
  }
};

} // namespace

std::shared_ptr<::gloo::Context> make_mesh(std::shared_ptr<tcp::Device> device, int32_t rank,
                                           int32_t size, std::map<int32_t, Socket> connections,
                                           std::chrono::milliseconds limit) {
  auto transport = std::make_shared<AdoptedContext>(device, rank, size, limit);
  for (auto &[peer, connection] : connections)
    transport->adopt(peer, std::move(connection));
  return std::make_shared<Mesh>(std::move(device), std::move(transport));
}

} // namespace tutti::runtime::gloo_backend
