// The environments of launchers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/LaunchEnvironment.h"

#include "runtime/host/launch/RankTable.h"
#include "runtime/support/Numbers.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace tutti::runtime::worker {
namespace {

struct LauncherVariables {
  const char *name, *rank;
  const char *size[2]; ///< the first that is set counts
  const char *local_size;
  const char *backend;
  const char *needed;         ///< a variable without which the others mean nothing
  const char *run[3];         ///< variables that name the run
  const char *store[2];       ///< how its ranks can meet by it, and the variable that says whether
  const char *other_way = ""; ///< how its ranks could meet by it; for messages
};

// srun may bring ranks up as those of an MPI library, or run a launcher that brings up its own: so
// it comes last. A batch script of Slurm has its variables too, but is no rank: only a step is.
constexpr LauncherVariables launchers[] = {
    {"mpirun of OpenMPI",
     "OMPI_COMM_WORLD_RANK",
     {"OMPI_COMM_WORLD_SIZE", nullptr},
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     "openmpi",
     nullptr,
     {"PMIX_NAMESPACE", nullptr, nullptr},
     {"pmix", "PMIX_NAMESPACE"}},
    {"mpiexec of MPICH",
     "PMI_RANK",
     {"PMI_SIZE", nullptr},
     "MPI_LOCALNRANKS",
     "mpich",
     nullptr,
     {nullptr, nullptr, nullptr},
     {"pmi", "PMI_FD"}},
    {"a launcher in the manner of torchrun",
     "RANK",
     {"WORLD_SIZE", nullptr},
     "LOCAL_WORLD_SIZE",
     "gloo",
     nullptr,
     {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_PORT"},
     {}},
    {"srun of Slurm with PMIx",
     "PMIX_RANK",
     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     nullptr,
     "openmpi",
     "SLURM_STEP_ID",
     {"SLURM_JOB_ID", "SLURM_STEP_ID", nullptr},
     {"pmix", "PMIX_NAMESPACE"}},
    {"srun of Slurm",
     "SLURM_PROCID",
     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     nullptr,
     "gloo",
     "SLURM_STEP_ID",
     {"SLURM_JOB_ID", "SLURM_STEP_ID", nullptr},
     {},
     "; srun --mpi=pmi2 makes this launcher the place"},
};

/// The whole text as a number, or -1.
int64_t number(const char *text) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text, &end, 10);
  return *text == 0 || *end != 0 || errno != 0 || value < 0 ? -1 : value;
}

bool is_set(const char *variable) { return variable && std::getenv(variable); }

const char *size_variable(const LauncherVariables &launcher) {
  for (const char *variable : launcher.size)
    if (is_set(variable))
      return variable;
  return nullptr;
}

/// Of this node of a step of Slurm, which says "2(x3),1": three nodes of two ranks, then one of
/// one. 0 if it does not say.
int64_t ranks_of_slurm_node() {
  const char *next = std::getenv("SLURM_STEP_TASKS_PER_NODE"), *node = std::getenv("SLURM_NODEID");
  int64_t left = node ? number(node) : -1;
  while (next && *next && left >= 0) {
    char *end = nullptr;
    int64_t ranks = std::strtoll(next, &end, 10), nodes = 1;
    if (end == next)
      return 0;
    if (std::strncmp(end, "(x", 2) == 0) {
      nodes = std::strtoll(end + 2, &end, 10);
      end += *end == ')';
    }
    if (left < nodes)
      return ranks;
    left -= nodes;
    next = *end == ',' ? end + 1 : nullptr;
  }
  return 0;
}

/// The values of the variables, joined; what cannot be in the name of a file becomes '_'.
std::string run_name(const LauncherVariables &launcher) {
  std::string name = "run";
  for (const char *variable : launcher.run)
    if (is_set(variable))
      name += text("-", std::getenv(variable));
  for (char &letter : name)
    if (letter == '/' || letter == ';')
      letter = '_';
  return name;
}

/// Where torchrun, and those that set the same variables, let ranks meet. An agent of torchrun that
/// keeps the port for its own store leaves the next one free.
Result<std::string> meeting_of_torch(const LaunchEnvironment &launched) {
  if (is_set("MASTER_ADDR") != is_set("MASTER_PORT") && !launched.store.empty())
    return Error::invalid_argument(
        "of MASTER_ADDR and MASTER_PORT, where ranks meet, the environment has one alone; "
        "set both, or none: then ranks meet by ",
        launched.launcher);
  if (!is_set("MASTER_ADDR") || !is_set("MASTER_PORT"))
    return std::string();
  const char *given = std::getenv("MASTER_PORT"),
             *store = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  Result<int64_t> port = parse_integer<int64_t>(given, 1, 65534);
  if (!port)
    return Error::invalid_argument("MASTER_PORT=", given, ": ", port.error().message);
  bool is_taken = store && std::strcmp(store, "True") == 0;
  return join_host_and_port(std::getenv("MASTER_ADDR"), *port + is_taken);
}

