// What the command line of dist-run asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_OPTIONS_OPTIONS_H
#define TUTTI_TOOLS_DISTRUN_OPTIONS_OPTIONS_H

#include "lib/frontend/GivenFiles.h"
#include "runtime/host/launch/ClusterSpec.h"
#include "runtime/host/run/RunConfig.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tutti {

/// What the user asked for. Absent values were not given.
struct RunOptions {
  runtime::worker::RunConfig config;  ///< all that the runtime reads; options write into it
  runtime::worker::ClusterSpec roles; ///< the cluster of --role; without that it means nothing
  std::string input;                  ///< ONNX, MLIR text or bytecode
  frontend::GivenFiles givenFiles;    ///< beside it
  std::set<std::string> given;        ///< the options on the command line, as the help spells them
  std::vector<std::string> readKeys;  ///< those keys of --read that were given
  std::vector<std::string> command;   ///< the whole of it, the program first
  std::optional<std::string> train;   ///< options of the pipeline `train`
  std::optional<std::string> distribute; ///< options of the pipeline `distribute`

  int64_t rank = 0;               ///< of this process, if it is one of many of a launcher
  std::string process;            ///< what messages call it: "rank 2"; empty: it needs no name
  int64_t localRanks = 0;         ///< of each node, as asked or found; 0: nobody knows
  bool hasEvaluator = false;      ///< another process evaluates checkpoints
  std::optional<int64_t> servers; ///< that hold tables, if the program has any; none: 1
  bool evaluateOnly = false;      ///< nothing is trained
  bool dryRun = false;            ///< the run ends before its first step
  bool follow = false; ///< each new checkpoint is evaluated, as long as another run makes them

  std::string report;        ///< page that shows the run, or empty
  std::string reportAgainst; ///< run directory that is shown beside it, or empty
  std::string exported;      ///< the model with the trained values, or empty
  std::string cluster;       ///< cluster file to predict with, or empty
  int64_t memory = 0;        ///< bytes that a rank may have; 0: as many as it needs
  bool printPlan = false;
  bool verify = false;
  std::string remarks; ///< text or json; empty: none
  std::string remarksFilter, remarksFile;
  std::string instructions = "native"; ///< as in execution::Instructions

  bool isGiven(const char *name) const { return given.count(name) > 0; }
  /// Data to train on, and to evaluate on; empty: none.
  std::string dataset() const { return pathOf(config.datasets); }
  std::string evaluate() const { return pathOf(config.evaluation_datasets); }

  struct Parsed;

private:
  static std::string pathOf(const std::vector<std::string> &paths) {
    return paths.empty() ? "" : paths.front();
  }
};

/// Whether the run only brings variables from --load to --export.
bool onlyExports(const RunOptions &options);

/// Options, or none and the status to exit with: 0 after --help and --version, else 2.
struct RunOptions::Parsed {
  std::optional<RunOptions> options;
  int exitStatus;
  std::string problem = {}; ///< what was wrong
};

/// Parses and checks the command line; prints help, or what is wrong with it.
RunOptions::Parsed parseOptions(int argc, char **argv);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_OPTIONS_OPTIONS_H
