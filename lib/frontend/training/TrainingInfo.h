// ModelProto.training_info, checked: libonnx's checker does not look inside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_TRAINING_TRAININGINFO_H
#define TUTTI_LIB_FRONTEND_TRAINING_TRAININGINFO_H

#include "lib/frontend/graph/GraphNames.h"

namespace tutti::frontend {

/// One entry of training_info. Several are executed in turn, each once per iteration.
struct TrainingPhase {
  const proto::TrainingInfoProto *info;
  llvm::StringMap<llvm::StringRef>
      updates; ///< initializer -> the tensor it becomes after the phase
  llvm::StringMap<llvm::StringRef> initials; ///< initializer -> output of the initialization graph
};

/// All phases of a model, and the names of its graph and all algorithms.
class TrainingInfo {
public:
  explicit TrainingInfo(const ModelFile &file) : graphNames(file), file(file) {}

  /// Fails with a diagnostic when names clash, an initialization graph has inputs, a binding's key
  /// is bound twice or is no initializer, or its value is no output of the graphs it may come from.
  mlir::LogicalResult read();

  llvm::ArrayRef<TrainingPhase> phases() const { return allPhases; }
  const GraphNames &names() const { return graphNames; }
  bool isUpdated(llvm::StringRef name) const { return updated.contains(name); }
  bool isInitialized(llvm::StringRef name) const { return initialized.contains(name); }
  /// Outputs that only carry new values of variables.
  bool isNewValue(llvm::StringRef name) const { return newValues.contains(name); }

private:
  mlir::LogicalResult readPhase(const proto::TrainingInfoProto &info);
  mlir::LogicalResult readUpdates(TrainingPhase &phase);
  mlir::LogicalResult readInitials(TrainingPhase &phase);
  mlir::LogicalResult checkKey(llvm::StringRef key, llvm::StringRef binding);

  GraphNames graphNames;
  const ModelFile &file;
  llvm::SmallVector<TrainingPhase> allPhases;
  llvm::StringSet<> updated, initialized, newValues;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_TRAINING_TRAININGINFO_H
