// What a rank does after its last step: it saves, exports and evaluates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/Session.h"

#include "runtime/engine/core/Context.h"
#include "runtime/output/OutputFile.h"

#include <filesystem>

namespace tutti::runtime::worker {

/// How tables are after the last step.
TableReader Session::table_reader() const {
  return [this](int64_t table, int64_t first, int64_t count, char *out) {
    return rows->read(table, result.steps, first, count, out);
  };
}

/// What is saved and exported are the variables of the best step. A run that was interrupted goes
/// on with its last ones.
Error Session::go_back_to_best() {
  if (!best || best->state().step < 0 || result.interrupted_by != 0)
    return Error::success();
  result.best_step = best->state().step;
  result.best_value = best->state().value;
  result.best_metric = int64_t(best->metric());
  if (result.best_step == result.steps)
    return Error::success();
  evaluated_step = -1;
  return directory->go_back(context.get(), buffers, result.best_step);
}

/// The first thing after training, so that no failure of metrics, trace or summary can lose the
/// variables. A run that was stopped before its first step has nothing to save.
Error Session::save() {
  if (Error error = rows ? rows->finish() : Error::success())
    return error;
  if (directory && !only_evaluates(config.run))
    tell_later(directory->finish(context.get(), buffers, result.steps, result.is_early));
  if (Error error = go_back_to_best())
    return error;
  if (config.run.save.empty() || result.steps == 0)
    return context_error();
  trace::Scope saving(config.rank == 0 ? trace.recorder() : nullptr, trace::Kind::phase, "save");
  Error error = save_checkpoint(context.get(), manifest(), buffers, config.rank, config.run.save,
                                table_reader());
  result.is_saved = !error;
  return error;
}

/// After the checkpoint, which a failure does not lose.
Error Session::export_model() {
  if (config.run.exports.empty() || result.steps == 0)
    return Error::success();
  trace::Scope saving(config.rank == 0 ? trace.recorder() : nullptr, trace::Kind::phase, "export");
  for (const checkpoint::Frame &frame : config.run.exports)
    if (Error error = export_variables(context.get(), manifest(), buffers, config.rank, frame,
                                       table_reader()))
      return error;
  result.is_exported = 1;
  return Error::success();
}

/// After a failure of communication: writes what this rank communicated last into the run
/// directory, and says where. Nothing where there is none, or it cannot be written.
std::string Session::keep_flight(const Error &error) const {
  bool has_begun = result.steps > result.steps_before; // else others may have refused the folder
  if (!has_begun || !directory || !context)
    return "";
  // Between two collectives a rank hears of the failure of another without one of its own.
  bool is_told = error.status == TUTTI_PEER_FAILED;
  if (tutti_context_status(context.get()) == TUTTI_OK && !is_told)
    return "";
  std::string folder = rundir::Folder(config.run.model_dir).flight();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::string path = text(folder, "/rank-", config.rank, ".txt");
  Result<output::OutputFile> file = output::OutputFile::open(path);
  if (!file)
    return "";
  auto describe = [&](int64_t entry) { return context->plan_entry_text(entry); };
  file->write(text("rank ", config.rank, " of ", config.run.ranks, " after ", result.steps,
                   " steps: ", error.message, "\n", context->flight.text(describe)));
  return file->commit() ? "" : text(" (the last collectives of each rank are in '", folder, "')");
}

/// At the end, unless that was done after the last step. A run that was stopped shows none.
Error Session::evaluate_saved() {
  if (result.interrupted_by != 0)
    result.evaluation_metrics = 0;
  bool is_due = evaluation_data && result.interrupted_by == 0 && evaluated_step != result.steps;
  if (Error error = is_due ? evaluate_now() : Error::success())
    return error;
  bool is_of_last = result.best_step == 0 || result.best_step == result.steps;
  tell_later(log->close_summaries(result, is_due && is_of_last));
  return Error::success();
}

} // namespace tutti::runtime::worker
