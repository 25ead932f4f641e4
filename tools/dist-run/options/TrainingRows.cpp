// The options of the training: ranks, steps, and what connects them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/options/OptionRow.h"

#include "llvm/ADT/StringExtras.h"

using namespace tutti;
using runtime::worker::RunConfig;

/// "ps=2,worker=4": the processes of a cluster, all on this machine.
static void parseCluster(RunOptions &options, const std::string &text) {
  constexpr Range<int64_t> serverRange = {1, 64}, oneRange = {0, 1};
  int64_t workers = 1, chiefs = 0, evaluators = 0;
  llvm::SmallVector<llvm::StringRef> roles;
  llvm::StringRef(text).split(roles, ',');
  for (llvm::StringRef role : roles) {
    auto [name, number] = role.split('=');
    if (name == "ps")
      options.servers = parseNumber("--local-cluster ps", number.str(), serverRange);
    else if (name == "worker")
      workers = parseNumber("--local-cluster worker", number.str(), rankRange);
    else if (name == "chief")
      chiefs = parseNumber("--local-cluster chief", number.str(), oneRange);
    else if (name == "evaluator")
      evaluators = parseNumber("--local-cluster evaluator", number.str(), oneRange);
    else
      throw CLI::ValidationError("--local-cluster",
                                 "'" + role.str() +
                                     "' is none of ps=N, worker=N, chief=1, evaluator=1");
  }
  options.config.ranks = chiefs + workers;
  options.hasEvaluator = evaluators > 0;
}

static std::string startsNoServers(const RunOptions &options, const RunFacts &facts) {
  bool isIdle = !isCalibration(options) && options.servers && !facts.hasTables;
  return isIdle ? "starts no servers: servers hold no table of this program; "
                  "--distribute=\"serve=auto\" gives them large ones"
                : "";
}

static std::string pinsNothing(const RunOptions &options, const RunFacts &facts) {
  if (!facts.launcher.empty())
    return noEffect(true, facts.launcher + " started the ranks, and chooses their cores");
  return noEffect(options.config.ranks == 1, "one rank shares no cores");
}

static std::string pinsNoMeasured(const RunOptions &options, const RunFacts &facts) {
  return noEffect(isCalibration(options), "--calibrate measures ranks that the system places");
}

static std::string drawsNothing(const RunOptions &options, const RunFacts &facts) {
  const RunConfig &config = options.config;
  bool isRandom =
      facts.usesSeed ||
      (facts.hasInputs && (config.shuffle || config.read.random_crop || config.read.flip));
  return noEffect(!isCalibration(options) && !isEvaluation(options) && !isRandom,
                  "nothing in this run is random: no operation is, and samples are not shuffled");
}

static std::string hasNoReplicas(const RunOptions &options, const RunFacts &facts) {
  return noEffect(!isCalibration(options) && !isEvaluation(options) && options.config.ranks == 1,
                  "one rank has no other to compare with");
}

static std::string endsBeforeWarning(const RunOptions &options, const RunFacts &facts) {
  const RunConfig &config = options.config;
  return noEffect(config.ranks > 1 && config.stall_warning >= config.stall_error,
                  "the run ends first, by --stall-limit " +
                      llvm::Twine(int64_t(config.stall_error)));
}

