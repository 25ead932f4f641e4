// This process as a rank of MPI: started once, and ended at the end of the process if nothing
// failed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_WORLD_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_WORLD_H

#include "runtime/engine/backends/plugin/NoteSpread.h"
#include "runtime/support/Error.h"

#include <atomic>
#include <list>
#include <memory>
#include <mpi.h>
#include <mutex>

namespace tutti::runtime::mpi {

/// The message of the library for its error `code`.
std::string error_text(int code);
/// TUTTI_OK, or an error that names the `call` that returned `code`.
Error check(const char *call, int code);

/// The state of the backend in one context. Notes travel on a communicator of its own, and are
/// passed on by ranks that wait.
class World : public plugin::NoteBoard {
public:
  /// Starts MPI if this process has not yet, and makes sure that it is what the context expects.
  /// Every rank of MPI calls it.
  static Error open(int32_t rank, int32_t size, const tutti_limits &limits,
                    std::unique_ptr<World> &out_world);
  ~World() override;

  void post(const plugin::Note &note) override;
  std::vector<plugin::Note> notes() override;
  /// Tells the peers that this rank failed. From now on nothing here waits for them.
  void fail(int32_t status, const char *message);

  int32_t rank() const { return own_rank; }
  int32_t size() const { return ranks; }
  /// Carries notes, and meetings of members before they make a communicator.
  MPI_Comm control() const { return control_communicator; }
  const tutti_limits &limits() const { return stall_limits; }
  /// How often a wait tests before it gives its processor away: rarely where ranks share one.
  int64_t spins() const { return spin_count; }
  void set_step(int64_t step) { current_step.store(step, std::memory_order_relaxed); }
  int64_t step() const { return current_step.load(std::memory_order_relaxed); }
  bool has_failed() const { return failed.load(); }
  /// Whether communicators can be freed in order.
  bool can_leave() const;
  /// The largest tag that a message may have.
  int64_t largest_tag() const { return tag_limit; }

private:
  /// A message that may not have left.
  struct Sent {
    std::vector<plugin::NoteSpread::Entry> entries;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  World(int32_t rank, int32_t size, const tutti_limits &limits);
  Error duplicate();
  void drop_delivered();
  void send_news();
  void receive_news();

  int32_t own_rank, ranks;
  tutti_limits stall_limits;
  MPI_Comm control_communicator = MPI_COMM_NULL;
  int64_t spin_count = 1, tag_limit = 32767;
  std::atomic<int64_t> current_step{0};
  std::atomic<bool> failed{false};

  std::mutex mutex; ///< of the two below
  plugin::NoteSpread spread;
  std::list<Sent> sent;
};

} // namespace tutti::runtime::mpi

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_WORLD_H
