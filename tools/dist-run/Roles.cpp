// Which process of a run this is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Roles.h"

#include "lib/execution/files/UserToken.h"
#include "runtime/engine/backends/shm/segment/ControlBlock.h"
#include "runtime/host/launch/RankProcess.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/output/StandardStreams.h"
#include "tools/dist-run/Errors.h"

#include <cstdlib>
#include <filesystem>

using namespace tutti;
namespace worker = runtime::worker;
using worker::ClusterSpec;

std::string Roles::name() const {
  return worker::spell(spec.role) + (" " + std::to_string(spec.index));
}

/// What the options say; else TF_CONFIG, unless `hasLauncher` or a cluster of this machine is asked
/// for. Nothing if this process is no part of a cluster.
static llvm::Expected<std::optional<Roles>> findRoles(const RunOptions &options, bool hasLauncher) {
  if (options.isGiven("--role")) {
    if (runtime::Error error = options.roles.check())
      return makeError(error.message);
    return Roles{options.roles, "--role"};
  }
  const char *config = std::getenv("TF_CONFIG");
  if (!config || hasLauncher || options.isGiven("--local-cluster"))
    return std::nullopt;
  if (options.isGiven("-n"))
    return makeError(
        "-n " + llvm::Twine(options.config.ranks) +
        ", but TF_CONFIG is set, which says how many chiefs and workers there are, each "
        "a process of its own: leave -n away, or unset TF_CONFIG (env -u TF_CONFIG "
        "dist-run ...) to start all ranks here");
  runtime::Result<ClusterSpec> spec = ClusterSpec::parse(config);
  if (!spec)
    return makeError(spec.error().message);
  return Roles{*spec, "TF_CONFIG"};
}

/// Where somebody else could reach servers or the place where ranks meet, the secret that keeps him
/// away goes into `config`: that of the user, if that is on this machine alone and none is given.
static llvm::Error secureRun(worker::RunConfig &config) {
  std::vector<std::string> addresses = config.servers;
  if (worker::is_meeting_point(config.rendezvous))
    addresses.push_back(config.rendezvous);
  if (addresses.empty() || !config.server_token.empty())
    return llvm::Error::success();
  for (const std::string &address : addresses)
    if (!worker::is_local(address))
      return makeError((address == config.rendezvous ? "the place '" : "the server at '") +
                       address + (address == config.rendezvous ? "' where ranks meet" : "'") +
                       " can be reached from other machines: give --token FILE, a secret that all "
                       "processes of the run have, so that nobody else talks to them");
  llvm::Expected<std::string> token = execution::findUserToken();
  if (!token)
    return makeError(
        "the processes of the run need a secret, and there is no place for one of this "
        "user (" +
        llvm::toString(token.takeError()) + "): give --token FILE");
  config.server_token = *token;
  return llvm::Error::success();
}

/// Where servers are, and how ranks meet, goes into `config`. `isDry`: nothing is made in the run
/// directory.
static llvm::Error configureRoles(const Roles &roles, bool isDry, worker::RunConfig &config) {
  config.servers = roles.spec.servers;
  bool needsRendezvous =
      roles.spec.ranks() > 1 && config.rendezvous.empty() && !config.model_dir.empty();
  if (needsRendezvous) { // as all tasks of a TF_CONFIG see it
    config.rendezvous = config.model_dir + "/rendezvous";
    std::error_code error;
    if (!isDry)
      std::filesystem::create_directories(config.rendezvous, error);
    if (error)
      return makeError("cannot make '" + config.rendezvous + "': " + error.message());
  }
  return llvm::Error::success();
}

/// Nobody talks to an evaluator: it follows the run directory by itself.
static llvm::Error becomeEvaluator(RunOptions &options) {
  options.process = "evaluator";
  options.evaluateOnly = options.follow = true;
  if (options.config.evaluation_datasets.empty() || options.config.model_dir.empty())
    return makeError("an evaluator evaluates the checkpoints of --model-dir FOLDER on --evaluate "
                     "FILE");
  for (std::string *output : {&options.config.save, &options.config.metrics, &options.exported,
                              &options.config.trace, &options.report})
    output->clear(); // those of the ranks, where all processes have the same command
  options.config.steps = options.config.epochs = 0;
  options.config.datasets.clear();
  return llvm::Error::success();
}

