// Declares, parses and checks the flags of dist-run. They are not LLVM's: the compiler's libraries
// fill that name space.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Options.h"

#include "lib/options/KeyText.h"
#include "runtime/servers/storage/RowRules.h"
#include "runtime/servers/storage/StorageChoice.h"
#include "runtime/support/Numbers.h"
#include "tools/dist-run/DataOptions.h"
#include "tools/dist-run/ModelOptions.h"
#include "tools/dist-run/Report.h"
#include "tools/dist-run/TraceOptions.h"
#include "tools/registration/PassCatalog.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <limits>
#include <vector>

using tutti::RunOptions;

static const char description[] =
    "Trains a model on N ranks: on this machine, or as one of the ranks that a launcher\n"
    "(mpirun, mpiexec, srun, torchrun) started.\n\n"
    "INPUT is an ONNX model, MLIR text or MLIR bytecode, found by content. A forward graph\n"
    "needs --train. Arrays of the dataset bind to the graph's inputs by name, or by --bind.\n";

/// One of several words, which the type of the option spells already.
static CLI::Validator oneOf(std::vector<std::string> words) {
  return CLI::IsMember(std::move(words)).description("");
}

/// --help-NAME.
static void addKeyHelp(CLI::App &app, const std::string &name) {
  app.add_flag_callback(
      "--help-" + name,
      [name] {
        tutti::printKeysOf(name, llvm::outs());
        throw CLI::Success();
      },
      "List the keys of --" + name);
}

static void addProgramOptions(CLI::App &app, RunOptions &options) {
  app.add_option("INPUT", options.input, "The program to train")->type_name("");
  tutti::addModelOptions(app, options.givenFiles);
  app.add_option("--train", options.train,
                 "How to train a forward graph, e.g. loss, optimizer, learning-rate, global-batch; "
                 "--help-train lists the keys")
      ->type_name("\"KEY=VALUE ...\"");
  app.add_option("--distribute", options.distribute,
                 "How to distribute, e.g. batch-policy, compress, overlap; --help-distribute lists "
                 "the keys")
      ->type_name("\"KEY=VALUE ...\"");
  addKeyHelp(app, "train");
  addKeyHelp(app, "distribute");
  app.add_flag("--plan", options.printPlan, "Print the communication plan before training");
  app.add_flag("--verify", options.verify,
               "Before training, compare the program exactly with that of one device");
  app.add_option("--cluster", options.cluster, "Predict the times of the plan on this cluster")
      ->type_name("cluster.json");
  app.add_option("--calibrate", options.calibrate,
                 "Measure what the ranks and their network can do, write it, and do not train")
      ->type_name("cluster.json");
}

static void addRemarkOptions(CLI::App &app, RunOptions &options) {
  app.add_option("--remarks", options.remarks,
                 "Say what passes did, left alone, and why: text (default) or json")
      ->type_name("text|json")
      ->check(oneOf({"text", "json"}));
  app.add_option("--remarks-filter", options.remarksFilter, "Only of passes that match")
      ->type_name("REGEX");
  app.add_option("--remarks-file", options.remarksFile, "Where to, instead of standard error")
      ->type_name("FILE");
}

/// The whole numbers that an option takes.
template <typename Integer> struct Range {
  Integer low, high = std::numeric_limits<Integer>::max();
};

/// The number that `text` is; throws what is wrong with it.
template <typename Integer>
static Integer parseNumber(const std::string &option, const std::string &text,
                           Range<Integer> range) {
  auto number = tutti::runtime::parse_integer<Integer>(text, range.low, range.high);
  if (!number)
    throw CLI::ValidationError(option, number.error().message);
  return *number;
}

/// Adds an option with a whole number. All go through one parser: that of CLI11 takes what does not
/// fit, and other bases.
template <typename Integer, typename Target>
static CLI::Option *addNumber(CLI::App &app, const std::string &option, Target &target,
                              Range<Integer> range, const std::string &description) {
  return app
      .add_option_function<std::string>(
          option,
          [=, &target](const std::string &text) { target = parseNumber(option, text, range); },
          description)
      ->type_name("N");
}

