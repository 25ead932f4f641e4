// The environments of launchers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/LaunchEnvironment.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace tutti::runtime::worker {
namespace {

struct Launcher {
  const char *name, *rank, *size, *local_size;
  const char *backend;
  const char *needed; ///< a variable without which the others mean nothing
  const char *run[3]; ///< variables that name the run
};

// srun may bring ranks up as those of an MPI library, so it comes last. A batch script of Slurm has
// its variables too, but is no rank: only a step is.
constexpr Launcher launchers[] = {
    {"mpirun of OpenMPI",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     "openmpi",
     nullptr,
     {"PMIX_NAMESPACE", nullptr, nullptr}},
    {"mpiexec of MPICH",
     "PMI_RANK",
     "PMI_SIZE",
     "MPI_LOCALNRANKS",
     "mpich",
     nullptr,
     {nullptr, nullptr, nullptr}},
    {"a launcher in the manner of torchrun",
     "RANK",
     "WORLD_SIZE",
     "LOCAL_WORLD_SIZE",
     "gloo",
     nullptr,
     {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_PORT"}},
    {"srun of Slurm",
     "SLURM_PROCID",
     "SLURM_NTASKS",
     "SLURM_NTASKS_PER_NODE",
     "gloo",
     "SLURM_STEP_ID",
     {"SLURM_JOB_ID", "SLURM_STEP_ID", nullptr}},
};

/// The whole text as a number, or -1.
int64_t number(const char *text) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text, &end, 10);
  return *text == 0 || *end != 0 || errno != 0 || value < 0 ? -1 : value;
}

bool is_set(const char *variable) { return variable && std::getenv(variable); }

/// The values of the variables, joined; what cannot be in the name of a file becomes '_'.
std::string run_name(const Launcher &launcher) {
  std::string name = "run";
  for (const char *variable : launcher.run)
    if (is_set(variable))
      name += text("-", std::getenv(variable));
  for (char &letter : name)
    if (letter == '/' || letter == ';')
      letter = '_';
  return name;
}

Result<std::optional<LaunchEnvironment>> read(const Launcher &launcher) {
  const char *rank = std::getenv(launcher.rank), *size = std::getenv(launcher.size);
  LaunchEnvironment launched;
  launched.launcher = launcher.name;
  launched.size = text(launcher.size, "=", size);
  launched.rank = number(rank);
  launched.ranks = number(size);
  if (launched.rank < 0 || launched.rank >= launched.ranks)
    return Error::make(TUTTI_INVALID_ARGUMENT, "the environment says ", launcher.rank, "=", rank,
                       " and ", launched.size, ", which is not one rank of many (", launcher.name,
                       " sets them); unset both to start ranks from here");
  if (is_set(launcher.local_size))
    launched.local_ranks = std::max<int64_t>(0, number(std::getenv(launcher.local_size)));
  launched.backend = launcher.backend;
  launched.run = run_name(launcher);
  return std::optional<LaunchEnvironment>(launched);
}

bool is_mpi(const std::string &backend) {
  return backend == "mpi" || backend == "openmpi" || backend == "mpich";
}

template <typename... Parts> Error refuse(const Parts &...parts) {
  return Error::make(TUTTI_INVALID_ARGUMENT, parts...);
}

Error choose_for_launched(RunConfig &config, const LaunchEnvironment &launched) {
  if (config.backend == "auto")
    config.backend = launched.backend;
  else
    config.one_backend = true;
  bool has_mpi = is_mpi(launched.backend);
  if (config.backend == "mpi" && has_mpi)
    config.backend = launched.backend;
  if (config.backend == "shm")
    return refuse(
        "backend 'shm' connects ranks that dist-run starts itself; these were started by ",
        launched.launcher, ", so use --backend ", has_mpi ? "mpi" : "gloo");
  if (is_mpi(config.backend) && config.backend != launched.backend)
    return refuse("backend '", config.backend, "' cannot connect ranks started by ",
                  launched.launcher, "; use --backend ", launched.backend, ", or the launcher of ",
                  config.backend);
  if (config.backend == "gloo" && config.rendezvous.empty())
    return refuse("ranks started by ", launched.launcher,
                  " find each other in a folder that all of ",
                  "them see: give --rendezvous FOLDER");
  config.run_name = launched.run;
  return Error::success();
}

} // namespace

Result<std::optional<LaunchEnvironment>> launch_environment() {
  for (const Launcher &launcher : launchers)
    if (is_set(launcher.rank) && is_set(launcher.size) &&
        (!launcher.needed || is_set(launcher.needed)))
      return read(launcher);
  return std::optional<LaunchEnvironment>();
}

Error choose_backend(RunConfig &config, const LaunchEnvironment *launched) {
  if (launched && launched->ranks > 1)
    return choose_for_launched(config, *launched);
  if (is_mpi(config.backend) && config.ranks > 1)
    return refuse("backend '", config.backend,
                  "' connects ranks that a launcher of MPI starts: ", "mpirun -n ", config.ranks,
                  " dist-run ...");
  config.one_backend = config.backend != "auto";
  return Error::success();
}

} // namespace tutti::runtime::worker