static llvm::Expected<Part> findPart(RunOptions &options) {
  auto launched = worker::launch_environment();
  if (!launched)
    return makeError(launched.error().message);
  llvm::Expected<std::optional<Roles>> roles = findRoles(options, launched->has_value());
  if (!roles)
    return roles.takeError();
  if (!*roles)
    return Part{*launched, std::nullopt};
  if ((*roles)->spec.role == worker::ClusterSpec::Role::evaluator) {
    if (llvm::Error error = becomeEvaluator(options))
      return error;
    sayRole({std::nullopt, *roles}, options);
    return Part();
  }
  return Part{worker::environment_of((*roles)->spec, (*roles)->source), *roles};
}

static llvm::Error checkEvaluator(const RunOptions &options) {
  if (options.hasEvaluator &&
      (options.config.evaluation_datasets.empty() || options.config.model_dir.empty()))
    return makeError("--local-cluster evaluator=1 evaluates the checkpoints of --model-dir FOLDER "
                     "on --evaluate FILE");
  return llvm::Error::success();
}

llvm::Expected<Part> tutti::joinLauncher(RunOptions &options) {
  if (llvm::Error error = checkEvaluator(options))
    return error;
  llvm::Expected<Part> part = findPart(options);
  if (!part)
    return part.takeError();
  bool isAlone = !part->launched; // so all ranks start on this machine
  options.localRanks = options.config.ranks_per_node ? options.config.ranks_per_node
                       : isAlone                     ? options.config.ranks
                                                     : part->launched->local_ranks;
  if (isAlone && options.config.ranks > runtime::shm::most_ranks)
    return makeError("-n " + llvm::Twine(options.config.ranks) + ": dist-run starts up to " +
                     llvm::Twine(runtime::shm::most_ranks) +
                     " ranks, all on this machine; for more, on many machines, start it under "
                     "mpirun, srun or torchrun");
  if (isAlone)
    return part;
  const worker::LaunchEnvironment &by = *part->launched;
  options.rank = by.rank;
  if (part->roles)
    options.process = part->roles->name();
  else if (by.rank > 0)
    options.process = "rank " + std::to_string(by.rank);
  if (options.isGiven("-n") && options.config.ranks != by.ranks)
    return makeError("-n " + llvm::Twine(options.config.ranks) + ", but " + by.launcher +
                     " started " + llvm::Twine(by.ranks) + " processes (" + by.size +
                     "): leave -n away, or let the two agree");
  options.config.ranks = by.ranks;
  return part;
}

static llvm::Error reachOthers(const Part &part, bool isDry, worker::RunConfig &config) {
  if (part.roles)
    if (llvm::Error error = configureRoles(*part.roles, isDry, config))
      return error;
  runtime::Error error = worker::choose_backend(config, part.launched ? &*part.launched : nullptr);
  return error ? makeError(error.message) : secureRun(config);
}

llvm::Error tutti::connectParts(const Part &part, bool isDry, worker::RunConfig &config) {
  if (llvm::Error error = reachOthers(part, isDry, config))
    return error;
  runtime::Error error = worker::check_options(config);
  return error ? makeError(error.message) : llvm::Error::success();
}

void tutti::sayRole(const Part &part, const RunOptions &options) {
  if (!part.roles || options.dryRun)
    return;
  const ClusterSpec &spec = part.roles->spec;
  std::string address = spec.own_address();
  runtime::output::print(part.roles->name() + " of a cluster of " + spec.describe() + " (" +
                         part.roles->source + ")" + (address.empty() ? "" : ", at " + address) +
                         "\n");
}

/// Whether others of the run may wait for this process where it can tell them something.
static bool isAwaited(const Part &part) {
  if (part.roles)
    return part.roles->spec.is_rank() || part.isServer();
  return part.isOneOfMany();
}

void tutti::tellOthers(const Part &part, const RunOptions &options, const std::string &message,
                       const std::string &worker, int status) {
  if (options.dryRun || !isAwaited(part))
    return;
  worker::WorkerConfig own;
  own.run = options.config;
  own.absence = message.empty() ? "it ended before it joined; its own output says why" : message;
  own.absence_status = uint8_t(status);
  if (part.roles) {
    const ClusterSpec &spec = part.roles->spec;
    own.run.ranks = spec.ranks();
    own.role = part.roles->name();
    part.isServer() ? own.server = spec.index : own.rank = spec.rank();
  } else {
    own.run.ranks = part.launched->ranks;
    own.rank = part.launched->rank;
    own.role = "rank " + std::to_string(own.rank);
  }
  if (llvm::Error error = reachOthers(part, /*isDry=*/false, own.run)) {
    llvm::consumeError(std::move(error)); // then nobody waits for this process
    return;
  }
  bool hasPlace = own.run.backend == "gloo" && !own.run.rendezvous.empty();
  if (!part.roles && !hasPlace) // the launcher ends the others, or gets asked to by HeldBackErrors
    return;
  (void)worker::become_rank(worker, worker::to_json(own), {}, {}); // the error is told already
}

