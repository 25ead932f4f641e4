// TensorProto to MLIR attributes: every element type, from raw bytes, typed fields or external
// files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_TENSORREADER_H
#define TUTTI_LIB_FRONTEND_MODEL_TENSORREADER_H

#include "lib/frontend/model/ExternalData.h"
#include "lib/frontend/model/ModelFile.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tutti::frontend {

/// Checks a tensor's declaration against the bytes that are there before it allocates anything, so
/// that a hostile file costs no more memory than its own size.
class TensorReader {
public:
  explicit TensorReader(const ModelFile &file)
      : file(file), external(file.folder(), /*mayBeMissing=*/!file.survey()),
        isSurvey(file.survey()) {}

  /// The type that `tensor` declares; null after a diagnostic (unsupported element type, negative
  /// or overflowing dimensions).
  static mlir::RankedTensorType readType(const proto::TensorProto &tensor, mlir::Location location);

  /// The bytes of a tensor of a type that `readType` gave, as ONNX stores them.
  static uint64_t storedBytes(mlir::RankedTensorType type);

  /// The contents of `tensor`; null after a diagnostic, or in a survey zeros, if there is a type.
  /// Tensors above `largestInlineBytes` that are not one repeated value become resource blobs.
  /// Those of external data and of raw_data that was not parsed point into the mapped file: they
  /// need not be aligned, whatever alignment the blob says it wants. If the file of external data
  /// is missing, the contents have a type and no values, see MissingData.h.
  mlir::ElementsAttr read(const proto::TensorProto &tensor, mlir::Location location);

  /// Contents of `type` from bytes as ONNX lays them out, used where they lie; null after a
  /// diagnostic if there are more or fewer than the type needs.
  static mlir::ElementsAttr readMapped(mlir::RankedTensorType type, llvm::StringRef name,
                                       MappedBytes mapped, mlir::Location location);

  /// Warns once, at `location`, of all data that was missing.
  void reportMissing(mlir::Location location) const;

  static constexpr uint64_t largestInlineBytes = 16 * 1024;

private:
  mlir::ElementsAttr readContent(const proto::TensorProto &tensor, mlir::RankedTensorType type,
                                 mlir::Location location);

  const ModelFile &file;
  ExternalData external;
  bool isSurvey;
  llvm::SmallVector<mlir::DenseResourceElementsAttr> missing;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_TENSORREADER_H
