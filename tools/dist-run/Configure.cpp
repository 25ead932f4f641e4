// From the command line to what a run is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Configure.h"

#include "lib/execution/code/Instructions.h"
#include "runtime/host/run/TrainingData.h"
#include "tools/dist-run/Errors.h"

using namespace tutti;
namespace worker = tutti::runtime::worker;

worker::RunConfig tutti::configure(const RunOptions &options, std::string workerPath) {
  worker::RunConfig config = options.config;
  config.worker = std::move(workerPath);
  config.environment = execution::kernelSettings(options.instructions);
  return config;
}

/// Ranks load `program`, as long as it lives.
static void addProgram(const execution::CompiledProgram &program, worker::RunConfig &config) {
  config.programs.push_back(program.path());
  worker::ValuePlaces &places = config.values.emplace_back();
  for (const auto &[name, place] : program.values.places())
    places[name] = {place.path, static_cast<int64_t>(place.offset)};
}

/// Servers load what holds tables.
static void addTable(const TableProgram &table, worker::RunConfig &config) {
  worker::TableFiles &files = config.tables.emplace_back();
  files.update = table.update.path();
  if (table.place)
    files.first = {table.place->path, static_cast<int64_t>(table.place->offset)};
}

llvm::Error tutti::addPrograms(const RunOptions &options, const RunPrograms &programs,
                               bool isStartedByOthers, worker::RunConfig &config) {
  for (const execution::CompiledProgram &program : programs.ofRanks)
    addProgram(program, config);
  for (const TableProgram &table : programs.ofTables)
    addTable(table, config);
  config.decides = programs.decides;
  config.instructions = programs.instructions;
  if (programs.ofTables.empty() || !config.servers.empty())
    return llvm::Error::success();
  if (isStartedByOthers)
    return makeError(
        "the program has tables that servers hold, but nobody starts servers: ranks that another "
        "launcher starts are told of them by TF_CONFIG or --role, and -n or --local-cluster start "
        "both here");
  config.servers.resize(options.servers.value_or(1));
  return llvm::Error::success();
}

llvm::Error tutti::checkData(worker::RunConfig &config, const worker::Manifest &manifest,
                             runtime::data::InflatedArrays &inflated, RunFacts &facts) {
  auto data = worker::check_data(config, manifest, inflated);
  if (!data)
    return makeError(data.error().message);
  config.inflated = inflated.list();
  facts.data = *data;
  facts.hasInputs = !manifest.inputs.empty();
  return llvm::Error::success();
}