/// More ranks than any machine has, fewer than the runtime can number.
constexpr Range<int64_t> rankRange = {1, 1 << 20};
constexpr Range<int64_t> threadRange = {1, 1024};
/// Up to a year.
constexpr Range<int64_t> secondRange = {1, 366 * 24 * 3600};
constexpr Range<int64_t> stepRange = {1};

/// "ps=2,worker=4": the processes of a cluster, all on this machine.
static void parseCluster(const std::string &text, RunOptions &options) {
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
  options.ranks = chiefs + workers;
  options.hasEvaluator = evaluators > 0;
}

static void addRunOptions(CLI::App &app, RunOptions &options) {
  auto *ranks = addNumber(app, "-n", options.ranks, rankRange,
                          "Number of ranks, one process each (default: 1; up to 256 unless a "
                          "launcher started them)");
  app.add_option_function<std::string>(
         "--local-cluster", [&](const std::string &text) { parseCluster(text, options); },
         "Workers, which are the ranks, servers that hold tables, and who evaluates each "
         "checkpoint of --model-dir meanwhile, all on this machine (default: as many workers as -n "
         "says, and one server if the program has tables)")
      ->type_name("ps=N,worker=N,...")
      ->excludes(ranks);
  addNumber(app, "--threads", options.threads, threadRange,
            "Threads of a rank in matmul and convolution (default: 1)")
      ->type_name("T");
  app.add_flag(
      "--no-pin", options.noPin,
      "Let the system choose the cores of each rank (default: ranks that dist-run starts "
      "have cores of their own, two or more, if there are enough and nobody has chosen before)");
  auto *steps = addNumber(app, "--steps", options.steps, stepRange, "Train for N steps");
  addNumber(app, "--epochs", options.epochs, stepRange, "Train for N epochs (default: 1)")
      ->excludes(steps);
  addNumber(app, "--seed", options.seed, Range<uint64_t>{0},
            "Of shuffling, dropout and random initial values (default: 0)")
      ->type_name("S");
  app.add_option(
         "--on-non-finite", options.onNonFinite,
         "When the loss or a variable is infinite or no number: stop with an error and keep "
         "the last checkpoint (default), warn and go on, or ignore it")
      ->type_name("stop|warn|ignore")
      ->check(oneOf({"stop", "warn", "ignore"}));
  app.add_option("--instructions", options.instructions,
                 "What compiled code may use: all that the processor has (default), or what "
                 "processors of other machines have, too, where ranks share no kind")
      ->type_name("native|x86-64-v3|x86-64-v4")
      ->check(oneOf({"native", "x86-64-v3", "x86-64-v4"}));
  addNumber(app, "--check-replicas", options.checkReplicas, stepRange,
            "Compare the variables that ranks hold alike every K steps, and end with an error if "
            "they differ")
      ->type_name("K");
  addNumber(app, "--grace-period", options.graceSeconds, secondRange,
            "After a signal to stop, finish the step and save within this time (default: 10)")
      ->type_name("SECONDS");
  addNumber(app, "--stall-limit", options.stallLimitSeconds, secondRange,
            "End when a rank has waited this long for its peers (default: 300)")
      ->type_name("SECONDS");
  addNumber(app, "--stall-warning", options.stallWarningSeconds, secondRange,
            "Say for whom a rank has waited this long (default: 10)")
      ->type_name("SECONDS");
}

static void addBackendOptions(CLI::App &app, RunOptions &options) {
  app.add_option("--backend", options.backend,
                 "What connects the ranks (default: shared memory, and under mpirun its MPI "
                 "between nodes)")
      ->type_name("auto|shm|mpi|openmpi|mpich|gloo")
      ->check(oneOf({"auto", "shm", "mpi", "openmpi", "mpich", "gloo"}));
  app.add_option("--reductions", options.reductions,
                 "ordered: equal bits on every backend (default); by-node: in each node, then "
                 "across nodes; native: as the backend likes")
      ->type_name("ordered|by-node|native")
      ->check(oneOf({"ordered", "by-node", "native"}));
  app.add_option("--node", options.node,
                 "The node of the rank that a launcher started here: ranks of equal names share "
                 "memory (default: the machine)")
      ->type_name("NAME")
      ->envname("TUTTI_NODE");
  addNumber(app, "--ranks-per-node", options.ranksPerNode, rankRange,
            "Let so many neighbouring ranks act as a node of their own")
      ->type_name("L");
  app.add_option(
         "--rendezvous", options.rendezvous,
         "gloo: where ranks find each other: a port of the machine of rank 0, or a folder "
         "that all see (default: MASTER_ADDR and MASTER_PORT, what TF_CONFIG says, or by the "
         "launcher of MPI)")
      ->type_name("HOST:PORT|FOLDER");
  app.add_option("--interface", options.interface, "gloo: the network interface, e.g. eth0")
      ->type_name("NAME");
}