static std::vector<OptionRow> lengthRows() {
  return {
      number("-n", &RunConfig::ranks, rankRange,
             "Number of ranks, one process each, also written -np (default: 1; up to 256 unless a "
             "launcher started them)"),
      value("--local-cluster", parseCluster,
            "Workers, which are the ranks, servers that hold tables, and who evaluates each "
            "checkpoint of --model-dir meanwhile, all on this machine (default: as many workers as "
            "-n says, and one server if the program has tables)")
          .takes("ps=N,worker=N,...")
          .excludes({"-n"})
          .idle({startsNoServers}),
      number("--threads", &RunConfig::threads, {1, 1024},
             "Threads of a rank in matmul and convolution (default: 1)")
          .takes("T"),
      flag("--no-pin", &RunConfig::binds_ranks,
           "Let the system choose the cores of each rank (default: ranks that dist-run starts "
           "have cores of their own, two or more, if there are enough and nobody has chosen "
           "before)",
           /*on=*/false)
          .idle({pinsNothing, pinsNoMeasured}),
      number("--steps", &RunConfig::steps, stepRange, "Train for N steps").idle({calibrates}),
      number("--epochs", &RunConfig::epochs, stepRange, "Train for N epochs (default: 1)")
          .excludes({"--steps"})
          .idle({calibrates}),
      number("--seed", &RunConfig::seed, {0},
             "Of shuffling, dropout and random initial values (default: 0)")
          .takes("S")
          .idle({calibrates, drawsNothing}),
      word("--on-non-finite", &RunConfig::on_non_finite, {"stop", "warn", "ignore"},
           "When the loss or a variable is infinite or no number: stop with an error and keep "
           "the last checkpoint (default), warn and go on, or ignore it")
          .idle({calibrates, onlyEvaluates}),
      word("--instructions", &RunOptions::instructions, {"native", "x86-64-v3", "x86-64-v4"},
           "What compiled code may use: all that the processor has (default), or what "
           "processors of other machines have, too, where ranks share no kind")
          .idle({calibrates}),
      number("--check-replicas", &RunConfig::check_replicas, stepRange,
             "Compare the variables that ranks hold alike every K steps, and end with an error if "
             "they differ")
          .takes("K")
          .idle({calibrates, onlyEvaluates, hasNoReplicas}),
      number("--grace-period", &RunConfig::grace_period, secondRange,
             "After a signal to stop, finish the step and save within this time (default: 10)")
          .takes("SECONDS")
          .idle({calibrates}),
      number("--stall-limit", &RunConfig::stall_error, secondRange,
             "End when a rank has waited this long for its peers (default: 300)")
          .takes("SECONDS")
          .idle({isAlone}),
      number("--stall-warning", &RunConfig::stall_warning, secondRange,
             "Say for whom a rank has waited this long (default: 10)")
          .takes("SECONDS")
          .idle({isAlone, endsBeforeWarning}),
  };
}

static std::vector<OptionRow> backendRows() {
  return {
      word("--backend", &RunConfig::backend, {"auto", "shm", "mpi", "openmpi", "mpich", "gloo"},
           "What connects the ranks (default: shared memory, and under mpirun its MPI "
           "between nodes)")
          .idle({isAlone}),
      word("--reductions", &RunConfig::reductions, {"ordered", "by-node", "native"},
           "ordered: equal bits on every backend (default); by-node: in each node, then "
           "across nodes; native: as the backend likes")
          .idle({isAlone}),
      text("--node", &RunConfig::node,
           "The node of the rank that a launcher started here: ranks of equal names share "
           "memory (default: the machine)")
          .takes("NAME")
          .fromEnvironment("TUTTI_NODE")
          .idle({isAlone}),
      number("--ranks-per-node", &RunConfig::ranks_per_node, rankRange,
             "Let so many neighbouring ranks act as a node of their own")
          .takes("L")
          .idle({isAlone}),
      text("--rendezvous", &RunConfig::rendezvous,
           "gloo: where ranks find each other: a port of the machine of rank 0, or a folder "
           "that all see (default: MASTER_ADDR and MASTER_PORT, what TF_CONFIG says, or by the "
           "launcher of MPI)")
          .takes("HOST:PORT|FOLDER"),
      text("--interface", &RunConfig::interface, "gloo: the network interface, e.g. eth0")
          .takes("NAME"),
  };
}

std::vector<OptionRow> tutti::trainingRows() {
  std::vector<OptionRow> rows = lengthRows();
  llvm::append_range(rows, backendRows());
  return rows;
}
