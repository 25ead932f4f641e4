// Looking at variables, and agreeing on what was found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/NonFiniteWatch.h"

#include "runtime/host/program/FiniteValues.h"
#include "runtime/support/Names.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tutti::runtime::worker {
namespace {

std::string name_of(double value) {
  return std::isnan(value) ? "nan" : value < 0 ? "-infinity" : "infinity";
}

} // namespace

NonFiniteWatch::NonFiniteWatch(tutti_context *context, const WorkerConfig &config,
                               const Manifest &manifest, const Buffers &buffers, int64_t plan_entry)
    : context(context), config(config), manifest(manifest), buffers(buffers),
      plan_entry(plan_entry) {
  for (const Tensor &metric : manifest.metrics)
    scales_loss |= metric.name == "skipped";
  for (size_t i = 0; i < manifest.variables.size(); ++i)
    if (manifest.variables[i].kind == "other" && find_in(i))
      exempt.insert(i);
}

void NonFiniteWatch::see(int64_t step, double loss) {
  if (std::isfinite(loss))
    return;
  int64_t &first = std::isnan(loss) ? nan_step : infinite_step;
  first = std::min(first, step);
  first_bad_step = std::min(first_bad_step, step);
}

int64_t NonFiniteWatch::elements_of(size_t variable) const {
  const Variable &given = manifest.variables[variable];
  return *data::array_bytes(given.type, given.shape) / type_bytes(given.type);
}

std::optional<int64_t> NonFiniteWatch::find_in(size_t variable) const {
  return find_non_finite(manifest.variables[variable].type, buffers.variables[variable],
                         elements_of(variable));
}

int64_t NonFiniteWatch::first_variable() const {
  for (size_t i = 0; i < manifest.variables.size(); ++i) {
    if (!exempt.count(i) && find_in(i))
      return int64_t(i);
    buffers.let_go(i);
  }
  return never;
}

Error NonFiniteWatch::look(int64_t steps_done, int64_t last_checkpoint) {
  if (config.run.on_non_finite == "ignore")
    return Error::success();
  // The first variable, and of the ranks that have it the first.
  int64_t ranks = tutti_context_size(context), rank = tutti_context_rank(context);
  int64_t found = first_variable();
  int64_t values[3] = {found == never ? never : found * ranks + rank, infinite_step, nan_step};
  const void *source = values;
  void *destination = values;
  const int64_t count = 3;
  tutti_all_reduce(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_MIN, TUTTI_I64, 1, &source,
                   &destination, &count);
  if (tutti_context_status(context) != TUTTI_OK)
    return {tutti_context_status(context), tutti_context_message(context)};
  infinite_step = values[1];
  nan_step = values[2];
  first_bad_step = std::min({first_bad_step, infinite_step, nan_step});
  Error error = judge(values[0], steps_done, last_checkpoint);
  infinite_step = nan_step = never;
  return error;
}

/// The rank that has the element tells the others.
NonFiniteWatch::Place NonFiniteWatch::place_of(int64_t key) const {
  int64_t ranks = tutti_context_size(context);
  Place place = {key / ranks, key % ranks, 0, 0};
  double told[2] = {};
  if (place.rank == tutti_context_rank(context)) {
    auto variable = size_t(place.variable);
    int64_t element = find_in(variable).value_or(0);
    told[0] = double(element);
    told[1] = read_number(manifest.variables[variable].type, buffers.variables[variable], element);
  }
  const void *source = told;
  void *destination = told;
  const int64_t count = 2;
  tutti_broadcast(context, plan_entry, TUTTI_GROUP_WORLD, int32_t(place.rank), TUTTI_F64, 1,
                  &source, &destination, &count);
  place.element = int64_t(told[0]);
  place.value = told[1];
  return place;
}

Error NonFiniteWatch::judge(int64_t key, int64_t steps_done, int64_t last_checkpoint) {
  if (key != never) {
    Place place = place_of(key);
    return end(describe(place, steps_done), place.rank, last_checkpoint);
  }
  bool is_of_tables = !manifest.tables.empty();
  if (infinite_step != never && !scales_loss)
    return end(text("the loss of step ", infinite_step, " is infinite"), 0, last_checkpoint);
  if (nan_step != never && is_of_tables && !scales_loss)
    return end(text("the loss of step ", nan_step, " is nan"), 0, last_checkpoint);
  if (nan_step != never && !scales_loss)
    tell(has_noted, "note: all variables are finite: a mean over nothing, as of a batch without "
                    "labels, is no number and has no gradient; training goes on");
  return Error::success();
}

std::string NonFiniteWatch::describe(const Place &place, int64_t steps_done) const {
  const Variable &variable = manifest.variables[size_t(place.variable)];
  bool is_same = variable.placement == Placement::replicate;
  std::string where = is_same ? "" : text(" of rank ", place.rank);
  std::string since =
      first_bad_step == never
          ? text("; the loss is still finite")
          : text("; the first loss that was not finite is that of step ", first_bad_step);
  return text("variable '", variable.name, "' is not finite after step ", steps_done, ": element ",
              place.element, where, " is ", name_of(place.value), since);
}

/// An error, or a warning of the first time. Without our launcher only one rank says it.
Error NonFiniteWatch::end(const std::string &what, int64_t speaker, int64_t last_checkpoint) {
  if (config.run.on_non_finite == "warn") {
    tell(has_warned, "warning: " + what + "; training goes on");
    return Error::success();
  }
  std::string stays =
      last_checkpoint >= 0
          ? text("the checkpoint of step ", last_checkpoint, " in '", config.run.model_dir,
                 "' stays the last one")
          : std::string("there is no checkpoint from before; --model-dir FOLDER keeps some");
  bool speaks = config.shared_descriptor >= 0 || speaker == tutti_context_rank(context);
  return Error::make(speaks ? TUTTI_BAD_DATA : TUTTI_PEER_FAILED, what, "\n  the run ends; ", stays,
                     "\n  lower the learning-rate, set clip-norm, or look at the samples of that "
                     "step; --on-non-finite=warn goes on");
}

/// Once, on one rank.
void NonFiniteWatch::tell(bool &is_told, const std::string &what) const {
  if (tutti_context_rank(context) == 0 && !is_told)
    std::fprintf(stderr, "%s\n", what.c_str());
  is_told = true;
}

} // namespace tutti::runtime::worker
