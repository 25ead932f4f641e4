// The servers of a run whose roles all start on this machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_LOCALSERVERS_H
#define TUTTI_RUNTIME_HOST_LAUNCH_LOCALSERVERS_H

#include "runtime/engine/backends/shm/segment/Segment.h"
#include "runtime/host/launch/RankProcess.h"
#include "runtime/host/run/RunConfig.h"
#include "runtime/servers/shm/RowQueue.h"
#include "runtime/support/system/ScratchFolder.h"

#include <optional>

namespace tutti::runtime::worker {

/// Where they are, their processes, and what they are told. Their end is this object's; one that
/// ends before has failed.
class LocalServers {
public:
  /// Makes sockets, row queues for the rows of `tables`, and a folder for rows on disk, and names
  /// them in `config`.
  Error place(RunConfig &config, const std::vector<ServedTable> &tables);
  Error start(const RunConfig &config, const std::vector<std::string> &environment);

  /// For ranks to inherit.
  std::vector<int> queue_descriptors() const;
  /// Of those that run: readable when one ends.
  std::vector<int> watch_descriptors();
  /// How a server ended, if one did.
  std::optional<shm::Abort> find_ended();

  /// The servers wait no longer for what worker `rank`, whose process has ended, has yet to push.
  void give_up(size_t rank);
  /// Tells them so as far as they have room; the rest is told by the next call.
  void tell_losses();

private:
  Error place_rows(RunConfig &config);

  ScratchFolder sockets, rows;
  std::vector<servers::RowQueueFile> queues; ///< by server
  std::vector<RankProcess> processes;
  struct Loss {
    size_t server, rank;
  };
  std::vector<Loss> to_tell;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_LOCALSERVERS_H