static void addFileOptions(CLI::App &app, RunOptions &options) {
  app.add_option("--dataset", options.dataset,
                 "Training data: .npz, .npy, TensorProto .pb, a folder of them, values (.csv, "
                 ".tsv), tokens (.bin), a folder of pictures in sub-folders, or exec:COMMAND, a "
                 "program that makes samples")
      ->type_name("FILE");
  auto *evaluate =
      app.add_option("--evaluate", options.evaluate, "Data to evaluate the trained model on")
          ->type_name("FILE");
  addNumber(app, "--evaluate-every", options.evaluateEvery, stepRange,
            "Evaluate behind every N steps, too")
      ->needs(evaluate);
  app.add_flag("--evaluate-only", options.evaluateOnly, "Evaluate without training, after --load")
      ->needs(evaluate)
      ->excludes("--steps", "--epochs");
  app.add_flag("--dry-run", options.dryRun,
               "Do all that comes before the first step, print what would be trained and what that "
               "takes, and end without writing anything")
      ->excludes("--evaluate-only", "--calibrate");
  app.add_option_function<std::string>(
         "--read", [&options](const std::string &keys) { tutti::parseReadKeys(keys, options); },
         "How values, tokens and pictures are read, also those of --evaluate; --help-read lists "
         "the "
         "keys")
      ->type_name("\"KEY=VALUE ...\"");
  addKeyHelp(app, "read");
  app.add_option_function<std::vector<std::string>>(
         "--bind",
         [&options](const std::vector<std::string> &pairs) {
           for (const std::string &pair : pairs)
             tutti::addBinding(pair, options);
         },
         "The array of an input, where their names differ; also of --evaluate")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("INPUT=ARRAY,...");
  app.add_flag(
      "--no-load-ahead", options.noLoadAhead,
      "Load each batch when its step begins (default: a large one is loaded while the step "
      "before it runs)");
  app.add_option_function<std::string>(
         "--shuffle", [&options](const std::string &how) { tutti::parseShuffling(how, options); },
         "Shuffle the samples of each epoch (default: true); block:N keeps N neighbours "
         "together, for files larger than memory")
      ->type_name("BOOL|block:N");
  addNumber(app, "--log-step-count-steps", options.logSteps, stepRange,
            "Where progress is a log, a line every N steps (default: about one a second)");
  app.add_option("--metrics", options.metrics, "Write one JSON object a step")
      ->type_name("FILE.jsonl");
  app.add_option("--save", options.save, "Write all variables after training")
      ->type_name("FILE.safetensors");
  app.add_option("--load", options.load, "Start from the variables of this file")
      ->type_name("FILE.safetensors");
  app.add_option("--export", options.exported,
                 "Write the ONNX model that was given with the variables as they are after "
                 "training; with INPUT and --load alone, as they are there")
      ->type_name("FILE.onnx");
}

