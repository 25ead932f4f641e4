// The command line of dist-run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_OPTIONS_H
#define TUTTI_TOOLS_DISTRUN_OPTIONS_H

#include "lib/frontend/GivenFiles.h"
#include "runtime/data/ReadOptions.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tutti {

/// The run directory, and what is written there when.
struct RunDirectoryOptions {
  std::string path; ///< empty: there is none
  std::optional<int64_t> saveSteps, saveSeconds;
  int64_t keepMost = 5; ///< checkpoints; 0: all
  std::optional<int64_t> summarySteps;
  int64_t maxRestarts = 0;               ///< of all ranks, when one has died
  std::vector<std::string> resumeAnyway; ///< keys in which the run may differ from its checkpoint
};

/// How servers keep the rows of tables; as in RunConfig.
struct RowOptions {
  std::string storage = "memory";
  int64_t cacheBytes = 0, admitAfter = 0, evictAfter = -1;
};

/// The cluster that this process is a part of; without a role it is none that options tell of.
struct RoleOptions {
  std::string role;
  int64_t index = 0;
  std::vector<std::string> servers, workers, chief, evaluator; ///< "host:port"
};

/// Files; as in RunConfig.
struct SecurityOptions {
  std::string token, certificate, key, authority;
};

/// What the user asked for. Absent values were not given.
struct RunOptions {
  std::string input;               ///< ONNX, MLIR text or bytecode
  frontend::GivenFiles givenFiles; ///< beside it
  int64_t ranks = 1;
  bool hasRanks = false;       ///< the user gave them
  std::set<std::string> given; ///< the options on the command line, as the help spells them
  int64_t rank = 0;            ///< of this process, if it is one of many that a launcher started
  std::string process;         ///< what messages call it: "rank 2"; empty: it needs no name
  int64_t threads = 1;         ///< of each rank, in matmul and convolution
  std::vector<std::string> command; ///< the whole of it, the program first
  bool hasEvaluator = false;        ///< another process evaluates checkpoints
  std::optional<int64_t> servers;   ///< that hold tables, if the program has any; none: 1

  std::optional<std::string> train;      ///< options of the pipeline `train`
  std::optional<std::string> distribute; ///< options of the pipeline `distribute`

  std::string dataset;
  std::string evaluate;      ///< dataset of the evaluation after training, or empty
  int64_t evaluateEvery = 0; ///< and after every so many steps; 0: no
  bool evaluateOnly = false; ///< nothing is trained
  bool dryRun = false;       ///< the run ends before its first step
  bool follow = false; ///< each new checkpoint is evaluated, as long as another run makes them
  std::map<std::string, std::string> bindings; ///< array of an input, where their names differ
  runtime::data::ReadOptions read;             ///< of both, where files do not say it
  std::vector<std::string> readKeys;           ///< those of them that were given
  bool shuffle = true;
  int64_t shuffleBlock = 0;             ///< neighbours that stay together; 0: none
  std::optional<int64_t> steps, epochs; ///< one of the two
  uint64_t seed = 0;

  std::optional<int64_t> logSteps;        ///< of a line in a log of progress
  std::string metrics, save, load, trace; ///< files, or empty
  RunDirectoryOptions directory;
  RowOptions rows;
  RoleOptions roles;
  SecurityOptions security;
  std::string report;                     ///< page that shows the run, or empty
  std::string reportAgainst;              ///< run directory that is shown beside it, or empty
  std::string exported;                   ///< the model with the trained values, or empty
  int64_t traceFirst = 1, traceCount = 0; ///< steps; as in RunConfig
  std::string calibrate;                  ///< cluster file to write instead of training, or empty
  std::string cluster;                    ///< cluster file to predict with, or empty
  bool printPlan = false;
  bool verify = false;
  std::string remarks; ///< text or json; empty: none
  std::string remarksFilter, remarksFile;
  std::string onNonFinite = "stop";    ///< as in RunConfig
  std::string instructions = "native"; ///< as in execution::Instructions
  int64_t checkReplicas = 0;
  bool noPin = false, noLoadAhead = false;
  int64_t graceSeconds = 10, stallLimitSeconds = 300;
  std::optional<int64_t> stallWarningSeconds;
  std::string backend = "auto", reductions = "ordered"; ///< as in RunConfig
  std::string rendezvous, interface, node;
  int64_t ranksPerNode = 0; ///< that act as a node; 0: ranks of one machine do
  int64_t localRanks = 0;   ///< of each node, as asked or found; 0: nobody knows

  struct Parsed;
};

/// Whether the run only brings variables from --load to --export.
bool onlyExports(const RunOptions &options);

/// Options, or none and the status to exit with: 0 after --help and --version, else 2.
struct RunOptions::Parsed {
  std::optional<RunOptions> options;
  int exitStatus;
};

/// Parses and checks the command line; prints help, or what is wrong with it.
RunOptions::Parsed parseOptions(int argc, char **argv);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_OPTIONS_H
