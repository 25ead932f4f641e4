// What the ranks of one run share on Gloo: where they are, the device, the notes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_WORLD_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_WORLD_H

#include "runtime/engine/backends/gloo/NoteLinks.h"
#include "runtime/engine/backends/gloo/Watchdog.h"
#include "runtime/engine/backends/gloo/meeting/Rendezvous.h"

#include <atomic>
#include <gloo/transport/tcp/device.h>

namespace tutti::runtime::gloo_backend {

/// What the connection text says.
struct Connection {
  std::string folder;                ///< store=file:FOLDER
  std::string launcher;              ///< store=pmi or store=pmix: how the launcher lets ranks meet
  std::optional<MeetingPoint> point; ///< store=tcp:HOST:PORT, with token=FILE
  std::string prefix;                ///< of the name of the file in the folder, or of the run
  std::string interface;             ///< of the network; empty: by `address`
  std::string address; ///< a host name or number of this machine; empty: one that others reach
  tutti_limits limits;

  static Result<Connection> parse(const char *text, const tutti_limits &limits);

private:
  Error set_store(const std::string &store, const std::string &token);
};

/// The state of the backend in one context.
class World : public plugin::NoteBoard {
public:
  /// `context` is told of ranks that die.
  static Error open(tutti_context *context, Connection connection, int32_t rank, int32_t size,
                    std::unique_ptr<World> &out_world);

  /// In place of `open`: this rank will not come, as `message` says, and tells those that meet.
  /// Where a launcher lets ranks meet, it says nothing: they end with the first that ends.
  static void decline(Connection connection, int32_t rank, int32_t size,
                      const std::string &message);

  void post(const plugin::Note &note) override;
  std::vector<plugin::Note> notes() override;
  void fail(int32_t status, const char *message);

  const Connection &connection() const { return settings; }
  const std::shared_ptr<::gloo::transport::tcp::Device> &device() const { return network; }
  Acceptor &acceptor() { return *connection_acceptor; }
  /// A connection with `peer` for a purpose of both.
  Result<Socket> dial(int32_t peer, Purpose purpose, int64_t group);
  Watchdog &watchdog() { return *dog; }
  int32_t rank() const { return own_rank; }
  int32_t size() const { return ranks; }
  void set_step(int64_t step) { current_step.store(step, std::memory_order_relaxed); }
  int64_t step() const { return current_step.load(std::memory_order_relaxed); }

private:
  World(Connection connection, int32_t rank, int32_t size);
  static Result<std::unique_ptr<World>> prepare(Connection connection, int32_t rank, int32_t size,
                                                Socket &out_listening);
  MeetingPlace place() const;
  Error meet(tutti_context *context, Socket listening);
  Error connect_neighbours(Rendezvous &rendezvous, std::map<int32_t, Socket> &out_links);
  Result<Socket> link_with(Rendezvous &rendezvous, int32_t peer);
  void tell_death(tutti_context *context, int32_t dead);

  Connection settings;
  int32_t own_rank, ranks;
  std::shared_ptr<::gloo::transport::tcp::Device> network;
  std::vector<SocketAddress> addresses; ///< of the acceptors, by rank
  std::atomic<int64_t> current_step{0};
  std::unique_ptr<Acceptor> connection_acceptor;
  std::unique_ptr<NoteLinks> links; ///< null: this rank is the only one
  std::unique_ptr<Watchdog> dog;    ///< reads notes, so it goes first
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_WORLD_H
