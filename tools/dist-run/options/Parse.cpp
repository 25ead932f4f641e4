// Hands the tables of options to the parser, and says what it finds wrong. They are not LLVM's: the
// compiler's libraries fill that name space.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/KeyText.h"
#include "runtime/host/data/Formats.h"
#include "tools/dist-run/Report.h"
#include "tools/dist-run/options/OptionRow.h"
#include "tools/registration/PassCatalog.h"

#include <iostream>

using namespace tutti;
using runtime::worker::ClusterSpec;
using runtime::worker::RunConfig;

static const char description[] =
    "Trains a model on N ranks: on this machine, or as one of the ranks that a launcher\n"
    "(mpirun, mpiexec, srun, torchrun) started.\n\n"
    "INPUT is an ONNX model, MLIR text or MLIR bytecode, found by content. A forward graph\n"
    "needs --train. Arrays of the dataset bind to the graph's inputs by name, or by --bind.\n";

static CLI::Option *declare(const OptionRow &row, CLI::App &app, RunOptions &options) {
  switch (row.kind) {
  case OptionRow::Kind::flag: // stored when all is parsed
    return app.add_flag(row.name, row.help);
  case OptionRow::Kind::keyHelp:
    return app.add_flag_callback(
        row.name,
        [&row] {
          printKeysOf(row.type, llvm::outs());
          throw CLI::Success();
        },
        row.help);
  case OptionRow::Kind::list:
    return app
        .add_option_function<std::vector<std::string>>(
            row.name,
            [&](const std::vector<std::string> &values) {
              for (const std::string &value : values)
                row.store(options, value);
            },
            row.help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name(row.type);
  case OptionRow::Kind::value:
    break;
  }
  CLI::Option *option = app.add_option_function<std::string>(
      row.name, [&](const std::string &value) { row.store(options, value); }, row.help);
  if (!row.words.empty())
    option->check(CLI::IsMember(row.words).description(""));
  bool spellsWords = row.type.empty() && !row.words.empty();
  return option->type_name(spellsWords ? CLI::detail::join(row.words, "|") : row.type);
}

static void declareAll(CLI::App &app, RunOptions &options) {
  for (const OptionRow &row : optionRows()) {
    CLI::Option *option = declare(row, app, options);
    if (!row.environment.empty())
      option->envname(row.environment);
  }
  for (const OptionRow &row : optionRows()) {
    CLI::Option *option = app.get_option(row.name.substr(0, row.name.find(',')));
    for (const std::string &other : row.needed)
      option->needs(app.get_option(other));
    for (const std::string &other : row.excluded)
      option->excludes(app.get_option(other));
  }
}

static void storeFlags(CLI::App &app, RunOptions &options) {
  for (const OptionRow &row : optionRows())
    if (row.kind == OptionRow::Kind::flag && app.count(row.name) > 0)
      row.store(options, app[row.name]->as<bool>() ? "true" : "false");
}

/// Flags that take keys, or nothing, which means the defaults.
static bool takesKeys(llvm::StringRef argument) {
  argument.consume_back("=");
  return argument == "--distribute" || argument == "--train";
}

/// The number of ranks as mpirun takes it, -np 4, is -n 4. The parser would read it as -n p.
static std::string withOurName(llvm::StringRef argument) {
  bool isNamed = argument.consume_front("-np");
  argument.consume_front("=");
  return isNamed && argument.find_first_not_of("0123456789") == argument.npos
             ? ("-n" + argument).str()
             : "";
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
    } else if (std::string ours = withOurName(argument); !ours.empty()) {
      argument = ours;
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
  llvm::StringRef key = word.ltrim('-'), holder = holderOfKey(key);
  if (!holder.empty())
    return ("there is no option " + word + "; " + key + " is a key of --" + holder + ": --" +
            holder + "=\"" + key + "=...\"")
        .str();
  return "there is no option " + word.str() + tutti::options::didYouMean(word, known);
}

/// Whoever says how to train or to evaluate has forgotten the data.
bool tutti::onlyExports(const RunOptions &options) {
  return options.given == std::set<std::string>{"INPUT", "--load", "--export"};
}

/// Without them there is nothing to train.
static void requireInputs(const RunOptions &options) {
  if (isCalibration(options) || onlyReports(options))
    return;
  if (options.input.empty())
    throw CLI::RequiredError("INPUT");
  // Servers need no data.
  bool isServer = options.isGiven("--role") && options.roles.role == ClusterSpec::Role::ps;
  bool mayServe = isServer || std::getenv("TF_CONFIG");
  if (options.config.datasets.empty() && !options.evaluateOnly && !onlyExports(options) &&
      !mayServe)
    throw CLI::RequiredError("--dataset");
}

/// What readers of files are told beside their keys.
static void completeReadOptions(const RunOptions &options, RunConfig &config) {
  config.read.training = options.dataset();
  config.read.seed = config.seed;
  std::string path = config.datasets.empty() ? options.evaluate() : options.dataset();
  if (config.read.vocabulary.empty() && !config.model_dir.empty() &&
      runtime::data::has_words(config.read, path))
    config.read.vocabulary = config.model_dir + "/vocabulary.json";
}

/// Values that were not given, and follow from others.
static void complete(RunOptions &options) {
  constexpr int64_t stepsByDefault = 100; // as the estimators of TensorFlow do
  RunConfig &config = options.config;
  completeReadOptions(options, config);
  if (!options.isGiven("--threads"))
    config.threads = 1;
  if (config.steps == 0 && config.epochs == 0 && !options.evaluateOnly)
    config.epochs = 1;
  if (config.model_dir.empty())
    return;
  if (config.save_checkpoints_steps == 0 && config.save_checkpoints_secs == 0)
    config.save_checkpoints_steps = stepsByDefault;
  if (config.save_summary_steps == 0)
    config.save_summary_steps = stepsByDefault;
}

static RunOptions::Parsed refuse(const std::string &problem) {
  std::cerr << "dist-run: error: " << problem << "\nRun dist-run --help for the options.\n";
  return {std::nullopt, 2, problem};
}

RunOptions::Parsed tutti::parseOptions(int argc, char **argv) {
  RunOptions options;
  options.command.assign(argv, argv + argc);
  CLI::App app(description, "dist-run");
  app.set_version_flag("--version", "dist-run (Tutti) " TUTTI_VERSION);
  declareAll(app, options);
  try {
    app.parse(argumentsOf(argc, argv));
    storeFlags(app, options);
    for (const CLI::Option *option : app.get_options())
      if (option->count() > 0)
        options.given.insert(option->get_name());
    requireInputs(options);
    complete(options);
  } catch (const CLI::Success &asked) { // --help, --version
    return {std::nullopt, app.exit(asked)};
  } catch (const CLI::ExtrasError &) {
    return refuse(explainExtra(app, app.remaining().front()));
  } catch (const CLI::ParseError &error) {
    return refuse(error.what());
  }
  return {options, 0};
}
