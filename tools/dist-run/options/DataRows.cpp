// The options of data, and of the files that a run reads and writes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Formats.h"
#include "tools/dist-run/options/OptionRow.h"
#include "tools/registration/ReadKeys.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tutti;
using runtime::worker::RunConfig;

/// INPUT=ARRAY.
static void addBinding(RunOptions &options, const std::string &pair) {
  size_t equals = pair.find('=');
  if (equals == pair.npos || equals == 0 || equals + 1 == pair.size())
    throw CLI::ValidationError("--bind", "'" + pair + "' is not INPUT=ARRAY, e.g. label=labels");
  std::string input = pair.substr(0, equals);
  if (!options.config.bindings.emplace(input, pair.substr(equals + 1)).second)
    throw CLI::ValidationError("--bind", "the input '" + input + "' is there twice");
}

static void parseReadKeys(RunOptions &options, const std::string &keys) {
  std::string problem;
  auto complain = [&](const llvm::Twine &said) { return problem = said.str(), mlir::failure(); };
  options::KeyTable table = readKeys(options.config.read);
  if (mlir::failed(table.parse(keys, complain)))
    throw CLI::ValidationError(problem);
  for (llvm::StringRef key : table.names())
    if (table.isGiven(key))
      options.readKeys.push_back(key.str());
}

/// true, false, or block:N.
static void parseShuffling(RunOptions &options, const std::string &how) {
  RunConfig &config = options.config;
  llvm::StringRef number = how;
  config.shuffle_block = 0;
  if (number.consume_front("block:")) {
    auto block = runtime::parse_integer<int64_t>(std::string_view(number), 1);
    if (!block)
      throw CLI::ValidationError("--shuffle", "'" + how + "': " + block.error().message);
    config.shuffle = true;
    config.shuffle_block = *block;
  } else if (!CLI::detail::lexical_cast(how, config.shuffle)) {
    throw CLI::ValidationError("--shuffle", "'" + how + "' is neither true nor false nor block:N");
  }
}

/// Whether data at `path` are of a kind that keys of --read are for.
static bool areOfKind(const std::string &path, llvm::StringRef kind) {
  if (path.empty())
    return false;
  if (kind == "tokens")
    return llvm::StringRef(path).ends_with(".bin");
  bool areValues = runtime::data::is_table_file(path);
  if (kind == "values" || areValues)
    return areValues && kind != "pictures";
  return runtime::data::is_image_folder(path);
}

/// Those keys of --read that no data of this run are read by.
static std::string readsOtherwise(const RunOptions &options, const RunFacts &facts) {
  std::vector<std::string> idle;
  for (const std::string &key : options.readKeys) {
    llvm::StringRef kind = dataOfReadKey(key);
    if (!areOfKind(options.dataset(), kind) && !areOfKind(options.evaluate(), kind))
      idle.push_back(key + ", which is for " +
                     (kind == "words" ? "categories and classes" : kind.str()));
  }
  if (isCalibration(options) || idle.empty())
    return "";
  const char *verdict = idle.size() < options.readKeys.size() ? "has less effect than was asked for"
                                                              : "has no effect";
  return verdict + (": no data of this run are read by " + llvm::join(idle, ", or by "));
}

/// --dataset may tell which numbers the words or classes of --evaluate have.
static std::string trainsNothing(const RunOptions &options, const RunFacts &facts) {
  bool hasUse = runtime::data::has_words(options.config.read, options.evaluate());
  return hasUse ? "" : onlyEvaluates(options, facts);
}

static std::string endsBeforeEvaluation(const RunOptions &options, const RunFacts &facts) {
  return noEffect(!isEvaluation(options) && options.config.evaluate_every > facts.lastStep(),
                  "the run ends after " + llvm::Twine(facts.lastStep()) + " steps");
}

static std::string leavesOutSamples(const RunOptions &options, const RunFacts &facts) {
  if (facts.data.left_out <= 0)
    return "";
  return ("leaves out " + llvm::Twine(facts.data.left_out) + " of " +
          llvm::Twine(facts.data.evaluated) +
          " samples: nobody knows what a single sample adds to the loss, which is evaluated on "
          "whole global batches of " +
          llvm::Twine(facts.data.evaluation_batch))
      .str();
}

static std::string drawsByRank(const RunOptions &options, const RunFacts &facts) {
  if (facts.drawsInEvaluation.empty() || options.config.ranks == 1)
    return "";
  return "gives other numbers than on one rank: '" + facts.drawsInEvaluation +
         "' draws while the model is evaluated, for samples that other numbers of ranks deal "
         "otherwise";
}