static void addRunDirectoryOptions(CLI::App &app, RunOptions &options) {
  tutti::RunDirectoryOptions &given = options.directory;
  auto *path = app.add_option("--model-dir", given.path,
                              "The run directory: go on from its newest checkpoint, and write "
                              "checkpoints there")
                   ->type_name("FOLDER");
  auto *steps = addNumber(app, "--save-checkpoints-steps", given.saveSteps, stepRange,
                          "Write a checkpoint behind every N steps (default: 100)")
                    ->needs(path);
  addNumber(app, "--save-checkpoints-secs", given.saveSeconds, secondRange,
            "Write one after every so many seconds instead")
      ->type_name("SECONDS")
      ->needs(path)
      ->excludes(steps);
  addNumber(app, "--keep-checkpoint-max", given.keepMost, Range<int64_t>{0},
            "Keep the newest N checkpoints (default: 5), or all of them, if N is 0")
      ->needs(path);
  addNumber(app, "--save-summary-steps", given.summarySteps, stepRange,
            "Write loss, learning rate and the like for TensorBoard and as JSON lines behind every "
            "N steps (default: 100)")
      ->needs(path);
  addNumber(app, "--max-restarts", given.maxRestarts, Range<int64_t>{0, 1 << 20},
            "When a rank dies or stalls, start all of them again from the newest checkpoint, up to "
            "R times (default: 0)")
      ->type_name("R")
      ->needs(path);
  app.add_option("--resume-anyway", given.resumeAnyway,
                 "Go on although these differ from what the checkpoint was made with: seed, data, "
                 "program, learning-rate and what else decides the numbers")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KEY,...")
      ->needs(path);
  app.add_flag("--follow", options.follow,
               "With --evaluate-only: evaluate each new checkpoint there, until the run that "
               "writes them has done all its steps")
      ->needs(path)
      ->needs("--evaluate-only");
}

/// At least a page for each of some rows.
constexpr Range<int64_t> cacheRange = {1 << 16};

static void addRowOptions(CLI::App &app, RunOptions &options) {
  using namespace tutti::runtime::servers;
  tutti::RowOptions &given = options.rows;
  app.add_option_function<std::string>(
         "--server-storage",
         [&given](const std::string &text) {
           if (auto choice = StorageChoice::parse(text); !choice)
             throw CLI::ValidationError("--server-storage", choice.error().message);
           given.storage = text;
         },
         "Where servers keep the rows of tables: in memory (default), in a file of a folder, or "
         "with RocksDB in a folder")
      ->type_name("memory|file:FOLDER|rocksdb:FOLDER");
  addNumber(app, "--server-cache-bytes", given.cacheBytes, cacheRange,
            "With file and rocksdb: so many bytes of rows are in the memory of a server (default: "
            "file: as the system likes, rocksdb: 1 GiB)");
  addNumber(app, "--server-admit-after", given.admitAfter, Range<int64_t>{1, RowRules::most_pushes},
            "Keep a row from its Nth push on; until then it stays as it began (default: as the run "
            "directory has it, or 1)");
  addNumber(app, "--server-evict-after", given.evictAfter, Range<int64_t>{0, RowRules::most_steps},
            "A row that is not pushed for N steps is again as it began; 0: never (default: as the "
            "run directory has it, or never)");
}

static void addRoleOptions(CLI::App &app, RunOptions &options) {
  tutti::RoleOptions &given = options.roles;
  auto *role = app.add_option("--role", given.role,
                              "What this process is in a cluster of several machines (default: as "
                              "TF_CONFIG says)")
                   ->type_name("chief|worker|ps|evaluator")
                   ->check(oneOf({"chief", "worker", "ps", "evaluator"}));
  addNumber(app, "--task-index", given.index, Range<int64_t>{0, 1 << 20},
            "Which of its role it is, from 0 (default: 0)")
      ->needs(role);
  auto addHosts = [&](const char *name, std::vector<std::string> &hosts, const char *text) {
    app.add_option(name, hosts, text)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("HOST:PORT,...")
        ->needs(role);
  };
  addHosts("--ps-hosts", given.servers, "Servers, which hold tables");
  addHosts("--worker-hosts", given.workers, "Workers");
  addHosts("--chief-host", given.chief,
           "The worker that saves, restores and writes summaries (default: worker 0)");
  addHosts("--evaluator-host", given.evaluator, "Who evaluates checkpoints beside the training");
  tutti::SecurityOptions &security = options.security;
  app.add_option("--token,--server-token", security.token,
                 "The secret that all processes of a run share; needed where other machines can "
                 "reach a server, or the place where ranks meet (default: the user's own)")
      ->type_name("FILE");
  app.add_option("--server-certificate", security.certificate,
                 "Of a server: connections use TLS with it")
      ->type_name("FILE.pem");
  app.add_option("--server-key", security.key, "Of the certificate")->type_name("FILE.pem");
  app.add_option("--server-authority", security.authority,
                 "Whose certificates of servers are trusted; with it connections use TLS")
      ->type_name("FILE.pem");
}

