// Pairs of Gloo that adopt a connection.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Mesh.h"

#include <gloo/common/error.h>
#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/pair.h>
#include <gloo/transport/unbound_buffer.h>
#include <mutex>
#include <set>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

namespace tcp = ::gloo::transport::tcp;
using ::gloo::transport::UnboundBuffer;
using std::chrono::milliseconds;

class EndableBuffer;

/// The buffers of a mesh that are in use.
struct BuffersInUse {
  std::mutex mutex;
  std::set<EndableBuffer *> all;
  bool is_over = false;
};

/// A buffer of Gloo whose waits end with those of its mesh. Gloo itself does not wake a wait for a
/// message that was half written when its connection broke.
class EndableBuffer : public UnboundBuffer {
public:
  EndableBuffer(std::unique_ptr<UnboundBuffer> buffer, std::shared_ptr<BuffersInUse> in_use)
      : UnboundBuffer(buffer->ptr, buffer->size), buffer(std::move(buffer)),
        in_use(std::move(in_use)) {
    std::lock_guard<std::mutex> lock(this->in_use->mutex);
    this->in_use->all.insert(this);
  }
  ~EndableBuffer() override {
    std::lock_guard<std::mutex> lock(in_use->mutex);
    in_use->all.erase(this);
  }

  bool waitRecv(int *rank, milliseconds timeout) override {
    check_over();
    return buffer->waitRecv(rank, timeout) || end_wait();
  }
  bool waitSend(int *rank, milliseconds timeout) override {
    check_over();
    return buffer->waitSend(rank, timeout) || end_wait();
  }
  void abortWaitRecv() override { buffer->abortWaitRecv(); }
  void abortWaitSend() override { buffer->abortWaitSend(); }
  void send(int peer, uint64_t slot, size_t offset, size_t bytes) override {
    buffer->send(peer, slot, offset, bytes);
  }
  void recv(int peer, uint64_t slot, size_t offset, size_t bytes) override {
    buffer->recv(peer, slot, offset, bytes);
  }
  void recv(std::vector<int> peers, uint64_t slot, size_t offset, size_t bytes) override {
    buffer->recv(std::move(peers), slot, offset, bytes);
  }

private:
  void check_over() {
    std::lock_guard<std::mutex> lock(in_use->mutex);
    if (in_use->is_over)
      end_wait();
  }
  /// Gloo's algorithms do not look at what a wait returns.
  [[noreturn]] static bool end_wait() {
    throw ::gloo::IoException("the wait was ended, because a rank has failed");
  }

  std::unique_ptr<UnboundBuffer> buffer;
  std::shared_ptr<BuffersInUse> in_use;
};

/// A pair opens a port when it is made. Its device is on the loopback interface, nobody is told of
/// the port, and before anyone could speak to the pair the connection takes the port's place.
class AdoptedPair : public tcp::Pair {
public:
  AdoptedPair(tcp::Context *context, tcp::Device *device, int rank, milliseconds timeout,
              Socket connection)
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
  AdoptedContext(std::shared_ptr<tcp::Device> device, int rank, int size, milliseconds timeout)
      : tcp::Context(std::move(device), rank, size) {
    setTimeout(timeout);
  }
  void adopt(int peer, Socket connection) {
    pairs_[size_t(peer)] = std::make_unique<AdoptedPair>(this, device_.get(), peer, getTimeout(),
                                                         std::move(connection));
    pairs_[size_t(peer)]->setLocalRank(0);
  }
  std::unique_ptr<UnboundBuffer> createUnboundBuffer(void *memory, size_t bytes) override {
    return std::make_unique<EndableBuffer>(tcp::Context::createUnboundBuffer(memory, bytes),
                                           in_use);
  }
  void end() {
    std::lock_guard<std::mutex> lock(in_use->mutex);
    in_use->is_over = true;
    for (EndableBuffer *buffer : in_use->all) {
      buffer->abortWaitRecv();
      buffer->abortWaitSend();
    }
  }

private:
  std::shared_ptr<BuffersInUse> in_use = std::make_shared<BuffersInUse>();
};

Mesh::Mesh(std::shared_ptr<tcp::Device> device, int32_t rank, int32_t size, milliseconds limit)
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

void Mesh::end() { transport->end(); }

} // namespace tutti::runtime::gloo_backend
