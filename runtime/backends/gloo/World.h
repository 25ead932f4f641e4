// What the ranks of one run share on Gloo: the folder in which they meet, the device, the notes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_GLOO_WORLD_H
#define TUTTI_RUNTIME_BACKENDS_GLOO_WORLD_H

#include "runtime/backends/gloo/Watchdog.h"
#include "runtime/core/Error.h"

#include <atomic>
#include <gloo/transport/device.h>

namespace tutti::runtime::gloo_backend {

/// What the connection text says.
struct Connection {
  std::string folder;    ///< store=file:FOLDER
  std::string prefix;    ///< of the names of its files
  std::string interface; ///< of the network; empty: by `address`
  std::string address;   ///< a host name or number of this machine; empty: its own name
  plugin::StallLimits limits;

  static Result<Connection> parse(const char *text);
};

/// The state of the backend in one context. Notes are files of the folder.
class World : public plugin::NoteBoard {
public:
  static Error open(Connection connection, int32_t rank, int32_t size,
                    std::unique_ptr<World> &out_world);
  ~World() override;

  void post(const plugin::Note &note) override;
  std::vector<plugin::Note> notes() override;
  void fail(int32_t status, const char *message);

  /// A number that all ranks of this run have agreed on, so that notes of another are not theirs.
  void set_run(uint64_t number) { run.store(number); }
  bool has_run() const { return run.load() != 0; }

  const Connection &connection() const { return settings; }
  std::shared_ptr<::gloo::transport::Device> &device() { return network; }
  Watchdog &watchdog() { return *dog; }
  int32_t rank() const { return own_rank; }
  int32_t size() const { return ranks; }
  void set_step(int64_t step) { current_step.store(step, std::memory_order_relaxed); }
  int64_t step() const { return current_step.load(std::memory_order_relaxed); }

private:
  World(Connection connection, int32_t rank, int32_t size);
  std::string path_of_note(int32_t rank) const;

  Connection settings;
  int32_t own_rank, ranks;
  std::shared_ptr<::gloo::transport::Device> network;
  std::unique_ptr<Watchdog> dog;
  std::atomic<int64_t> current_step{0};
  std::atomic<uint64_t> run{0};
  std::atomic<bool> failed{false};
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_BACKENDS_GLOO_WORLD_H