/// Flags that take keys, or nothing, which means the defaults.
static bool takesKeys(llvm::StringRef argument) {
  argument.consume_back("=");
  return argument == "--distribute" || argument == "--train";
}

/// The arguments last to first, as the parser wants them. A bare --distribute does not take the
/// word that follows, unless that can only be keys; nor does a bare --remarks. What is empty after
/// `=` is empty: the parser would take the next word.
static std::vector<std::string> argumentsOf(int argc, char **argv) {
  std::vector<std::string> arguments;
  for (int index = 1; index < argc; ++index) {
    std::string argument = argv[index];
    bool isLast = index + 1 == argc;
    if (takesKeys(argument)) {
      bool isBare = argument.back() != '=';
      bool hasKeys = isBare && !isLast && tutti::options::isKeyList(argv[index + 1]);
      argument += (isBare ? "=" : "") + std::string(hasKeys ? argv[++index] : "") + " ";
    } else if (argument == "--remarks") {
      argument += "=text";
    } else if (llvm::StringRef(argument).starts_with("--") && argument.back() == '=') {
      throw CLI::ArgumentMismatch(argument + " has no value");
    }
    arguments.push_back(argument);
  }
  return {arguments.rbegin(), arguments.rend()};
}

/// What is not an option, and which one it resembles.
static std::string explainExtra(const CLI::App &app, const std::string &extra) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    names.push_back(option->get_name());
  llvm::SmallVector<llvm::StringRef> known(names.begin(), names.end());
  llvm::StringRef word = llvm::StringRef(extra).split('=').first;
  if (!word.starts_with("-"))
    return "there is one INPUT, but '" + extra + "' is given, too";
  return "there is no option " + word.str() + tutti::options::didYouMean(word, known);
}

/// Whoever says how to train or to evaluate has forgotten the data.
bool tutti::onlyExports(const RunOptions &options) {
  return options.given == std::set<std::string>{"INPUT", "--load", "--export"};
}

/// Without them there is nothing to train.
static void requireInputs(const RunOptions &options) {
  if (!options.calibrate.empty() || onlyReports(options))
    return;
  if (options.input.empty())
    throw CLI::RequiredError("INPUT");
  // Servers need no data.
  bool mayServe = options.roles.role == "ps" || std::getenv("TF_CONFIG");
  if (options.dataset.empty() && !options.evaluateOnly && !onlyExports(options) && !mayServe)
    throw CLI::RequiredError("--dataset");
}

RunOptions::Parsed tutti::parseOptions(int argc, char **argv) {
  RunOptions options;
  options.command.assign(argv, argv + argc);
  CLI::App app(description, "dist-run");
  app.set_version_flag("--version", "dist-run (Tutti) " TUTTI_VERSION);
  addProgramOptions(app, options);
  addRemarkOptions(app, options);
  addRunOptions(app, options);
  addBackendOptions(app, options);
  addFileOptions(app, options);
  addRunDirectoryOptions(app, options);
  addRowOptions(app, options);
  addRoleOptions(app, options);
  tutti::addTraceOptions(app, options);
  try {
    app.parse(argumentsOf(argc, argv));
    for (const CLI::Option *option : app.get_options())
      if (option->count() > 0)
        options.given.insert(option->get_name());
    options.hasRanks = options.given.count("-n") > 0;
    requireInputs(options);
    tutti::completeReadOptions(options);
  } catch (const CLI::Success &asked) { // --help, --version
    return {std::nullopt, app.exit(asked)};
  } catch (const CLI::ExtrasError &) {
    std::cerr << "dist-run: error: " << explainExtra(app, app.remaining().front())
              << "\nRun dist-run --help for the options.\n";
    return {std::nullopt, 2};
  } catch (const CLI::ParseError &error) {
    std::cerr << "dist-run: error: " << error.what() << "\nRun dist-run --help for the options.\n";
    return {std::nullopt, 2};
  }
  return {options, 0};
}
