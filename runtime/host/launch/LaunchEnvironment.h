// Being one rank of many that somebody else started: which one, by whom, and how they reach each
// other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_LAUNCHENVIRONMENT_H
#define TUTTI_RUNTIME_HOST_LAUNCH_LAUNCHENVIRONMENT_H

#include "runtime/host/run/RunConfig.h"

#include <optional>

namespace tutti::runtime::worker {

/// What a launcher tells each process in its environment.
struct LaunchEnvironment {
  std::string launcher; ///< for messages: "mpirun of OpenMPI"
  std::string size;     ///< for messages: "OMPI_COMM_WORLD_SIZE=4"
  int64_t rank = 0;
  int64_t ranks = 1;
  int64_t local_ranks = 0;   ///< on this node; 0: the launcher does not tell
  std::string backend;       ///< openmpi or mpich if the launcher is one's own; else gloo
  std::string run;           ///< a name that other runs do not have, where the launcher gives one
  std::string meeting;       ///< "HOST:PORT" of rank 0, where the launcher tells; else empty
  Error no_meeting;          ///< what is wrong with that, for who needs it
  std::string store;         ///< pmi or pmix: how its ranks can meet by it alone; else empty
  std::string other_way;     ///< for messages: how it could be asked for such a store
  bool may_be_apart = false; ///< ranks need not reach each other if all is with servers
};

/// Nothing if this process was not started as a rank. Knows mpirun of OpenMPI, mpiexec of MPICH,
/// torchrun and everything that sets RANK and WORLD_SIZE, srun with PMIx, PMI-2 or neither, and the
/// rank table of Ascend. An error names the variables: those that contradict each other, or that
/// say that there are other ranks, but not how many.
Result<std::optional<LaunchEnvironment>> launch_environment();

/// "HOST:PORT"; a number of IPv6 stands in brackets.
std::string join_host_and_port(const std::string &host, int64_t port);

/// Replaces backend "auto" and "mpi" of a run by what fits to `launched` (null: dist-run starts the
/// ranks itself), or says why the backend that the user wants cannot connect such ranks. Ranks of
/// Gloo meet where the run says, else where their environment says (MASTER_ADDR and MASTER_PORT, a
/// rank table), else by their launcher's store.
Error choose_backend(RunConfig &config, const LaunchEnvironment *launched);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_LAUNCHENVIRONMENT_H