static std::string hasTerminal(const RunOptions &options, const RunFacts &facts) {
  return noEffect(!isCalibration(options) && !isEvaluation(options) && facts.hasTerminal,
                  "progress is a line on a terminal, not a log");
}

static std::vector<OptionRow> sampleRows() {
  return {
      text("--dataset", &RunConfig::datasets,
           "Training data: .npz, .npy, TensorProto .pb, a folder of them, values (.csv, "
           ".tsv), tokens (.bin), a folder of pictures in sub-folders, or exec:COMMAND, a "
           "program that makes samples")
          .takes("FILE")
          .idle({calibrates, trainsNothing, takesNoInputs}),
      text("--evaluate", &RunConfig::evaluation_datasets, "Data to evaluate the trained model on")
          .takes("FILE")
          .idle({calibrates, leavesOutSamples, drawsByRank}),
      number("--evaluate-every", &RunConfig::evaluate_every, stepRange,
             "Evaluate after every N steps, too")
          .needs({"--evaluate"})
          .idle({calibrates, onlyEvaluates, endsBeforeEvaluation}),
      text("--best", &RunConfig::best,
           "Keep the checkpoint of the step whose evaluation is the best by METRIC, and save and "
           "export its variables at the end (:min or :max where the metric is neither loss, "
           "perplexity, accuracy nor auc)")
          .takes("METRIC[:min|:max]")
          .needs({"--evaluate-every", "--model-dir"})
          .idle({calibrates, onlyEvaluates, endsBeforeEvaluation}),
      number("--early-stop", &RunConfig::early_stop, {1},
             "End after N evaluations in a row that are no better than the best")
          .needs({"--best"})
          .idle({calibrates, onlyEvaluates, endsBeforeEvaluation}),
      flag("--evaluate-only", &RunOptions::evaluateOnly, "Evaluate without training, after --load")
          .needs({"--evaluate"})
          .excludes({"--steps", "--epochs"})
          .idle({calibrates}),
      flag("--dry-run", &RunOptions::dryRun,
           "Do all that comes before the first step, print what would be trained and what that "
           "takes, and end without writing anything")
          .excludes({"--evaluate-only", "--calibrate"}),
      value("--read", parseReadKeys,
            "How values, tokens and pictures are read, also those of --evaluate; --help-read lists "
            "the keys")
          .takes("\"KEY=VALUE ...\"")
          .idle({calibrates, readsOtherwise}),
      keyHelp("read"),
      list("--bind", addBinding,
           "The array of an input, where their names differ; also of --evaluate")
          .takes("INPUT=ARRAY,...")
          .idle({calibrates}),
      flag("--no-load-ahead", &RunConfig::loads_ahead,
           "Load each batch when its step begins (default: a large one is loaded while the step "
           "before it runs)",
           /*on=*/false)
          .idle({calibrates, onlyEvaluates, takesNoInputs}),
      value("--shuffle", parseShuffling,
            "Shuffle the samples of each epoch (default: true); block:N keeps N neighbours "
            "together, for files larger than memory")
          .takes("BOOL|block:N")
          .idle({calibrates, onlyEvaluates, takesNoInputs}),
  };
}

static std::vector<OptionRow> fileRows() {
  return {
      number("--log-step-count-steps", &RunConfig::log_step_count_steps, stepRange,
             "Where progress is a log, a line every N steps (default: about one a second)")
          .idle({calibrates, onlyEvaluates, hasTerminal}),
      text("--metrics", &RunConfig::metrics, "Write one JSON object a step")
          .takes("FILE.jsonl")
          .idle({calibrates, onlyEvaluates}),
      text("--save", &RunConfig::save, "Write all variables after training")
          .takes("FILE.safetensors")
          .idle({calibrates, onlyEvaluates}),
      text("--load", &RunConfig::load, "Start from the variables of this file")
          .takes("FILE.safetensors")
          .idle({calibrates}),
      text("--export", &RunOptions::exported,
           "Write the ONNX model that was given with the variables as they are after "
           "training; with INPUT and --load alone, as they are there")
          .takes("FILE.onnx")
          .idle({calibrates, onlyEvaluates}),
  };
}

std::vector<OptionRow> tutti::dataRows() {
  std::vector<OptionRow> rows = sampleRows();
  llvm::append_range(rows, fileRows());
  return rows;
}
