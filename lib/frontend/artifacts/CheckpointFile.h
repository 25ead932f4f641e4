// The checkpoint of ONNX Runtime's on-device training: parameters by name, and what its optimizer
// keeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_ARTIFACTS_CHECKPOINTFILE_H
#define TUTTI_LIB_FRONTEND_ARTIFACTS_CHECKPOINTFILE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace tutti::frontend {

class FlatTable;

/// A tensor as the file declares it.
struct CheckpointTensor {
  llvm::StringRef name;
  int32_t elementType = 0; ///< a TensorProto.DataType
  llvm::SmallVector<int64_t> sizes;
  llvm::ArrayRef<char> data;
  bool isTrainable = false;
};

/// A file with the identifier "ODTC". Its strings and data are used where they lie, so it stays
/// open for as long as anybody uses them.
class CheckpointFile {
public:
  /// Reads the file `path`; null after a diagnostic at `location`.
  static std::unique_ptr<CheckpointFile> open(llvm::StringRef path, mlir::Location location);

  /// Reads `content`. Fails if it is no checkpoint, if it is damaged, if two parameters have one
  /// name, or if its tensors lie in another file.
  static llvm::Expected<std::unique_ptr<CheckpointFile>>
  parse(std::shared_ptr<llvm::MemoryBuffer> content);

  /// What stands for a checkpoint that nobody has: `parameters`, whose names are used where they
  /// lie, without values.
  static std::unique_ptr<CheckpointFile> absent(std::vector<CheckpointTensor> parameters);

  /// A nominal checkpoint names its parameters and has no values.
  bool isNominal() const { return nominal; }
  /// Whether there is no file.
  bool isAbsent() const { return !content; }
  /// Trainable and frozen; null if there is none of this name.
  const CheckpointTensor *parameter(llvm::StringRef name) const;
  llvm::ArrayRef<CheckpointTensor> parameters() const { return all; }
  /// Moment `which`, counted from 0, that the optimizer keeps for a parameter; null if it has not
  /// trained yet.
  const CheckpointTensor *moment(llvm::StringRef parameter, unsigned which) const;
  /// Steps that the optimizer has taken.
  int64_t steps() const { return stepsTaken; }
  /// None if the checkpoint has not been trained yet.
  std::optional<float> learningRate() const { return rate; }

  /// The type of `tensor`; null after a diagnostic at `location`.
  static mlir::RankedTensorType typeOf(const CheckpointTensor &tensor, mlir::Location location);
  /// The contents of a tensor of type `type`, or, in a nominal checkpoint, contents without values;
  /// null after a diagnostic.
  mlir::ElementsAttr contentOf(const CheckpointTensor &tensor, mlir::RankedTensorType type,
                               mlir::Location location) const;

private:
  CheckpointFile() = default;
  llvm::Error read();
  llvm::Error readModule(const FlatTable &module);
  llvm::Error readOptimizer(const FlatTable &group);
  llvm::Expected<CheckpointTensor> readTensor(const FlatTable &tensor) const;

  std::shared_ptr<llvm::MemoryBuffer> content;
  bool nominal = false;
  std::vector<CheckpointTensor> all;
  llvm::StringMap<size_t> byName;
  llvm::StringMap<std::vector<CheckpointTensor>> moments;
  int64_t stepsTaken = 0;
  std::optional<float> rate;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_ARTIFACTS_CHECKPOINTFILE_H
