// Noticing at once that the process of another rank of this machine has ended, whatever ended it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_PEERMONITOR_H
#define TUTTI_RUNTIME_ENGINE_CORE_PEERMONITOR_H

#include <functional>
#include <string>
#include <thread>

namespace tutti::runtime {

/// Each rank has a socket of its own and a connection with that of one other rank. The system
/// closes the socket of a process that ends; a process that leaves in order says so first.
class PeerMonitor {
public:
  PeerMonitor();
  PeerMonitor(const PeerMonitor &) = delete;
  /// Says that this rank leaves in order, and watches no more.
  ~PeerMonitor();

  /// By which others watch this rank; "" if the system gives no socket.
  const std::string &address() const { return name; }
  /// Calls `on_death` once, on a thread of its own, if the process at `address` ends without
  /// having left. Once; without effect if it cannot be reached within two seconds.
  void watch(const std::string &address, std::function<void()> on_death);

private:
  void wait(const std::function<void()> &on_death) const;

  std::string name;
  int own = -1, watched = -1, ending = -1; ///< descriptors
  std::thread thread;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_PEERMONITOR_H
