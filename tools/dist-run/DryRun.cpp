// One row for each question that people have before they train.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/DryRun.h"

#include "runtime/host/launch/Launch.h"
#include "runtime/host/run/ReportText.h"
#include "runtime/output/StandardStreams.h"
#include "runtime/support/Error.h"
#include "tools/dist-run/Errors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

using namespace tutti;
using namespace tutti::runtime::worker;
using nlohmann::json;
using runtime::text;

static std::string counted(int64_t count, const std::string &one) {
  return text(grouped_text(count), " ", one, count == 1 ? "" : "s");
}

/// "8 variables, 6,138 elements: conv1.weight, conv1.bias, fc.weight and 5 more".
static std::string describeVariables(const Manifest &manifest, const std::string &kind,
                                     const std::string &noun) {
  constexpr size_t mostNames = 3;
  std::vector<std::string> names;
  int64_t elements = 0;
  for (const Variable &variable : manifest.variables) {
    if (variable.kind != kind)
      continue;
    names.push_back(variable.name);
    elements += elements_of(variable);
  }
  if (names.empty())
    return "";
  size_t shown = std::min(names.size(), mostNames);
  return text(counted(int64_t(names.size()), noun), ", ", counted(elements, "element"), ": ",
              llvm::join(names.begin(), names.begin() + shown, ", "),
              shown < names.size() ? text(" and ", names.size() - shown, " more") : "");
}

static std::string variableRows(const RunOptions &options, const Manifest &manifest) {
  std::string trained = describeVariables(manifest, "trainable", "variable");
  std::string kept = describeVariables(manifest, "other", "variable");
  std::string states = describeVariables(manifest, "state", "variable");
  std::string rows;
  if (!trained.empty())
    rows += summary_line("trains", trained);
  int64_t elements = 0;
  for (const ServedTable &table : manifest.tables)
    elements += table.rows() * table.row_elements();
  if (!manifest.tables.empty())
    rows += summary_line("trains", text(counted(int64_t(manifest.tables.size()), "table"), " on ",
                                        counted(options.servers.value_or(1), "server"), ", ",
                                        counted(elements, "element")));
  return rows + summary_line("does not train", kept.empty() ? "nothing: all variables do" : kept) +
         summary_line("optimizer", states.empty() ? "keeps nothing beside them" : states);
}

/// How the plan makes one number of what ranks have of the metric `name`; empty if it does not.
static std::string reductionOf(const std::string &name, const planning::Report &plan) {
  for (const program::PlanEntry &entry : plan.plan)
    if (entry.function == "step" && llvm::is_contained(entry.source, name))
      return text(", of all ranks by ", entry.operation,
                  entry.reduction.empty() ? "" : " " + entry.reduction);
  return "";
}

/// What the verification of the program found the loss to be, and other numbers of the step.
static std::string lossRows(const RunOptions &options, const RunPrograms &programs) {
  std::string rows;
  for (const std::string &line : programs.remarks) {
    json remark = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!remark.is_object() || remark.value("pass", "") != "distribute-verify-samples" ||
        remark.value("kind", "") != "analysis")
      continue;
    std::string name = remark.value("args", json::object()).value("why", "");
    std::string message = remark.value("message", "");
    auto [row, found] = llvm::StringRef(message).split(": ");
    rows += summary_line(row.str(), found.str() + reductionOf(name, *programs.plan));
  }
  if (!rows.empty() || options.config.ranks > 1)
    return rows;
  return summary_line("loss", "as the program computes it of a global batch, which one rank has");
}

static std::string dataRows(const Manifest &manifest, const RunFacts &facts) {
  std::string steps = counted(facts.data.steps.value_or(0), "step");
  if (!facts.hasInputs)
    return summary_line("data", "none: the step has no inputs; " + steps);
  std::string rows = summary_line(
      "data",
      text(counted(facts.data.samples, "sample"), ", ", grouped_text(manifest.samples_per_step),
           " a step, ", counted(facts.data.steps_per_epoch, "step"), " an epoch",
           facts.data.dropped > 0 ? text(", ", grouped_text(facts.data.dropped), " dropped") : "",
           facts.data.repeated > 0
               ? text(", ", grouped_text(facts.data.repeated), " of each step repeated")
               : "",
           "; ", steps));
  if (facts.data.evaluated > 0)
    rows += summary_line("evaluation", counted(facts.data.evaluated, "sample"));
  return rows;
}

/// What a rank asks the runtime for. Values of the program are mapped, by all ranks alike.
static std::string memoryRows(const Manifest &manifest) {
  int64_t mapped = 0;
  for (const auto &value : manifest.values)
    mapped += value.is_initial ? 0 : value.bytes;
  return summary_line("memory",
                      text(bytes_text(manifest.memory_bytes()), " of a rank at most, ",
                           bytes_text(manifest.largest_arena()), " of it values of a step",
                           mapped > 0 ? text("; ", bytes_text(mapped),
                                             " of constants, which the ranks of a machine share")
                                      : "",
                           repeated_text(manifest), "; without programs and kernels")) +
         variables_line(manifest) + states_line(manifest);
}

static std::string communicationRow(const planning::Report &plan) {
  llvm::MapVector<llvm::StringRef, int64_t> calls;
  for (const program::PlanEntry &entry : plan.plan)
    if (entry.function == "step")
      calls[entry.operation] += std::max<int64_t>(entry.times, 0);
  program::PlanTotal total = program::totalOf(plan.plan, "step");
  if (calls.empty())
    return summary_line("communication", "none");
  std::vector<std::string> kinds;
  for (const auto &[operation, count] : calls)
    kinds.push_back(text(grouped_text(count), " ", operation.str()));
  std::string bytes = total.bytes == program::PlanEntry::unknown ? "an unknown number of bytes"
                                                                 : bytes_text(total.bytes);
  return summary_line("communication", text(bytes, " of a rank a step: ", llvm::join(kinds, ", "),
                                            "; --plan lists them"));
}

static std::string timeRow(const RunOptions &options, const planning::Report &plan) {
  if (options.cluster.empty())
    return summary_line("step time",
                        text("not predicted without --cluster FILE, which dist-run -n ",
                             options.config.ranks, " --calibrate FILE measures"));
  if (!plan.step)
    return summary_line("step time", "not predicted: the cost model does not know all of the step");
  return summary_line(
      "step time",
      text(step_text(plan.step->step), " predicted on ", options.cluster,
           ", if ranks are alike and alone there: computing ", step_text(plan.step->compute),
           plan.repeating > 0 ? text(", ", step_text(plan.repeating), " of it again for --memory")
                              : "",
           ", communicating ", step_text(plan.step->communication), " of which ",
           step_text(plan.step->exposed), " show"));
}

llvm::Expected<int> tutti::endDryRun(const RunOptions &options, const RunPrograms &programs,
                                     const Manifest &manifest, const RunFacts &facts,
                                     const RunConfig &config) {
  if (facts.launcher.empty())
    if (runtime::Error error = check_launch(config))
      return makeError(error.message);
  const planning::Report &plan = *programs.plan;
  runtime::output::print(
      text("dry run of ", manifest.program, " on ", counted(options.config.ranks, "rank"),
           ": nothing is trained or written\n", variableRows(options, manifest),
           lossRows(options, programs), dataRows(manifest, facts), memoryRows(manifest),
           communicationRow(plan), timeRow(options, plan), options.printPlan ? "" : facts.choice));
  return 0;
}