Result<std::optional<LaunchEnvironment>> read(const LauncherVariables &launcher) {
  const char *variable = size_variable(launcher);
  const char *rank = std::getenv(launcher.rank), *size = std::getenv(variable);
  LaunchEnvironment launched;
  launched.launcher = launcher.name;
  launched.size = text(variable, "=", size);
  launched.rank = number(rank);
  launched.ranks = number(size);
  if (launched.rank < 0 || launched.rank >= launched.ranks)
    return Error::make(TUTTI_INVALID_ARGUMENT, "the environment says ", launcher.rank, "=", rank,
                       " and ", launched.size, ", which is not one rank of many (", launcher.name,
                       " sets them); unset both to start ranks from here");
  if (is_set(launcher.local_size))
    launched.local_ranks = std::max<int64_t>(0, number(std::getenv(launcher.local_size)));
  else if (launcher.needed)
    launched.local_ranks = std::max<int64_t>(0, ranks_of_slurm_node());
  launched.backend = launcher.backend;
  launched.run = run_name(launcher);
  if (is_set(launcher.store[1]))
    launched.store = launcher.store[0];
  launched.other_way = launcher.other_way;
  Result<std::string> meeting = meeting_of_torch(launched);
  launched.no_meeting = meeting.error();
  if (meeting)
    launched.meeting = *meeting;
  return std::optional<LaunchEnvironment>(launched);
}

bool is_mpi(const std::string &backend) {
  return backend == "mpi" || backend == "openmpi" || backend == "mpich";
}

/// Where ranks of Gloo meet, if the run does not say.
Error choose_meeting(RunConfig &config, const LaunchEnvironment &launched) {
  if (!config.rendezvous.empty())
    return Error::success();
  if (launched.no_meeting)
    return launched.no_meeting;
  config.rendezvous = launched.meeting;
  if (config.rendezvous.empty())
    config.launcher_store = launched.store;
  if (config.rendezvous.empty() && config.launcher_store.empty() && !launched.may_be_apart)
    return Error::invalid_argument(
        "ranks started by ", launched.launcher,
        " need a place to find each other: give --rendezvous HOST:PORT, a port of the "
        "machine of rank 0, or --rendezvous FOLDER, which all of them see",
        launched.other_way);
  return Error::success();
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
    return Error::invalid_argument(
        "backend 'shm' connects ranks that dist-run starts itself; these were started by ",
        launched.launcher, ", so use --backend ", has_mpi ? "mpi" : "gloo");
  if (is_mpi(config.backend) && config.backend != launched.backend)
    return Error::invalid_argument(
        "backend '", config.backend, "' cannot connect ranks started by ", launched.launcher,
        "; use --backend ", launched.backend, ", or the launcher of ", config.backend);
  if (config.backend == "gloo")
    if (Error error = choose_meeting(config, launched))
      return error;
  config.run_name = launched.run;
  return Error::success();
}

/// A step of Slurm of one task is a shell (srun --pty, salloc) as often as a rank, and one rank
/// needs no launcher. With PMI-2, the default of many clusters, it has the variables of MPICH, too.
bool is_step_of_one(const LauncherVariables &launcher) {
  const char *tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  bool is_step = launcher.needed ||
                 (std::strcmp(launcher.rank, "PMI_RANK") == 0 && tasks && number(tasks) == 1);
  return is_step && number(std::getenv(size_variable(launcher))) == 1;
}

} // namespace

std::string join_host_and_port(const std::string &host, int64_t port) {
  bool has_colons = host.find(':') != host.npos && host.front() != '['; // a number of IPv6
  return has_colons ? text("[", host, "]:", port) : text(host, ":", port);
}

Result<std::optional<LaunchEnvironment>> launch_environment() {
  for (const LauncherVariables &launcher : launchers)
    if (is_set(launcher.rank) && size_variable(launcher) &&
        (!launcher.needed || is_set(launcher.needed)))
      return is_step_of_one(launcher) ? Result(std::optional<LaunchEnvironment>()) : read(launcher);
  if (is_set("RANK_TABLE_FILE") && is_set("RANK_ID")) {
    Result<LaunchEnvironment> launched = environment_of_rank_table();
    if (!launched)
      return launched.error();
    return std::optional<LaunchEnvironment>(*launched);
  }
  // Each of many processes would train alone, and believe that it is the only one.
  if (is_set("PMI_PORT") && is_set("PMI_ID"))
    return Error::invalid_argument(
        "the environment says PMI_ID=", std::getenv("PMI_ID"),
        ", but not how many ranks there are; start the ranks without -pmi-port, or give "
        "each RANK and WORLD_SIZE");
  if (is_set("PMIX_RANK") && is_set("PMIX_NAMESPACE"))
    return Error::invalid_argument(
        "the environment says PMIX_RANK=", std::getenv("PMIX_RANK"),
        ", but not how many ranks there are; start the ranks with mpirun or srun, or give "
        "each RANK and WORLD_SIZE");
  return std::optional<LaunchEnvironment>();
}

Error choose_backend(RunConfig &config, const LaunchEnvironment *launched) {
  if (launched && launched->ranks > 1)
    return choose_for_launched(config, *launched);
  if (is_mpi(config.backend) && config.ranks > 1)
    return Error::invalid_argument("backend '", config.backend,
                                   "' connects ranks that a launcher of MPI starts: ", "mpirun -n ",
                                   config.ranks, " dist-run ...");
  config.one_backend = config.backend != "auto";
  return Error::success();
}

} // namespace tutti::runtime::worker
