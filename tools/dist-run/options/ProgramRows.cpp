// The options of the program: the model, what is made of it, and what is said of that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/options/OptionRow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tutti;
using frontend::ArtifactFiles;
using frontend::GivenFiles;
using runtime::worker::RunConfig;

static void addSize(RunOptions &options, const std::string &pair) {
  if (std::string problem = options.givenFiles.sizes.add(pair); !problem.empty())
    throw CLI::ValidationError("--size", problem);
}

/// "600MiB", "2GiB" or a number of bytes.
static void setMemory(RunOptions &options, const std::string &text) {
  constexpr std::pair<llvm::StringLiteral, int> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  llvm::StringRef digits = text;
  int shift = 0;
  for (auto [unit, bits] : units)
    if (digits.consume_back(unit))
      shift = bits;
  Range<int64_t> range = {1, std::numeric_limits<int64_t>::max() >> shift};
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit))
    throw CLI::ValidationError("--memory", "'" + text +
                                               "' is no size: bytes, or a number with KiB, MiB or "
                                               "GiB after it, such as 600MiB");
  options.memory = parseNumber("--memory", digits.str(), range) << shift;
}

static std::string predictsNothing(const RunOptions &options, const RunFacts &facts) {
  bool predicts = options.printPlan || options.dryRun || !options.config.trace.empty() ||
                  !options.report.empty() || facts.keys;
  return noEffect(!predicts && !isCalibration(options),
                  "predictions are part of --plan, --dry-run, --trace and --report; --distribute "
                  "has a key of its own, cluster");
}

static std::string keepsNoStates(const RunOptions &options, const RunFacts &facts) {
  return noEffect(!isCalibration(options) && !facts.hasStatesInFiles,
                  options.memory > 0 ? "--memory has room for all states of the optimizer"
                                     : "the optimizer keeps no states of 16 KiB or more");
}

static std::string hasNoRemarks(const RunOptions &options, const RunFacts &facts) {
  return noEffect(options.remarks.empty(), "there is no --remarks");
}

std::vector<OptionRow> tutti::programRows() {
  return {
      text("INPUT", &RunOptions::input, "The program to train"),
      text("--optimizer-model", &ArtifactFiles::optimizerModel,
           "The optimizer model that belongs to a training model of ONNX Runtime (default: "
           "optimizer_model.onnx in the same folder)")
          .takes("FILE")
          .idle({calibrates}),
      text("--checkpoint", &ArtifactFiles::checkpoint,
           "The checkpoint that belongs to a training model of ONNX Runtime (default: "
           "checkpoint in the same folder)")
          .takes("FILE")
          .idle({calibrates}),
      text("--variables", &GivenFiles::variables,
           "Values of inputs or initializers of an ONNX model, by name: parameters that its "
           "graph takes as inputs")
          .takes("FILE.safetensors")
          .idle({calibrates}),
      list("--size", addSize,
           "The size of a dimension that an ONNX model names and leaves open, e.g. time=128 "
           "(default: that of the data)")
          .takes("NAME=SIZE,...")
          .idle({calibrates}),
      text("--train", &RunOptions::train,
           "How to train a forward graph, e.g. loss, optimizer, learning-rate, global-batch; "
           "--help-train lists the keys")
          .takes("\"KEY=VALUE ...\"")
          .idle({calibrates}),
      text("--distribute", &RunOptions::distribute,
           "How to distribute, e.g. batch-policy, compress, overlap; --help-distribute lists "
           "the keys")
          .takes("\"KEY=VALUE ...\"")
          .idle({calibrates}),
      keyHelp("train"),
      keyHelp("distribute"),
      value("--memory", setMemory,
            "What the memory of a rank may be, e.g. 600MiB: values that do not fit are computed "
            "again where they are needed (--dry-run says what it is)")
          .takes("SIZE")
          .idle({calibrates}),
      text("--offload", &RunConfig::offload,
           "Keep the states of optimizers in a file of this folder, a rank its own, and in memory "
           "around their use alone: they take the room and the time of a disk; with --memory only "
           "as many as that asks for")
          .takes("FOLDER")
          .idle({calibrates, keepsNoStates}),
      flag("--plan", &RunOptions::printPlan, "Print the communication plan before training")
          .idle({calibrates}),
      flag("--verify", &RunOptions::verify,
           "Before training, compare the program exactly with that of one device"),
      text("--cluster", &RunOptions::cluster, "Predict the times of the plan on this cluster")
          .takes("cluster.json")
          .idle({calibrates, predictsNothing}),
      text("--calibrate", &RunConfig::calibrate,
           "Measure what the ranks and their network can do, write it, and do not train")
          .takes("cluster.json"),
      word("--remarks", &RunOptions::remarks, {"text", "json"},
           "Say what passes did, left alone, and why: text (default) or json")
          .idle({calibrates}),
      text("--remarks-filter", &RunOptions::remarksFilter, "Only of passes that match")
          .takes("REGEX")
          .idle({hasNoRemarks}),
      text("--remarks-file", &RunOptions::remarksFile, "Where to, instead of standard error")
          .takes("FILE")
          .idle({hasNoRemarks}),
  };
}