/// The value of --NAME=VALUE or --NAME VALUE, the last one if there are several; else empty.
static std::string findValue(int argc, char **argv, llvm::StringRef name) {
  std::string value;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word = argv[i];
    if (word == name && i + 1 < argc)
      value = argv[i + 1];
    else if (word.consume_front(name) && word.consume_front("="))
      value = word.str();
  }
  return value;
}

/// From "HOST:PORT,...".
static void addHosts(const std::string &list, std::vector<std::string> &hosts) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(list).split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef host : parts)
    hosts.push_back(host.str());
}

/// Whether one of the words is `name`, or `name` with a value behind `=`.
static bool hasOption(int argc, char **argv, llvm::StringRef name) {
  return llvm::any_of(llvm::ArrayRef<char *>(argv + 1, argv + argc), [&](llvm::StringRef word) {
    return word.consume_front(name) && (word.empty() || word.front() == '=');
  });
}

/// The cluster of a command line that cannot be parsed.
static std::optional<Roles> findRoles(int argc, char **argv, bool hasLauncher) {
  std::string role = findValue(argc, argv, "--role");
  if (role.empty()) {
    const char *config = std::getenv("TF_CONFIG");
    if (!config || hasLauncher || hasOption(argc, argv, "--local-cluster"))
      return std::nullopt;
    auto spec = ClusterSpec::parse(config);
    return spec ? std::optional(Roles{*spec, "TF_CONFIG"}) : std::nullopt;
  }
  ClusterSpec spec;
  auto parsed = ClusterSpec::parse_role(role);
  if (!parsed)
    return std::nullopt;
  spec.role = *parsed;
  if (llvm::StringRef(findValue(argc, argv, "--task-index")).getAsInteger(10, spec.index))
    spec.index = 0;
  using Hosts = std::pair<const char *, std::vector<std::string> ClusterSpec::*>;
  for (auto [name, field] :
       {Hosts{"--ps-hosts", &ClusterSpec::servers}, Hosts{"--worker-hosts", &ClusterSpec::workers},
        Hosts{"--chief-host", &ClusterSpec::chief}})
    addHosts(findValue(argc, argv, name), spec.*field);
  return spec.check() ? std::nullopt : std::optional(Roles{spec, "--role"});
}

void tutti::tellOthersOfOptions(int argc, char **argv, const std::string &problem,
                                const std::string &worker, int status) {
  auto launched = worker::launch_environment();
  if (!launched || hasOption(argc, argv, "--dry-run"))
    return;
  std::optional<Roles> roles = findRoles(argc, argv, launched->has_value());
  if (!roles && !*launched)
    return;
  RunOptions options;
  using Field = std::pair<const char *, std::string worker::RunConfig::*>;
  for (auto [name, field] : {Field{"--server-token", &worker::RunConfig::server_token},
                             {"--token", &worker::RunConfig::server_token},
                             {"--server-certificate", &worker::RunConfig::server_certificate},
                             {"--server-key", &worker::RunConfig::server_key},
                             {"--server-authority", &worker::RunConfig::server_authority},
                             {"--rendezvous", &worker::RunConfig::rendezvous},
                             {"--interface", &worker::RunConfig::interface},
                             {"--model-dir", &worker::RunConfig::model_dir}})
    if (std::string value = findValue(argc, argv, name); !value.empty())
      options.config.*field = value;
  double limit = 0;
  if (!llvm::StringRef(findValue(argc, argv, "--stall-limit")).getAsDouble(limit) && limit > 0)
    options.config.stall_error = limit;
  if (std::string backend = findValue(argc, argv, "--backend"); !backend.empty())
    options.config.backend = backend;
  if (roles)
    launched = std::optional(worker::environment_of(roles->spec, roles->source));
  tellOthers({*launched, roles}, options, "its command line is wrong: " + problem, worker, status);
}

llvm::Error tutti::checkRoles(const Roles &roles, const worker::Manifest &manifest) {
  const ClusterSpec &spec = roles.spec;
  if (spec.servers.empty() && !manifest.tables.empty())
    return makeError("the program has tables on servers, but " + roles.source +
                     " lists no server (ps)");
  if (!spec.servers.empty() && manifest.tables.empty())
    return makeError(roles.source + " lists servers (ps), but the program leaves them nothing: say "
                                    "--distribute=\"serve=auto\", serve=* or the names of "
                                    "variables");
  return llvm::Error::success();
}
