// Reads and checks training_info.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/training/TrainingInfo.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

static bool hasOutput(const proto::GraphProto &graph, StringRef name) {
  return llvm::any_of(graph.output(), [&](const auto &output) { return output.name() == name; });
}

LogicalResult TrainingInfo::read() {
  if (failed(graphNames.add(file.model().graph())))
    return failure();
  for (const proto::TrainingInfoProto &info : file.model().training_info())
    if (failed(graphNames.add(info.algorithm())))
      return failure();
  for (const proto::TrainingInfoProto &info : file.model().training_info())
    if (failed(readPhase(info)))
      return failure();
  if (updated.empty())
    return emitError(file.location())
           << "training_info has no update_binding: training would change nothing";
  return success();
}

LogicalResult TrainingInfo::readPhase(const proto::TrainingInfoProto &info) {
  if (info.initialization().input_size() > 0)
    return emitError(file.location())
           << "the initialization graph '" << info.initialization().name() << "' has the input '"
           << info.initialization().input(0).name() << "', but it must have none";
  TrainingPhase phase{&info, {}, {}};
  if (failed(readUpdates(phase)) || failed(readInitials(phase)))
    return failure();
  allPhases.push_back(std::move(phase));
  return success();
}

LogicalResult TrainingInfo::checkKey(StringRef key, StringRef binding) {
  if (graphNames.initializer(key))
    return success();
  return emitError(file.location())
         << binding << ": '" << key
         << "' is no initializer of the model's graph or of an algorithm";
}

LogicalResult TrainingInfo::readUpdates(TrainingPhase &phase) {
  for (const auto &entry : phase.info->update_binding()) {
    if (failed(checkKey(entry.key(), "update_binding")))
      return failure();
    if (!updated.insert(entry.key()).second)
      return emitError(file.location(entry.key()))
             << "update_binding: '" << entry.key() << "' is bound twice";
    if (!hasOutput(phase.info->algorithm(), entry.value()) &&
        !hasOutput(file.model().graph(), entry.value()))
      return emitError(file.location(entry.key()))
             << "update_binding: '" << entry.key() << "' gets its value from '" << entry.value()
             << "', which is no output of the algorithm or of the model's graph";
    phase.updates[entry.key()] = entry.value();
    newValues.insert(entry.value());
  }
  return success();
}

LogicalResult TrainingInfo::readInitials(TrainingPhase &phase) {
  for (const auto &entry : phase.info->initialization_binding()) {
    if (failed(checkKey(entry.key(), "initialization_binding")))
      return failure();
    if (!phase.initials.try_emplace(entry.key(), entry.value()).second)
      return emitError(file.location(entry.key()))
             << "initialization_binding: '" << entry.key() << "' is bound twice";
    if (!hasOutput(phase.info->initialization(), entry.value()))
      return emitError(file.location(entry.key()))
             << "initialization_binding: '" << entry.key() << "' gets its value from '"
             << entry.value() << "', which is no output of the initialization graph";
    initialized.insert(entry.key());
  }
  return success();
}
